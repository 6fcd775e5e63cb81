package dev.loom.cli.demo;

import static dev.loom.cli.demo.FrameDescriptor.BODY_LENGTH_MIN;
import static dev.loom.cli.demo.FrameDescriptor.KEY_LENGTH_OFFSET;
import static dev.loom.cli.demo.FrameDescriptor.KEY_OFFSET;
import static dev.loom.cli.demo.FrameDescriptor.LENGTH_OFFSET;
import static dev.loom.cli.demo.FrameDescriptor.PREFIX_LENGTH;
import static dev.loom.cli.demo.FrameDescriptor.REQUEST_ID_OFFSET;
import static dev.loom.cli.demo.FrameDescriptor.TYPE_OFFSET;
import static java.nio.ByteOrder.BIG_ENDIAN;

import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/** A view of one message at the start of an array. Reused; for one thread. */
final class FrameFlyweight {
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);

    FrameFlyweight wrap(byte[] bytes) {
        buffer.wrap(bytes);
        return this;
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    byte[] bytes() {
        return buffer.byteArray();
    }

    /** The value of the length field, true or mangled. */
    int bodyLength() {
        return buffer.getInt(LENGTH_OFFSET, BIG_ENDIAN);
    }

    void bodyLength(int length) {
        buffer.putInt(LENGTH_OFFSET, length, BIG_ENDIAN);
    }

    /** Length of the whole frame, prefix included. */
    int frameLength() {
        return PREFIX_LENGTH + bodyLength();
    }

    byte type() {
        return buffer.getByte(TYPE_OFFSET);
    }

    long requestId() {
        return buffer.getLong(REQUEST_ID_OFFSET, BIG_ENDIAN);
    }

    String key() throws ProtocolException {
        return buffer.getStringWithoutLengthAscii(KEY_OFFSET, keyLength());
    }

    byte[] value() throws ProtocolException {
        int keyLength = keyLength();
        byte[] value = new byte[FrameDescriptor.valueLength(bodyLength(), keyLength)];
        buffer.getBytes(FrameDescriptor.valueOffset(keyLength), value);
        return value;
    }

    /** Writes a whole frame into the array. */
    FrameFlyweight encode(byte type, long requestId, byte[] key, byte[] value) {
        buffer.putByte(TYPE_OFFSET, type);
        buffer.putLong(REQUEST_ID_OFFSET, requestId, BIG_ENDIAN);
        buffer.putByte(KEY_LENGTH_OFFSET, (byte) key.length);
        buffer.putBytes(KEY_OFFSET, key);
        buffer.putBytes(FrameDescriptor.valueOffset(key.length), value);
        bodyLength(BODY_LENGTH_MIN + key.length + value.length);
        return this;
    }

    @Override
    public String toString() {
        return "FrameFlyweight[type=" + type() + ", requestId=" + requestId() + ", bodyLength=" + bodyLength() + ']';
    }

    private int keyLength() throws ProtocolException {
        int keyLength = buffer.getByte(KEY_LENGTH_OFFSET) & 0xFF;
        if (BODY_LENGTH_MIN + keyLength > bodyLength()) {
            throw new ProtocolException("key passes the end of its frame: " + this + ", keyLength=" + keyLength);
        }
        return keyLength;
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
