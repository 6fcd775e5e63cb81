package dev.loom.read;

import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.index.BinListDescriptor;
import dev.loom.index.BitReader;
import dev.loom.index.BitWriter;
import dev.loom.index.RunBinsDescriptor;
import dev.loom.value.BinScale;
import org.agrona.DirectBuffer;

/**
 * A cursor over the bins of an index in a run of chunks, laid out as in {@link RunBinsDescriptor}, for {@link BinListReader}. Throws
 * {@link dev.loom.error.CorruptStoreException} for impossible contents. Allocates nothing. For one thread.
 */
final class RunBinsReader {
    private final BinScale scale;
    private final boolean ofDoubles;
    private final BitReader bits = new BitReader();

    private int keyShift;
    private int sumShift;
    private boolean someValues;
    /** Where the cursor stands between two bins, which decides what the next is coded by. */
    private final Place next = new Place();

    private final Place marked = new Place();
    private int count;
    private long minKey;
    private long maxKey;
    private boolean valued;
    private long valuesAt;
    private int valueBits;
    private final LongSum sumExcess = new LongSum();
    private double doubleSum;

    /** Between two bins. */
    private static final class Place {
        private long position;
        private int left;
        private int bin;
        private int countBits;
        private int sumLength;

        void set(Place from) {
            position = from.position;
            left = from.left;
            bin = from.bin;
            countBits = from.countBits;
            sumLength = from.sumLength;
        }
    }

    RunBinsReader(BinScale scale, ValueType type) {
        this.scale = scale;
        this.ofDoubles = type == ValueType.F64;
    }

    /** Moves before the first bin of those at {@code [from, to)}. */
    void wrap(DirectBuffer buffer, int from, int to) {
        bits.wrap(buffer, from, to);
        keyShift = (int) bits.next(RunBinsDescriptor.KEY_SHIFT_BITS);
        bits.next(RunBinsDescriptor.FLAG_BITS);
        sumShift = ofDoubles ? (int) bits.next(RunBinsDescriptor.SUM_SHIFT_BITS) : 0;
        if (sumShift > Long.SIZE) {
            throw bits.malformed("shift");
        }
        long bins = bits.nextNumber(RunBinsDescriptor.COUNT_BITS);
        if (bins < 0 || bins > scale.count()) {
            throw bits.malformed("bins");
        }
        someValues = bits.next(1) != 0;
        next.position = bits.position();
        next.left = (int) bins;
        next.bin = -1;
        next.countBits = 0;
        next.sumLength = 0;
        mark();
    }

    /** Notes where {@link #rewind} returns to. */
    void mark() {
        marked.set(next);
    }

    void rewind() {
        next.set(marked);
    }

    /** Moves behind the last bin. */
    void toEnd() {
        next.left = 0;
    }

    /** Moves to the next bin, and reads all of it; false after the last. */
    boolean next() {
        if (next.left == 0) {
            return false;
        }
        bits.position(next.position);
        long skipped = bits.nextNumber(0);
        if (skipped < 0 || skipped >= scale.count() - next.bin - 1) {
            throw bits.malformed("bin");
        }
        int bin = next.bin + (int) skipped + 1;
        long others = bits.nextNumber(next.countBits);
        if (others < 0 || others >= Integer.MAX_VALUE) {
            throw bits.malformed("count");
        }
        count = (int) others + 1;
        boolean equal = count == 1 || bits.next(1) != 0;
        readKeys(bin, equal);
        valued = false;
        if (count > 2 && !equal) {
            valued = someValues && bits.next(1) != 0;
            if (valued) {
                valueBits = BitWriter.length((maxKey - minKey) >>> keyShift);
                valuesAt = bits.position();
                bits.skip((long) count * valueBits);
            } else if (ofDoubles) {
                readDoubleSum();
            } else {
                readKeySum();
            }
        }
        next.bin = bin;
        next.countBits = BitWriter.length(others);
        next.position = bits.position();
        next.left--;
        return true;
    }

