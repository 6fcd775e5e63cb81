package dev.loom.format;

import java.util.List;
import org.agrona.DirectBuffer;

/**
 * The layout of a struct payload. Little-endian, packed:
 * <pre>
 *  0            B                     F                                 end
 *  +------------+---------------------+---------------------------------+
 *  | presence   | fixed-size fields   | variable-length fields          |
 *  | bitmap     | in declared order   | in declared order: each a       |
 *  |            |                     | stop-bit length, then its bytes |
 *  +------------+---------------------+---------------------------------+
 *
 *  B = ceil(number of optional fields / 8), so 0 where every field is required
 *  F = B + sum of the fixed-size fields' lengths
 * </pre>
 *
 * <p>Presence: bit {@code i % 8} of byte {@code i / 8} is 1 if the i-th optional field, in declared order, has a value.
 * Fixed-size fields keep their place even without a value, and are then zero. Variable-length fields without a value
 * have length 0. A stop-bit length has seven bits per byte, lowest first, with the high bit set in all bytes but the
 * last; it takes as few bytes as possible, at most {@link #LENGTH_BYTES_MAX}, and is at most {@link Integer#MAX_VALUE}.
 * Bytes after the last field have no meaning.
 *
 * <p>Immutable.
 */
final class StructLayout {
    static final int LENGTH_BYTES_MAX = 5;

    private static final int LENGTH_BITS = 7;
    private static final int LENGTH_MORE = 1 << LENGTH_BITS;
    private static final int LENGTH_MASK = LENGTH_MORE - 1;

    /** The offset of a fixed-size field; the ordinal of a variable-length one. */
    private final int[] places;

    private final int[] presenceBits;
    private final int presenceLength;
    private final int variableOffset;
    private final int variableCount;

    StructLayout(List<Field> fields) {
        places = new int[fields.size()];
        presenceBits = new int[fields.size()];
        int optionals = 0;
        for (int i = 0; i < presenceBits.length; i++) {
            presenceBits[i] = fields.get(i).optional() ? optionals++ : -1;
        }
        presenceLength = (optionals + Byte.SIZE - 1) / Byte.SIZE;
        int offset = presenceLength;
        int variables = 0;
        for (int i = 0; i < places.length; i++) {
            Field.Type type = fields.get(i).type();
            places[i] = type.isVariableLength() ? variables++ : offset;
            offset += type.fixedLength();
        }
        variableOffset = offset;
        variableCount = variables;
    }

    /** The presence bit of a field, or -1 if it is required. */
    int presenceBit(int field) {
        return presenceBits[field];
    }

    /** Length of the presence bitmap. */
    int presenceLength() {
        return presenceLength;
    }

    /** Offset in the payload of a fixed-size field. */
    int fixedOffset(int field) {
        return places[field];
    }

    /** The ordinal of a field among the variable-length ones, from 0. */
    int variableOrdinal(int field) {
        return places[field];
    }

    /** Offset in the payload of the first variable-length field. */
    int variableOffset() {
        return variableOffset;
    }

    int variableCount() {
        return variableCount;
    }

    static int presenceOffset(int presenceBit) {
        return presenceBit / Byte.SIZE;
    }

    static int presenceMask(int presenceBit) {
        return 1 << presenceBit % Byte.SIZE;
    }

    /** The length in bytes of a length's stop-bit form. */
    static int lengthBytes(int length) {
        return Math.max(1, (Integer.SIZE - Integer.numberOfLeadingZeros(length) + LENGTH_BITS - 1) / LENGTH_BITS);
    }

    static byte lengthByte(int length, int index) {
        int rest = length >>> (index * LENGTH_BITS);
        return (byte) (rest < LENGTH_MORE ? rest : (rest & LENGTH_MASK) | LENGTH_MORE);
    }

    /**
     * Reads the stop-bit length at {@code offset}.
     *
     * @return the length, with the offset after it in the upper 32 bits; -1 if it is malformed or does not end before
     *     {@code end}
     */
    static long readLength(DirectBuffer buffer, int offset, int end) {
        long length = 0;
        for (int i = 0; i < LENGTH_BYTES_MAX && end - offset > i; i++) {
            byte b = buffer.getByte(offset + i);
            length |= (long) (b & LENGTH_MASK) << (i * LENGTH_BITS);
            if (b >= 0) {
                boolean shortest = b > 0 || i == 0;
                return shortest && length <= Integer.MAX_VALUE ? (long) (offset + i + 1) << 32 | length : -1;
            }
        }
        return -1;
    }
}
