package dev.loom.index;

/**
 * Layout of the bins of one index in a run of chunks, in the order of the values. They are bits, each byte's lowest first, since a run is
 * read rarely and should take little beside its chunks.
 * <pre>
 *   key shift (6), 1 (1), 0 (1)   the shift as in {@link BinListDescriptor}; the 1 tells this layout from that one
 *   sum shift (7)                 of doubles alone: the trailing zero bits that the sums' bits have in common
 *   bins                          a number of about 6 bits
 *   values (1)                    whether some bins have their values
 *   per bin:
 *     bin - the bin before - 1    a number of about 0 bits, the bin before the first being -1
 *     records - 1                 a number of about as many bits as that of the bin before, of the first 0
 *     equal (1)                   of two or more records: whether they have one value
 *     distance                    from the bin's lowest key to the minimum
 *     distance                    unless they are equal: from the maximum to the bin's highest key
 *     of three or more records that are not equal:
 *       values (1)                whether their values follow, if some bins have them
 *       values                    how far each is above the minimum, in as many bits as the maximum is; in any order
 *       sum                       unless there are values
 * </pre>
 *
 * <p>A number begins with how far its length is from the expected one: 1 bit if it has as many bits, 3 if it has one more or less, 5 for up
 * to three, and so on; then come the bits below its highest one. Distances are expected to have one bit more than the bin's keys have, less
 * those of the records. The outer ends of the first and the last bin may be meaningless: there, one distance is from the inner end, and
 * the other from the minimum to the maximum.
 *
 * <p>Sum: for integers, how far the excess of the keys' sum over its least possible value, which it has when all but one are the minimum,
 * is from the middle of its possible values, even numbers for those above; it is expected to have the bits of the range and half those of
 * the records. If these together are more than {@value #NARROW_BITS}, it is the excess itself, in 128 bits. For doubles, how far the sum's
 * bits are from those of the records' number times the middle of minimum and maximum; expected is what the bin before had.
 */
public final class RunBinsDescriptor {
    /** In the first byte: the bins are laid out so. */
    public static final int FLAG = 0x40;

    public static final int KEY_SHIFT_BITS = 6;
    public static final int FLAG_BITS = 2;
    public static final int SUM_SHIFT_BITS = 7;
    public static final int COUNT_BITS = 6;

    /** The excess of a sum has no more bits than the range and the records together. */
    public static final int NARROW_BITS = 62;

    /** The most bytes before the first bin, and of a bin without values: 4 numbers of at most 79 bits, and a sum of 128 or 79. */
    static final int HEADER_LENGTH_MAX = 16;

    static final int BIN_LENGTH_MAX = 60;

    private RunBinsDescriptor() {}

    /** The bits that a distance from a bin's end is expected to have. */
    public static int distanceBits(long room, int count) {
        return Math.max(0, BitWriter.length(room) - BitWriter.length(count) + 1);
    }

    /** Whether the excess of a sum is sure to be of 62 bits. */
    public static boolean isNarrow(long range, int count) {
        return BitWriter.length(range) + BitWriter.length(count) <= NARROW_BITS;
    }

    /** The middle of the possible excess of a sum that is narrow. */
    public static long middle(long range, int count) {
        return ((count - 2L) * range) >>> 1;
    }

    /** The bits that the distance of a narrow sum from the middle is expected to have. */
    public static int sumBits(long range, int count) {
        return BitWriter.length(range) + (BitWriter.length(count) >>> 1);
    }

    /** What a sum of doubles would be about, as its bits. */
    public static long middleBits(double min, double max, int count) {
        return Double.doubleToLongBits((min / 2 + max / 2) * count);
    }
}
