package dev.loom.otlp.json;

import dev.loom.otlp.MessageBuffer;
import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireWriter;
import java.nio.ByteOrder;
import org.agrona.MutableDirectBuffer;

/**
 * Writes a protobuf message. The length of a nested message, or of packed numbers, is known only at its end: one byte is
 * reserved for it, and content with a longer length is moved.
 */
final class ProtobufOutput {
    private static final int LENGTH_RESERVED = 1;
    private static final int UTF8_LENGTH_MAX = 4; // bytes per code point
    private static final char REPLACEMENT = '\uFFFD';

    private final MessageBuffer out;
    private final MutableDirectBuffer buffer;

    ProtobufOutput(MessageBuffer out) {
        this.out = out;
        buffer = out.buffer();
    }

    void tag(int tag) throws NoRoomException {
        varint(tag);
    }

    void varint(long value) throws NoRoomException {
        int at = room(WireReader.VARINT_LENGTH_MAX);
        out.written(WireWriter.putVarint(buffer, at, value) - at);
    }

    void fixed64(long value) throws NoRoomException {
        int at = room(Long.BYTES);
        buffer.putLong(at, value, ByteOrder.LITTLE_ENDIAN);
        out.written(Long.BYTES);
    }

    void fixed32(int value) throws NoRoomException {
        int at = room(Integer.BYTES);
        buffer.putInt(at, value, ByteOrder.LITTLE_ENDIAN);
        out.written(Integer.BYTES);
    }

    /** Writes bytes after their length. */
    void bytes(byte[] bytes) throws NoRoomException {
        varint(bytes.length);
        int at = room(bytes.length);
        buffer.putBytes(at, bytes);
        out.written(bytes.length);
    }

    /** Writes a string after its length; an unpaired surrogate becomes U+FFFD. */
    void string(char[] chars, int from, int count) throws NoRoomException {
        int start = beginLength();
        for (int done = 0; done < count; done++) {
            char c = chars[from + done];
            int at = room(UTF8_LENGTH_MAX);
            if (c < 0x80) {
                buffer.putByte(at, (byte) c);
                out.written(1);
            } else if (Character.isHighSurrogate(c)
                    && done + 1 < count
                    && Character.isLowSurrogate(chars[from + done + 1])) {
                out.written(putCodePoint(at, Character.toCodePoint(c, chars[from + done + 1])));
                done++;
            } else {
                out.written(putCodePoint(at, Character.isSurrogate(c) ? REPLACEMENT : c));
            }
        }
        endLength(start);
    }

    private int putCodePoint(int at, int codePoint) {
        if (codePoint < 0x800) {
            buffer.putByte(at, (byte) (0xC0 | codePoint >>> 6));
            buffer.putByte(at + 1, (byte) (0x80 | (codePoint & 0x3F)));
            return 2;
        }
        if (codePoint < 0x10000) {
            buffer.putByte(at, (byte) (0xE0 | codePoint >>> 12));
            buffer.putByte(at + 1, (byte) (0x80 | (codePoint >>> 6 & 0x3F)));
            buffer.putByte(at + 2, (byte) (0x80 | (codePoint & 0x3F)));
            return 3;
        }
        buffer.putByte(at, (byte) (0xF0 | codePoint >>> 18));
        buffer.putByte(at + 1, (byte) (0x80 | (codePoint >>> 12 & 0x3F)));
        buffer.putByte(at + 2, (byte) (0x80 | (codePoint >>> 6 & 0x3F)));
        buffer.putByte(at + 3, (byte) (0x80 | (codePoint & 0x3F)));
        return 4;
    }

    /**
     * Starts content that is preceded by its length.
     *
     * @return what to pass to {@link #endLength}
     */
    int beginLength() throws NoRoomException {
        room(LENGTH_RESERVED);
        out.written(LENGTH_RESERVED);
        return out.length();
    }

    /** Ends the content and writes its length. */
    void endLength(int start) throws NoRoomException {
        int content = out.length() - start;
        int more = WireWriter.varintLength(content) - LENGTH_RESERVED;
        if (more > 0) {
            room(more);
            moveRight(out.offset() + start, content, more);
            out.written(more);
        }
        WireWriter.putVarint(buffer, out.offset() + start - LENGTH_RESERVED, content);
    }

    /** Copies from the end, as the ranges overlap. */
    private void moveRight(int from, int count, int by) {
        int left = count;
        for (; left >= Long.BYTES; left -= Long.BYTES) {
            int at = from + left - Long.BYTES;
            buffer.putLong(at + by, buffer.getLong(at));
        }
        for (int at = from + left - 1; at >= from; at--) {
            buffer.putByte(at + by, buffer.getByte(at));
        }
    }

    /** Makes room for this many bytes, and returns their offset in the buffer. */
    private int room(int count) throws NoRoomException {
        if (!out.ensure(count)) {
            throw new NoRoomException();
        }
        return out.offset() + out.length();
    }
}
