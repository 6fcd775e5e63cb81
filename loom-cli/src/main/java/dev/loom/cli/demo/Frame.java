package dev.loom.cli.demo;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A message between client and server. Big-endian, as on most wires.
 *
 * <pre>
 *   0        4      5            13           14
 *   | length | type | request id | key length | key ... | value ... |
 * </pre>
 *
 * {@code length} counts the bytes that follow it, the body. The value takes what the key leaves.
 */
final class Frame {
    static final byte GET = 1;
    static final byte SET = 2;
    static final byte FOUND = 3;
    static final byte MISSING = 4;
    static final byte STORED = 5;

    /** Length of the length field. */
    static final int PREFIX_LENGTH = Integer.BYTES;

    /** No client sends a larger body, so a packet that announces one was damaged. */
    static final int REQUEST_BODY_LENGTH_MAX = 255;

    private static final int BODY_LENGTH_MIN = Byte.BYTES + Long.BYTES + Byte.BYTES;
    private static final int BODY_LENGTH_MAX = 32 * 1024;
    private static final int REQUEST_ID_OFFSET = PREFIX_LENGTH + Byte.BYTES;

    final byte type;
    final long requestId;
    final String key;
    final byte[] value;

    Frame(byte type, long requestId, String key, byte... value) {
        this.type = type;
        this.requestId = requestId;
        this.key = key;
        this.value = value;
    }

    /** The whole message, prefix included. */
    byte[] encode() {
        byte[] keyBytes = key.getBytes(StandardCharsets.US_ASCII);
        int bodyLength = BODY_LENGTH_MIN + keyBytes.length + value.length;
        return ByteBuffer.allocate(PREFIX_LENGTH + bodyLength)
                .putInt(bodyLength)
                .put(type)
                .putLong(requestId)
                .put((byte) keyBytes.length)
                .put(keyBytes)
                .put(value)
                .array();
    }

    /** @throws ProtocolException if the key passes the end */
    static Frame decode(byte[] bytes) throws ProtocolException {
        ByteBuffer in = ByteBuffer.wrap(bytes).position(PREFIX_LENGTH);
        byte type = in.get();
        long requestId = in.getLong();
        byte[] key = new byte[in.get() & 0xFF];
        if (key.length > in.remaining()) {
            throw new ProtocolException(
                    "key exceeds its frame: keyLength=" + key.length + ", frameLength=" + bytes.length);
        }
        in.get(key);
        byte[] value = new byte[in.remaining()];
        in.get(value);
        return new Frame(type, requestId, new String(key, StandardCharsets.US_ASCII), value);
    }

    /** Reads one message and waits for its last byte. Null at the end of the stream, even within a message. */
    static byte @Nullable [] read(DataInputStream in) throws IOException {
        try {
            int bodyLength = in.readInt();
            if (bodyLength < BODY_LENGTH_MIN || bodyLength > BODY_LENGTH_MAX) {
                throw new ProtocolException("frame has an impossible length: bodyLength=" + bodyLength);
            }
            byte[] bytes = new byte[PREFIX_LENGTH + bodyLength];
            bodyLength(bytes, bodyLength);
            in.readFully(bytes, PREFIX_LENGTH, bodyLength);
            return bytes;
        } catch (EOFException e) {
            return null;
        }
    }

    /** The value of a message's length field, right or damaged. */
    static int bodyLength(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getInt(0);
    }

    static void bodyLength(byte[] bytes, int length) {
        ByteBuffer.wrap(bytes).putInt(0, length);
    }

    /** The request id of a message of which at least the beginning is there. */
    static long requestId(byte[] bytes) {
        return ByteBuffer.wrap(bytes).getLong(REQUEST_ID_OFFSET);
    }

    boolean isReplyTo(long id, byte expectedType, byte[] expectedValue) {
        return requestId == id && type == expectedType && Arrays.equals(value, expectedValue);
    }

    @Override
    public String toString() {
        return "Frame[type=" + type + ", requestId=" + requestId + ", key=" + key + ", valueLength=" + value.length
                + ']';
    }
}
