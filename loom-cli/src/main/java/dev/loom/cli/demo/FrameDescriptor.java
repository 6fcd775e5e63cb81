package dev.loom.cli.demo;

/**
 * Layout of a message between client and server. Big-endian, as on most wires.
 *
 * <pre>
 *   0        4      5            13           14
 *   | length | type | request id | key length | key ... | value ... |
 * </pre>
 *
 * {@code length} counts the bytes that follow it: the body. The value takes what the key leaves.
 */
final class FrameDescriptor {
    static final int LENGTH_OFFSET = 0;
    static final int TYPE_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    static final int REQUEST_ID_OFFSET = TYPE_OFFSET + Byte.BYTES;
    static final int KEY_LENGTH_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;
    static final int KEY_OFFSET = KEY_LENGTH_OFFSET + Byte.BYTES;

    /** Length of the length field that precedes the body. */
    static final int PREFIX_LENGTH = TYPE_OFFSET;

    static final int BODY_LENGTH_MIN = KEY_OFFSET - PREFIX_LENGTH;

    /** Readers refuse larger bodies. */
    static final int BODY_LENGTH_MAX = 32 * 1024 - PREFIX_LENGTH;

    static final int FRAME_LENGTH_MAX = PREFIX_LENGTH + BODY_LENGTH_MAX;

    /** No client sends a larger body, so a packet that announces one was mangled. */
    static final int REQUEST_BODY_LENGTH_MAX = 255;

    static final byte GET = 1;
    static final byte SET = 2;
    static final byte FOUND = 3;
    static final byte MISSING = 4;
    static final byte STORED = 5;

    private FrameDescriptor() {}

    static int valueOffset(int keyLength) {
        return KEY_OFFSET + keyLength;
    }

    static int valueLength(int bodyLength, int keyLength) {
        return PREFIX_LENGTH + bodyLength - valueOffset(keyLength);
    }
}
