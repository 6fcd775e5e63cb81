package dev.loom.index;

import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.value.BinScale;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/** Writes the bins of an index in a run of chunks, laid out as in {@link RunBinsDescriptor}. For one thread. */
public final class RunBinsWriter {
    private final BitWriter bits = new BitWriter();
    private final LongSum sum = new LongSum();

    private int keyShift;
    private int sumShift;
    private int sumLength;

    /** The most bytes that this many bins take without values. */
    static int lengthMax(int bins) {
        return RunBinsDescriptor.HEADER_LENGTH_MAX + bins * RunBinsDescriptor.BIN_LENGTH_MAX;
    }

    /**
     * Writes bins. Returns the offset after them.
     *
     * @param values those of some bins; null for none
     */
    int write(
            BinTable bins,
            @Nullable MergedValues values,
            BinScale scale,
            ValueType type,
            MutableDirectBuffer buffer,
            int offset) {
        boolean ofDoubles = type == ValueType.F64;
        keyShift = BinListWriter.keyShift(bins, ofDoubles);
        if (values != null) {
            keyShift = Math.min(keyShift, values.trailingZeros());
        }
        sumShift = ofDoubles ? BinListWriter.sumShift(bins, values) : 0;
        sumLength = 0;
        bits.wrap(buffer, offset);
        bits.put(keyShift | RunBinsDescriptor.FLAG, RunBinsDescriptor.KEY_SHIFT_BITS + RunBinsDescriptor.FLAG_BITS);
        bits.put(sumShift, ofDoubles ? RunBinsDescriptor.SUM_SHIFT_BITS : 0);
        bits.putNumber(bins.entryCount(), RunBinsDescriptor.COUNT_BITS);
        bits.put(values == null ? 0 : 1, 1);
        int before = -1;
        int countBits = 0;
        bins.rewind();
        while (bins.next()) {
            bits.putNumber(bins.bin() - before - 1L, 0);
            bits.putNumber(bins.count() - 1L, countBits);
            before = bins.bin();
            countBits = BitWriter.length(bins.count() - 1L);
            boolean equal = bins.minKey() == bins.maxKey();
            bits.put(equal ? 1 : 0, bins.count() > 1 ? 1 : 0);
            putKeys(bins, scale, equal);
            if (bins.count() > 2 && !equal) {
                putRest(bins, values, ofDoubles);
            }
        }
        return bits.finish();
    }

    private void putKeys(BinTable bins, BinScale scale, boolean equal) {
        int bin = bins.bin();
        long low = scale.lowKey(bin) >> keyShift;
        long high = scale.highKey(bin) >> keyShift;
        long min = bins.minKey() >> keyShift;
        long max = bins.maxKey() >> keyShift;
        int expected = RunBinsDescriptor.distanceBits(high - low, bins.count());
        bits.putNumber(bin == 0 ? high - max : min - low, expected);
        if (!equal) {
            bits.putNumber(bin == 0 || bin == scale.count() - 1 ? max - min : high - max, expected);
        }
    }

    /** Writes the values of the current bin, or their sum. */
    private void putRest(BinTable bins, @Nullable MergedValues values, boolean ofDoubles) {
        long[] of = null;
        if (values != null) {
            of = values.chosen(bins.bin());
            bits.put(of == null ? 0 : 1, 1);
        }
        long min = bins.minKey() >> keyShift;
        long range = (bins.maxKey() >> keyShift) - min;
        if (of != null) {
            int length = BitWriter.length(range);
            for (int i = 0; i < bins.count(); i++) {
                bits.put((of[i] >> keyShift) - min, length);
            }
        } else if (ofDoubles) {
            putDoubleSum(bins);
        } else {
            putKeySum(bins, range);
        }
    }

    private void putKeySum(BinTable bins, long range) {
        int count = bins.count();
        sum.clear();
        bins.addKeysTo(sum);
        sum.addProduct(bins.minKey(), 1L - count);
        sum.subtract(bins.maxKey() >> (Long.SIZE - 1), bins.maxKey());
        long low = keyShift == 0 ? sum.low() : (sum.low() >>> keyShift) | (sum.high() << (Long.SIZE - keyShift));
        if (RunBinsDescriptor.isNarrow(range, count)) {
            long off = low - RunBinsDescriptor.middle(range, count);
            bits.putNumber(BitWriter.zigZag(off), RunBinsDescriptor.sumBits(range, count));
        } else {
            bits.put(low, Long.SIZE);
            bits.put(sum.high() >>> keyShift, Long.SIZE);
        }
    }

    private void putDoubleSum(BinTable bins) {
        if (sumShift == Long.SIZE) {
            return;
        }
        double min = ValueType.doubleOf(bins.minKey());
        double max = ValueType.doubleOf(bins.maxKey());
        long middle = RunBinsDescriptor.middleBits(min, max, bins.count()) >>> sumShift;
        long off = BitWriter.zigZag((Double.doubleToRawLongBits(bins.doubleSum()) >>> sumShift) - middle);
        bits.putNumber(off, sumLength);
        sumLength = BitWriter.length(off);
    }
}
