package dev.loom.index;

import dev.loom.api.DoubleSum;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A cursor over the bins of an index in a chunk, as {@link BinListDescriptor} describes, in the order of the values. What can't
 * be has a {@link CorruptStoreException}; nothing outside the given bytes is read. Allocates nothing. For one thread.
 */
public final class BinListReader {
    private final BinScale scale;
    private final boolean ofDoubles;
    private final Varints bytes = new Varints(new UnsafeBuffer(new byte[0]));
    private final LongSum sumBits = new LongSum();

    private int keyShift;
    private int sumShift;
    private int bin;
    private int form;
    private int count;
    private long minKey;
    private long maxKey;
    private double doubleSum;

    public BinListReader(BinScale scale, ValueType type) {
        this.scale = scale;
        this.ofDoubles = type == ValueType.F64;
    }

    /** Moves before the first bin of those at {@code [offset, offset + length)}. */
    public void wrap(DirectBuffer buffer, int offset, int length) {
        bytes.wrap(buffer, offset, offset + length);
        bin = -1;
        keyShift = shift(Long.SIZE - 1);
        sumShift = ofDoubles ? shift(Long.SIZE) : 0;
    }

    private int shift(int max) {
        int shift = bytes.nextByte();
        if (shift < 0 || shift > max) {
            throw bytes.malformed("shift");
        }
        return shift;
    }

    /** Moves to the next bin; false behind the last. */
    public boolean next() {
        if (bytes.isAtEnd()) {
            return false;
        }
        long header = bytes.next();
        form = (int) header & BinListDescriptor.FORM_MASK;
        long skipped = header >>> BinListDescriptor.FORM_BITS;
        if (skipped >= scale.count() - bin - 1) {
            throw bytes.malformed("bin");
        }
        bin += (int) skipped + 1;
        count = switch (form) {
            case BinListDescriptor.ONE -> 1;
            case BinListDescriptor.TWO -> 2;
            case BinListDescriptor.EQUAL -> count(BinListDescriptor.EQUAL_COUNT_MIN);
            default -> count(BinListDescriptor.MORE_COUNT_MIN);
        };
        readKeys();
        if (form == BinListDescriptor.MORE) {
            readSum();
        }
        return true;
    }

    private int count(int min) {
        long above = bytes.next();
        if (Long.compareUnsigned(above, Integer.MAX_VALUE - min) > 0) {
            throw bytes.malformed("count");
        }
        return (int) above + min;
    }

    private void readKeys() {
        long low = scale.lowKey(bin) >> keyShift;
        long high = scale.highKey(bin) >> keyShift;
        long distance = bytes.next();
        long range = form == BinListDescriptor.TWO || form == BinListDescriptor.MORE ? bytes.next() : 0;
        long room = high - low; // unsigned
        if (low > high
                || Long.compareUnsigned(distance, room) > 0
                || Long.compareUnsigned(range, room - distance) > 0) {
            throw bytes.malformed("key");
        }
        minKey = (bin == 0 ? high - distance - range : low + distance) << keyShift;
        maxKey = (bin == 0 ? high - distance : low + distance + range) << keyShift;
        if (minKey < scale.lowKey(bin)) {
            throw bytes.malformed("key");
        }
    }

    private void readSum() {
        if (ofDoubles) {
            int length = BinListDescriptor.sumLength(sumShift);
            long bits = bytes.nextBytes(length);
            doubleSum = sumShift == Long.SIZE ? 0 : Double.longBitsToDouble(bits << sumShift);
            return;
        }
        long low = bytes.nextWide();
        long high = bytes.high();
        sumBits.clear();
        sumBits.add(keyShift == 0 ? high : (high << keyShift) | (low >>> (Long.SIZE - keyShift)), low << keyShift);
    }

    public int bin() {
        return bin;
    }

    /** Records whose value is in the bin; 1 or more. */
    public int count() {
        return count;
    }

    public long minKey() {
        return minKey;
    }

    public long maxKey() {
        return maxKey;
    }

    /** Whether {@link #minKey()} and {@link #maxKey()} are all the values that there are. */
    public boolean isComplete() {
        return form != BinListDescriptor.MORE;
    }

    /** Adds the keys of an index of integers: of unsigned ones 2^63 less than the value for each record. */
    public void addKeysTo(LongSum sum) {
        switch (form) {
            case BinListDescriptor.ONE, BinListDescriptor.EQUAL -> sum.addProduct(minKey, count);
            case BinListDescriptor.TWO -> {
                sum.add(minKey);
                sum.add(maxKey);
            }
            default -> {
                sum.addProduct(minKey, count - 1L);
                sum.add(maxKey);
                sum.add(sumBits);
            }
        }
    }

    /** Adds the values of an index of doubles. */
    public void addTo(DoubleSum sum) {
        switch (form) {
            case BinListDescriptor.ONE, BinListDescriptor.EQUAL -> sum.add(ValueType.doubleOf(minKey) * count);
            case BinListDescriptor.TWO -> {
                sum.add(ValueType.doubleOf(minKey));
                sum.add(ValueType.doubleOf(maxKey));
            }
            default -> sum.add(doubleSum);
        }
    }
}