    private void readKeys(int bin, boolean equal) {
        long low = scale.lowKey(bin) >> keyShift;
        long high = scale.highKey(bin) >> keyShift;
        long room = high - low; // unsigned
        int expected = RunBinsDescriptor.distanceBits(room, count);
        long first = bits.nextNumber(expected);
        long second = equal ? 0 : bits.nextNumber(expected);
        if (low > high || Long.compareUnsigned(first, room) > 0 || Long.compareUnsigned(second, room - first) > 0) {
            throw bits.malformed("key");
        }
        boolean outer = bin == 0 || bin == scale.count() - 1;
        long range = equal ? 0 : outer ? second : room - first - second;
        minKey = (bin == 0 ? high - first - range : low + first) << keyShift;
        maxKey = (bin == 0 ? high - first : low + first + range) << keyShift;
        if (minKey < scale.lowKey(bin) || equal != (range == 0)) {
            throw bits.malformed("key");
        }
    }

    private void readKeySum() {
        long range = (maxKey - minKey) >>> keyShift;
        sumExcess.clear();
        if (RunBinsDescriptor.isNarrow(range, count)) {
            long off = BitReader.signed(bits.nextNumber(RunBinsDescriptor.sumBits(range, count)));
            long excess = RunBinsDescriptor.middle(range, count) + off;
            if (excess < 0 || excess > (count - 2L) * range) {
                throw bits.malformed("sum");
            }
            sumExcess.add(keyShift == 0 ? 0 : excess >>> (Long.SIZE - keyShift), excess << keyShift);
            return;
        }
        long low = bits.next(Long.SIZE);
        long high = bits.next(Long.SIZE);
        sumExcess.add(keyShift == 0 ? high : (high << keyShift) | (low >>> (Long.SIZE - keyShift)), low << keyShift);
        // the excess of the third of three over the least
        if (count == 3 && (sumExcess.high() != 0 || Long.compareUnsigned(sumExcess.low(), maxKey - minKey) > 0)) {
            throw bits.malformed("sum");
        }
    }

    private void readDoubleSum() {
        if (sumShift == Long.SIZE) {
            doubleSum = 0;
            return;
        }
        long off = bits.nextNumber(next.sumLength);
        next.sumLength = BitWriter.length(off);
        double min = ValueType.doubleOf(minKey);
        double max = ValueType.doubleOf(maxKey);
        long middle = RunBinsDescriptor.middleBits(min, max, count) >>> sumShift;
        doubleSum = Double.longBitsToDouble((middle + BitReader.signed(off)) << sumShift);
    }

    int bin() {
        return next.bin;
    }

    /** As {@link BinListDescriptor} says, whether or not the bin has its values. */
    int form() {
        return count == 1
                ? BinListDescriptor.ONE
                : minKey == maxKey
                        ? BinListDescriptor.EQUAL
                        : count == 2 ? BinListDescriptor.TWO : BinListDescriptor.MORE;
    }

    int count() {
        return count;
    }

    long minKey() {
        return minKey;
    }

    long maxKey() {
        return maxKey;
    }

    /** Whether the bin has its values. */
    boolean hasValues() {
        return valued;
    }

    /** The key of the i-th value of a bin that has them; never beyond the bin, whatever the bits say. */
    long value(int i) {
        long above = bits.bits(valuesAt + (long) i * valueBits, valueBits);
        long key = minKey + (above << keyShift);
        return Long.compareUnsigned(key - minKey, maxKey - minKey) > 0 ? maxKey : key;
    }

    /** What a bin's keys sum up to, beyond the minimum for all but one, and the maximum; of three or more that differ, without values. */
    LongSum sumExcess() {
        return sumExcess;
    }

    /** The sum of doubles of such a bin. */
    double doubleSum() {
        return doubleSum;
    }
}
