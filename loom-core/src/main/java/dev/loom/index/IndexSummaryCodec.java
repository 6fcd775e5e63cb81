package dev.loom.index;

import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Writes and reads an index's part of a chunk's directory. Each field takes as many bytes as it needs, lowest first. So
 * a summary is read in one go, and that of another index is skipped without reading it. Eight bytes before it are
 * readable, as in a directory.
 * <pre>
 *   lengths (3 bytes), bits 0-1: of the index's id, less 1; 2-4: of the count; 5-8: of the minimum; 9-12: of the maximum;
 *                      13-17: of the sum; 18-21: of the bins' address; 22-23: 0
 *   index id
 *   count              records that have a value; without one the next three are 0
 *   minimum            an integer's key, with the sign as lowest bit; a double's bits, the highest byte first
 *   maximum            of integers less the minimum, of doubles as the minimum
 *   sum                of integers how much the keys' sum is above count * minimum, up to 128 bits; of doubles as the minimum
 *   bins' address      less that of the bins listed before in the directory, if there are any; 0 for no bins
 * </pre>
 */
public final class IndexSummaryCodec {
    /** The most bytes of a summary. */
    public static final int LENGTH_MAX = 3 + 4 + 4 + 8 + 8 + 16 + 8;

    private static final int LENGTHS_LENGTH = 3;
    private static final int COUNT_SHIFT = 2;
    private static final int MIN_SHIFT = COUNT_SHIFT + 3;
    private static final int MAX_SHIFT = MIN_SHIFT + 4;
    private static final int SUM_SHIFT = MAX_SHIFT + 4;
    private static final int ADDRESS_SHIFT = SUM_SHIFT + 5;
    private static final int END_SHIFT = ADDRESS_SHIFT + 4;

    private IndexSummaryCodec() {}

    /**
     * Writes a summary of one chunk.
     *
     * @param previousBins the address of the previous bins in the same directory, 0 for none
     * @return the offset after it
     */
    public static int write(
            IndexSummary summary, ValueType type, long previousBins, MutableDirectBuffer buffer, int offset) {
        long min = 0;
        long max = 0;
        long sumHigh = 0;
        long sumLow = 0;
        if (summary.count() > 0 && type == ValueType.F64) {
            min = Long.reverseBytes(ValueType.F64.bits(summary.minKey()));
            max = Long.reverseBytes(ValueType.F64.bits(summary.maxKey()));
            sumLow = Long.reverseBytes(
                    Double.doubleToRawLongBits(summary.doubleSum().value()));
        } else if (summary.count() > 0) {
            min = (summary.minKey() << 1) ^ (summary.minKey() >> (Long.SIZE - 1));
            max = summary.maxKey() - summary.minKey();
            summary.keySum().addProduct(summary.minKey(), -summary.count());
            sumHigh = summary.keySum().high();
            sumLow = summary.keySum().low();
            summary.keySum().addProduct(summary.minKey(), summary.count());
        }
        long address = summary.binsAddress() == IndexSummary.NO_BINS ? 0 : summary.binsAddress() - previousBins;
        int sumLength = sumHigh == 0 ? length(sumLow) : Long.BYTES + length(sumHigh);
        int idLength = Math.max(1, length(summary.indexId()));
        int lengths = (idLength - 1)
                | length(summary.count()) << COUNT_SHIFT
                | length(min) << MIN_SHIFT
                | length(max) << MAX_SHIFT
                | sumLength << SUM_SHIFT
                | length(address) << ADDRESS_SHIFT;
        int at = put(buffer, offset, lengths, LENGTHS_LENGTH);
        at = put(buffer, at, summary.indexId(), idLength);
        at = put(buffer, at, summary.count(), length(summary.count()));
        at = put(buffer, at, min, length(min));
        at = put(buffer, at, max, length(max));
        at = put(buffer, at, sumLow, Math.min(Long.BYTES, sumLength));
        at = put(buffer, at, sumHigh, Math.max(0, sumLength - Long.BYTES));
        return put(buffer, at, address, length(address));
    }

    /** The length of a number in bytes; 0 for 0. */
    private static int length(long value) {
        return (Long.SIZE + Byte.SIZE - 1 - Long.numberOfLeadingZeros(value)) / Byte.SIZE;
    }

    private static int put(MutableDirectBuffer buffer, int offset, long value, int length) {
        for (int i = 0; i < length; i++) {
            buffer.putByte(offset + i, (byte) (value >>> (i * Byte.SIZE)));
        }
        return offset + length;
    }

    /**
     * The field lengths of a summary, for the methods that read it.
     *
     * @throws CorruptStoreException for lengths that are impossible, or reach beyond the limit
     */
    public static int lengths(DirectBuffer buffer, int offset, int limit) {
        int lengths = (int) get(buffer, offset, limit, LENGTHS_LENGTH);
        if (lengths >>> END_SHIFT != 0
                || countLength(lengths) > Integer.BYTES
                || minLength(lengths) > Long.BYTES
                || maxLength(lengths) > Long.BYTES
                || sumLength(lengths) > 2 * Long.BYTES
                || addressLength(lengths) > Long.BYTES) {
            throw malformed("length", offset, limit);
        }
        if (summaryLength(lengths) > limit - offset) {
            throw malformed("ends early", offset, limit);
        }
        return lengths;
    }

