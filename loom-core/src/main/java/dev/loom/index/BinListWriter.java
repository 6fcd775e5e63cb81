package dev.loom.index;

import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.value.BinScale;
import java.nio.ByteOrder;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/** Writes the bins of an index in a chunk, laid out as in {@link BinListDescriptor}. For one thread. */
public final class BinListWriter {
    private final LongSum sum = new LongSum();

    /** The most bytes that this many bins take, with as many values kept. */
    static int lengthMax(int bins, int values) {
        return BinListDescriptor.HEADER_LENGTH_MAX + bins * BinListDescriptor.BIN_LENGTH_MAX + values * Long.BYTES;
    }

    /**
     * Writes bins. Returns the offset after them.
     *
     * @param values those of the bins, in the order of the bins; null if they are not kept
     * @param valuesBegin where they begin in the array
     */
    int write(
            BinTable bins,
            long @Nullable [] values,
            int valuesBegin,
            BinScale scale,
            ValueType type,
            MutableDirectBuffer buffer,
            int offset) {
        boolean ofDoubles = type == ValueType.F64;
        int keyShift = values == null ? keyShift(bins, ofDoubles) : keyShift(bins, values, valuesBegin);
        int sumShift = ofDoubles && values == null ? sumShift(bins, null) : 0;
        int flag = values == null ? 0 : BinListDescriptor.VALUES_FLAG;
        int at = putHeader(keyShift | flag, ofDoubles, sumShift, buffer, offset);
        int next = valuesBegin;
        int before = -1;
        bins.rewind();
        while (bins.next()) {
            int form = form(bins);
            at = putBin(bins, before, form, scale, keyShift, buffer, at);
            if (form == BinListDescriptor.MORE && values != null) {
                at = putValues(bins, values, next, keyShift, buffer, at);
            } else if (form == BinListDescriptor.MORE) {
                at = ofDoubles ? putDoubleSum(bins, sumShift, buffer, at) : putKeySum(bins, keyShift, buffer, at);
            }
            before = bins.bin();
            next += bins.count();
        }
        return at;
    }

    private static int putHeader(
            int keyShiftAndFlags, boolean ofDoubles, int sumShift, MutableDirectBuffer buffer, int offset) {
        buffer.putByte(offset, (byte) keyShiftAndFlags);
        if (ofDoubles) {
            buffer.putByte(offset + 1, (byte) sumShift);
        }
        return offset + (ofDoubles ? 2 : 1);
    }

    /** Writes the current bin up to its sum or values. */
    private static int putBin(
            BinTable bins, int before, int form, BinScale scale, int keyShift, MutableDirectBuffer buffer, int offset) {
        long number = (long) (bins.bin() - before - 1) << BinListDescriptor.FORM_BITS;
        int at = Varints.put(buffer, offset, number | form);
        return putKeys(bins, scale, form, keyShift, buffer, at);
    }

    /** Writes the values of the current bin, which begin at {@code from}. */
    private static int putValues(
            BinTable bins, long[] values, int from, int keyShift, MutableDirectBuffer buffer, int offset) {
        long min = bins.minKey() >> keyShift;
        int bits = BinListDescriptor.valueBits((bins.maxKey() >> keyShift) - min);
        int end = offset + BinListDescriptor.valuesLength(bins.count(), bits);
        int at = offset;
        long word = 0;
        int filled = 0;
        for (int i = from, to = from + bins.count(); i < to; i++) {
            long value = (values[i] >> keyShift) - min;
            word |= value << filled;
            filled += bits;
            if (filled >= Long.SIZE) {
                buffer.putLong(at, word, ByteOrder.LITTLE_ENDIAN);
                at += Long.BYTES;
                filled -= Long.SIZE;
                word = filled == 0 ? 0 : value >>> (bits - filled);
            }
        }
        for (; at < end; at++, word >>>= Byte.SIZE) {
            buffer.putByte(at, (byte) word);
        }
        return end;
    }

    private static int form(BinTable bins) {
        if (bins.count() == 1) {
            return BinListDescriptor.ONE;
        }
        if (bins.minKey() == bins.maxKey()) {
            return BinListDescriptor.EQUAL;
        }
        return bins.count() == 2 ? BinListDescriptor.TWO : BinListDescriptor.MORE;
    }

    private static int putKeys(
            BinTable bins, BinScale scale, int form, int keyShift, MutableDirectBuffer buffer, int offset) {
        int at = offset;
        if (form == BinListDescriptor.EQUAL) {
            at = Varints.put(buffer, at, bins.count() - BinListDescriptor.EQUAL_COUNT_MIN);
        } else if (form >= BinListDescriptor.MORE) {
            at = Varints.put(buffer, at, bins.count() - BinListDescriptor.MORE_COUNT_MIN);
        }
        long min = bins.minKey() >> keyShift;
        long max = bins.maxKey() >> keyShift;
        int bin = bins.bin();
        at = Varints.put(
                buffer, at, bin == 0 ? (scale.highKey(0) >> keyShift) - max : min - (scale.lowKey(bin) >> keyShift));
        return form == BinListDescriptor.ONE || form == BinListDescriptor.EQUAL
                ? at
                : Varints.put(buffer, at, max - min);
    }

    private int putKeySum(BinTable bins, int keyShift, MutableDirectBuffer buffer, int offset) {
        sum.clear();
        bins.addKeysTo(sum);
        sum.addProduct(bins.minKey(), 1L - bins.count());
        sum.subtract(bins.maxKey() >> (Long.SIZE - 1), bins.maxKey());
        long low = keyShift == 0 ? sum.low() : (sum.low() >>> keyShift) | (sum.high() << (Long.SIZE - keyShift));
        return Varints.putWide(buffer, offset, sum.high() >>> keyShift, low);
    }

    private static int putDoubleSum(BinTable bins, int sumShift, MutableDirectBuffer buffer, int offset) {
        long bits = sumShift == Long.SIZE ? 0 : Double.doubleToRawLongBits(bins.doubleSum()) >>> sumShift;
        int length = BinListDescriptor.sumLength(sumShift);
        for (int i = 0; i < length; i++) {
            buffer.putByte(offset + i, (byte) (bits >>> (i * Byte.SIZE)));
        }
        return offset + length;
    }

    private static int keyShift(BinTable bins, long[] values, int begin) {
        long bits = 0;
        int count = 0;
        bins.rewind();
        while (bins.next()) {
            count += bins.count();
        }
        for (int i = begin; i < begin + count; i++) {
            bits |= values[i];
        }
        return Math.min(Long.SIZE - 1, Long.numberOfTrailingZeros(bits));
    }

    static int keyShift(BinTable bins, boolean ofDoubles) {
        long bits = 0;
        bins.rewind();
        while (bins.next()) {
            // integers between the two, of which only the sum is written, may have fewer trailing zeros
            bits |= bins.minKey() | bins.maxKey() | (ofDoubles ? 0 : bins.keySumLow());
        }
        return Math.min(Long.SIZE - 1, Long.numberOfTrailingZeros(bits));
    }

    /** @param values the bins with values have no sum; null for none */
    static int sumShift(BinTable bins, @Nullable MergedValues values) {
        long bits = 0;
        bins.rewind();
        while (bins.next()) {
            if (form(bins) == BinListDescriptor.MORE && (values == null || values.chosen(bins.bin()) == null)) {
                bits |= Double.doubleToRawLongBits(bins.doubleSum());
            }
        }
        return Long.numberOfTrailingZeros(bits);
    }
}
