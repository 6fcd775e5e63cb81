package dev.loom.otlp.ingest;

import dev.loom.otlp.wire.Utf8Check;
import org.agrona.DirectBuffer;

/**
 * The form of nearly all attributes, which a few bytes prove well-formed: a key, then a string, a number or a boolean. Key
 * and string are ASCII and shorter than 128 bytes.
 *
 * <pre>
 *  0      1            2     2 + key             3 + key          4 + key
 *  | 0x0A | key length | key | 0x12              | value length   | 0x0A | length | string           |
 *                                                                 | 0x10 | 0 or 1                    |
 *                                                                 | 0x18 | varint                    |
 *                                                                 | 0x21 | double                    |
 * </pre>
 */
final class UsualAttribute {
    /** The depth of its nested messages, including itself. */
    static final int DEPTH = 2;

    private static final byte KEY = 0x0A;
    private static final byte VALUE = 0x12;
    private static final byte STRING = 0x0A;
    private static final byte BOOLEAN = 0x10;
    private static final byte INTEGER = 0x18;
    private static final byte DOUBLE = 0x21;
    private static final int VARINT_LENGTH_MAX = 10;

    private UsualAttribute() {}

    /** Whether the message in {@code [offset, offset + length)} has this form; others may still be well-formed. */
    static boolean isOne(DirectBuffer buffer, int offset, int length) {
        if (length < 4 || buffer.getByte(offset) != KEY) {
            return false;
        }
        int keyLength = buffer.getByte(offset + 1);
        int value = offset + 2 + keyLength;
        int end = offset + length;
        if (keyLength < 0
                || value + 2 >= end
                || buffer.getByte(value) != VALUE
                || buffer.getByte(value + 1) != end - value - 2) {
            return false;
        }
        int type = buffer.getByte(value + 2);
        if (type == STRING) {
            // the bytes between key and string are below 128 too
            return value + 3 < end
                    && buffer.getByte(value + 3) == end - value - 4
                    && Utf8Check.isAscii(buffer, offset, length);
        }
        return isNumber(buffer, type, value + 3, end) && Utf8Check.isAscii(buffer, offset + 2, keyLength);
    }

    private static boolean isNumber(DirectBuffer buffer, int type, int offset, int end) {
        return switch (type) {
            case INTEGER, BOOLEAN -> isVarint(buffer, offset, end);
            case DOUBLE -> end - offset == Double.BYTES;
            default -> false;
        };
    }

    private static boolean isVarint(DirectBuffer buffer, int offset, int end) {
        int last = end - 1;
        if (last < offset || end - offset > VARINT_LENGTH_MAX || buffer.getByte(last) < 0) {
            return false;
        }
        for (int at = offset; at < last; at++) {
            if (buffer.getByte(at) >= 0) {
                return false;
            }
        }
        return true;
    }
}
