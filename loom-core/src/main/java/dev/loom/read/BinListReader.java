package dev.loom.read;

import dev.loom.api.DoubleSum;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.index.BinListDescriptor;
import dev.loom.index.RunBinsDescriptor;
import dev.loom.index.Varints;
import dev.loom.value.BinScale;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A cursor over the bins of an index in a chunk, or in a run of chunks, in the order of the values.
 * Throws {@link CorruptStoreException} for impossible contents, and never reads outside the given bytes. Allocates
 * nothing. For one thread.
 */
public final class BinListReader {
    private final BinScale scale;
    private final ValueType type;
    private final boolean ofDoubles;
    private final Varints bytes = new Varints(new UnsafeBuffer(new byte[0]));
    private final LongSum sumBits = new LongSum();
    private final RunBinsReader run;

    /** Whether the bins are those of a run. */
    private boolean ofRun;

    private int keyShift;
    private int sumShift;
    private int begin;
    private int beforeBegin;
    private int bin;
    private int keysAt;
    private int lastBin;
    private int form;
    private int count;
    private long minKey;
    private long maxKey;
    private double doubleSum;

    /** The form of bins of several values that have them all; -1 if there are none. */
    private int formWithValues;

    /** Where the current bin's values begin, and the bits of each. */
    private int valuesAt;

    private int valueBits;
    private long valueMax;

    public BinListReader(BinScale scale, ValueType type) {
        this.scale = scale;
        this.type = type;
        this.ofDoubles = type == ValueType.F64;
        this.run = new RunBinsReader(scale, type);
    }

    /** Moves before the first bin of those at {@code [offset, offset + length)}. */
    public void wrap(DirectBuffer buffer, int offset, int length) {
        bytes.wrap(buffer, offset, offset + length);
        int header = bytes.nextByte();
        boolean values = (header & BinListDescriptor.VALUES_FLAG) != 0;
        lastBin = scale.count() - 1;
        ofRun = (header & RunBinsDescriptor.FLAG) != 0;
        if (ofRun) {
            if (values) {
                throw bytes.malformed("values");
            }
            run.wrap(buffer, offset, offset + length);
            return;
        }
        formWithValues = values ? BinListDescriptor.MORE : -1;
        keyShift = header & BinListDescriptor.KEY_SHIFT_MASK;
        sumShift = ofDoubles ? sumShift() : 0;
        mark(-1);
    }

    private void mark(int binBefore) {
        bin = binBefore;
        begin = bytes.position();
        beforeBegin = binBefore;
    }

    /** Moves before the first bin within the limits. */
    public void rewind() {
        run.rewind();
        bytes.position(begin);
        bin = beforeBegin;
    }

    /**
     * Limits the bins to those from one key's to another's, whether or not values have these keys, and moves before the
     * first of them. Call before the first bin.
     *
     * @return the number of records with values in the bins below
     */
    public long limit(long lowKey, long highKey) {
        lastBin = scale.bin(Math.min(highKey, type.highestKey()));
        int firstBin = scale.bin(Math.max(lowKey, type.lowestKey()));
        long below = 0;
        while (ofRun && run.next() && run.bin() < firstBin) {
            below += run.count();
            run.mark();
        }
        while (!ofRun && !bytes.isAtEnd()) {
            nextBin();
            if (bin >= firstBin) {
                break;
            }
            below += count;
            skipKeys();
            mark(bin);
        }
        rewind();
        return below;
    }

    private int sumShift() {
        int shift = bytes.nextByte();
        if (shift < 0 || shift > Long.SIZE) {
            throw bytes.malformed("shift");
        }
        return shift;
    }

    /** Moves to the next bin; false after the last. */
    public boolean next() {
        if (ofRun) {
            return nextOfRun();
        }
        if (!enterNext()) {
            return false;
        }
        readRest();
        return true;
    }

    private void readRest() {
        readKeys();
        if (form == BinListDescriptor.MORE && form != formWithValues) {
            readSum();
        }
    }

