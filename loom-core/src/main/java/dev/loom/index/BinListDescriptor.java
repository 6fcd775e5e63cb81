package dev.loom.index;

/**
 * Layout of the bins of one index in one chunk, in the order of the values, coded by count: of one record the bin gives the
 * value away, of two both, only of three or more there is more to say (of three integers, the sum tells the one between).
 *
 * <pre>
 *   key shift (1)      trailing zero bits that all keys, of integers their sums too, have in common and are coded without
 *   sum shift (1)      of doubles alone: the same of the sums' bits
 *   per bin, as varints:
 *     (bin - the bin before - 1) * 4 + form, the bin before the first being -1
 *     form 0, one record:     distance
 *     form 1, two:            distance, range
 *     form 2, more, all of one value: records - 2, distance
 *     form 3, more:           records - 3, distance, range, sum
 * </pre>
 *
 * <p>Distance: of the minimum from the bin's lowest key; in bin 0, which may have no lower end worth the name, of the
 * bin's highest key from the maximum. Range: of the maximum from the minimum. Sum: of integers how much the keys' sum is above
 * its least, when all but one are the minimum (up to 128 bits, without the shift's); of doubles the sum's bits, the lowest
 * byte first, without the shift's and what bytes those leave.
 */
final class BinListDescriptor {
    static final int ONE = 0;
    static final int TWO = 1;
    static final int EQUAL = 2;
    static final int MORE = 3;

    static final int FORM_BITS = 2;
    static final int FORM_MASK = (1 << FORM_BITS) - 1;

    /** The counts from which on the forms' counts are told. */
    static final int EQUAL_COUNT_MIN = 2;

    static final int MORE_COUNT_MIN = 3;

    static final int HEADER_LENGTH_MAX = 2;

    /** The most bytes that a bin takes: its number, records, distance, range, sum. */
    static final int BIN_LENGTH_MAX = 5 + 5 + 2 * Varints.LENGTH_MAX + Varints.WIDE_LENGTH_MAX;

    private BinListDescriptor() {}

    /** How many varints a bin's keys and sum are. */
    static int numbers(int form, boolean ofDoubles) {
        return switch (form) {
            case ONE, EQUAL -> 1;
            case TWO -> 2;
            default -> ofDoubles ? 2 : 3;
        };
    }

    /** How many bytes the bits of a double's sum take without the trailing zeroes. */
    static int sumLength(int sumShift) {
        return (Long.SIZE - sumShift + Byte.SIZE - 1) / Byte.SIZE;
    }
}