    /** The length of a summary in bytes. */
    public static int summaryLength(int lengths) {
        return LENGTHS_LENGTH
                + idLength(lengths)
                + countLength(lengths)
                + minLength(lengths)
                + maxLength(lengths)
                + sumLength(lengths)
                + addressLength(lengths);
    }

    /** The id of a summary's index. */
    public static int indexId(DirectBuffer buffer, int offset, int limit, int lengths) {
        return (int) get(buffer, offset + LENGTHS_LENGTH, limit, idLength(lengths));
    }

    /** The distance of a summary's bins from the previous ones; 0 if it has none. */
    public static long binsDistance(DirectBuffer buffer, int offset, int limit, int lengths) {
        int length = addressLength(lengths);
        return get(buffer, offset + summaryLength(lengths) - length, limit, length);
    }

    /**
     * Reads a summary of one chunk.
     *
     * @param lengths its {@link #lengths}
     * @param previousBins as in {@link #write}
     * @throws CorruptStoreException for an impossible summary; never reads beyond the limit
     */
    public static void read(
            DirectBuffer buffer,
            int offset,
            int limit,
            int lengths,
            ValueType type,
            long previousBins,
            IndexSummary into) {
        int at = offset + LENGTHS_LENGTH;
        into.clear((int) get(buffer, at, limit, idLength(lengths)));
        at += idLength(lengths);
        long count = get(buffer, at, limit, countLength(lengths));
        at += countLength(lengths);
        long min = get(buffer, at, limit, minLength(lengths));
        at += minLength(lengths);
        long max = get(buffer, at, limit, maxLength(lengths));
        at += maxLength(lengths);
        long sumLow = get(buffer, at, limit, Math.min(Long.BYTES, sumLength(lengths)));
        at += Math.min(Long.BYTES, sumLength(lengths));
        long sumHigh = get(buffer, at, limit, Math.max(0, sumLength(lengths) - Long.BYTES));
        at += Math.max(0, sumLength(lengths) - Long.BYTES);
        long address = get(buffer, at, limit, addressLength(lengths));
        if (count > 0) {
            if (type == ValueType.F64) {
                setDoubles(count, Long.reverseBytes(min), Long.reverseBytes(max), Long.reverseBytes(sumLow), into);
            } else {
                long minKey = (min >>> 1) ^ -(min & 1);
                into.setRange(count, minKey, minKey + max);
                into.keySum().addProduct(minKey, count);
                into.keySum().add(sumHigh, sumLow);
            }
            boolean ordered = into.minKey() <= into.maxKey()
                    && into.minKey() >= type.lowestKey()
                    && into.maxKey() <= type.highestKey();
            if (!ordered) {
                throw malformed("range", offset, limit);
            }
        }
        into.binsAddress(address == 0 ? IndexSummary.NO_BINS : previousBins + address);
    }

    /**
     * Checks that each field is as short as its value allows, so that one summary has one form. Reading does not need it.
     *
     * @throws CorruptStoreException when a field is longer
     */
    public static void checkForm(DirectBuffer buffer, int offset, int limit, int lengths) {
        int at = checkField(buffer, offset + LENGTHS_LENGTH, limit, idLength(lengths), 1);
        at = checkField(buffer, at, limit, countLength(lengths), 0);
        at = checkField(buffer, at, limit, minLength(lengths), 0);
        at = checkField(buffer, at, limit, maxLength(lengths), 0);
        at = checkField(buffer, at, limit, sumLength(lengths), 0);
        checkField(buffer, at, limit, addressLength(lengths), 0);
    }

    private static int checkField(DirectBuffer buffer, int at, int limit, int length, int shortest) {
        if (length > shortest && buffer.getByte(at + length - 1) == 0) {
            throw malformed("longer than its value", at, limit);
        }
        return at + length;
    }

    private static void setDoubles(long count, long minBits, long maxBits, long sumBits, IndexSummary into) {
        into.setRange(count, ValueType.F64.key(minBits), ValueType.F64.key(maxBits));
        into.doubleSum().add(Double.longBitsToDouble(sumBits));
    }

    private static int idLength(int lengths) {
        return (lengths & 3) + 1;
    }

    private static int countLength(int lengths) {
        return (lengths >>> COUNT_SHIFT) & 7;
    }

    private static int minLength(int lengths) {
        return (lengths >>> MIN_SHIFT) & 15;
    }

    private static int maxLength(int lengths) {
        return (lengths >>> MAX_SHIFT) & 15;
    }

    private static int sumLength(int lengths) {
        return (lengths >>> SUM_SHIFT) & 31;
    }

    private static int addressLength(int lengths) {
        return (lengths >>> ADDRESS_SHIFT) & 15;
    }

    /** Reads a number of {@code length} bytes in one step; near the limit, from the eight bytes that end there. */
    private static long get(DirectBuffer buffer, int at, int limit, int length) {
        if (length > limit - at) {
            throw malformed("ends early", at, limit);
        }
        if (length == 0) {
            return 0;
        }
        int before = Math.max(0, at + Long.BYTES - limit);
        long bytes = buffer.getLong(at - before, ByteOrder.LITTLE_ENDIAN) >>> (before * Byte.SIZE);
        return bytes & (-1L >>> (Long.SIZE - length * Byte.SIZE));
    }

    private static CorruptStoreException malformed(String reason, int offset, int limit) {
        return new CorruptStoreException(
                "index summary is malformed: reason=" + reason + ", offset=" + offset + ", end=" + limit);
    }
}
