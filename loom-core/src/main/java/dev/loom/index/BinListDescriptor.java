package dev.loom.index;

/**
 * Layout of the bins of one index in one chunk, in the order of the values. The count decides the form: with one record
 * the bin gives the value, with two both values, and only with three or more is anything else needed (for three
 * integers, the sum gives the middle one).
 * <pre>
 *   key shift (1)      bit 7: values are kept; bit 6: 0; bits 0-5: trailing zero bits that all keys, of integers their sums too, have in common and are coded without
 *   sum shift (1)      of doubles alone: the same of the sums' bits
 *   per bin, as varints:
 *     (bin - the bin before - 1) * 4 + form, the bin before the first being -1
 *     form 0, one record:     distance
 *     form 1, two:            distance, range
 *     form 2, more, all of one value: records - 2, distance
 *     form 3, more:           records - 3, distance, range, sum; with bit 7: records - 3, distance, range, values
 * </pre>
 *
 * <p>Distance: from the bin's lowest key to the minimum; in bin 0, whose lower end may be meaningless, from the maximum
 * to the bin's highest key. Range: from the minimum to the maximum. Sum: for integers, the excess of the keys' sum over
 * its least possible value, which it has when all but one are the minimum (up to 128 bits, without the shift's); for
 * doubles, the sum's bits, lowest byte first, without the shift's bits and the bytes that those remove. Values: how far each is above
 * the minimum, in as many bits as the range has, lowest first, and zero bits up to a whole byte; in any order.
 */
public final class BinListDescriptor {
    public static final int ONE = 0;
    public static final int TWO = 1;
    public static final int EQUAL = 2;
    public static final int MORE = 3;

    /** The bits of a form. */
    public static final int FORM_BITS = 2;

    /** The smallest counts of the forms that store a count. */
    public static final int EQUAL_COUNT_MIN = 2;

    public static final int MORE_COUNT_MIN = 3;

    /** In the byte of the key shift: bins of form 3 have their values instead of the sum. */
    public static final int VALUES_FLAG = 0x80;

    public static final int KEY_SHIFT_MASK = 0x3F;

    static final int HEADER_LENGTH_MAX = 2;

    /** The most bytes of a bin: its number, records, distance, range, sum. */
    static final int BIN_LENGTH_MAX = 5 + 5 + 2 * Varints.LENGTH_MAX + Varints.WIDE_LENGTH_MAX;

    private BinListDescriptor() {}

    /** The number of varints for a bin's keys and sum. */
    public static int numbers(int form, boolean ofDoubles) {
        return switch (form) {
            case ONE, EQUAL -> 1;
            case TWO -> 2;
            default -> ofDoubles ? 2 : 3;
        };
    }

    /** The bits of each value of a bin. */
    public static int valueBits(long range) {
        return Long.SIZE - Long.numberOfLeadingZeros(range);
    }

    /** The bytes of the values of a bin; more than any list has if they are more than an int can say. */
    public static int valuesLength(int count, int valueBits) {
        return (int) Math.min(Integer.MAX_VALUE, ((long) count * valueBits + Byte.SIZE - 1) / Byte.SIZE);
    }

    /** The bytes of the bits of a sum of doubles without trailing zeros. */
    public static int sumLength(int sumShift) {
        return (Long.SIZE - sumShift + Byte.SIZE - 1) / Byte.SIZE;
    }
}