    /** Moves to the next bin, but reads only {@link #bin()} and {@link #count()}; false after the last. */
    public boolean nextCount() {
        if (ofRun) {
            return nextOfRun();
        }
        if (!enterNext()) {
            return false;
        }
        keysAt = bytes.position();
        skipKeys();
        return true;
    }

    /** Reads all of a bin that {@link #nextCount} moved to. */
    public void read() {
        if (!ofRun) {
            bytes.position(keysAt);
            readRest();
        }
    }

    private boolean nextOfRun() {
        if (!run.next()) {
            return false;
        }
        if (run.bin() > lastBin) {
            run.toEnd();
            return false;
        }
        bin = run.bin();
        form = run.form();
        formWithValues = run.hasValues() ? form : -1;
        count = run.count();
        minKey = run.minKey();
        maxKey = run.maxKey();
        doubleSum = run.doubleSum();
        sumBits.clear();
        sumBits.add(run.sumExcess());
        return true;
    }

    private boolean enterNext() {
        if (bytes.isAtEnd()) {
            return false;
        }
        nextBin();
        if (bin > lastBin) {
            bytes.toEnd();
            return false;
        }
        return true;
    }

    private void skipKeys() {
        if (form == formWithValues) {
            bytes.skip(1);
            enterValues(bytes.next());
            return;
        }
        bytes.skip(BinListDescriptor.numbers(form, ofDoubles));
        if (form == BinListDescriptor.MORE && ofDoubles) {
            bytes.skipBytes(BinListDescriptor.sumLength(sumShift));
        }
    }

    /** Notes where the values are that the bytes stand at, and passes over them. */
    private void enterValues(long range) {
        valuesAt = bytes.position();
        valueMax = range;
        valueBits = BinListDescriptor.valueBits(range);
        bytes.skipBytes(BinListDescriptor.valuesLength(count, valueBits));
    }

    /** Reads the next bin's number and count. */
    private void nextBin() {
        long header = bytes.next();
        form = (int) header & ((1 << BinListDescriptor.FORM_BITS) - 1);
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
        long range = form == BinListDescriptor.ONE || form == BinListDescriptor.EQUAL ? 0 : bytes.next();
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
        if (form == formWithValues) {
            enterValues(range);
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
        // the excess of the third of three over the least
        if (count == BinListDescriptor.MORE_COUNT_MIN
                && (sumBits.high() != 0 || Long.compareUnsigned(sumBits.low(), maxKey - minKey) > 0)) {
            throw bytes.malformed("sum");
        }
    }

    /** The scale that numbers {@link #bin()}. */
    public BinScale scale() {
        return scale;
    }

    public int bin() {
        return bin;
    }

    /** The number of records with values in the bin; 1 or more. */
    public int count() {
        return count;
    }

    public long minKey() {
        return minKey;
    }

    public long maxKey() {
        return maxKey;
    }

    /**
     * Whether the bin determines all its values, available as {@link #key}: if it has them, or they are two at most; for three integers,
     * the sum gives the middle one.
     */
    public boolean isComplete() {
        return form == formWithValues
                || form != BinListDescriptor.MORE
                || (count == BinListDescriptor.MORE_COUNT_MIN && !ofDoubles);
    }

    /** The key of a complete bin's i-th value, from 0; in any order. */
    public long key(int i) {
        if (form == formWithValues && ofRun) {
            return run.value(i);
        }
        if (form == formWithValues) {
            // never beyond the bin, whatever the bits say
            long above = bytes.bits(valuesAt, (long) i * valueBits, valueBits);
            return minKey + ((Long.compareUnsigned(above, valueMax) > 0 ? valueMax : above) << keyShift);
        }
        return i == 0 || form == BinListDescriptor.EQUAL ? minKey : i == count - 1 ? maxKey : minKey + sumBits.low();
    }

    /** Adds the keys of an index of integers; for unsigned ones, a key is the value minus 2^63. */
    public void addKeysTo(LongSum sum) {
        if (form == formWithValues) {
            for (int i = 0; i < count; i++) {
                sum.add(key(i));
            }
            return;
        }
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
        if (form == formWithValues) {
            for (int i = 0; i < count; i++) {
                sum.add(ValueType.doubleOf(key(i)));
            }
            return;
        }
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
