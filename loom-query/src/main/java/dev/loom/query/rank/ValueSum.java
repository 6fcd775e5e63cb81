package dev.loom.query.rank;

import dev.loom.api.DoubleSum;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.read.ChunkSummary;
import java.math.BigDecimal;
import java.math.MathContext;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The sum of values of one function: of integers exact, of doubles compensated, and of a function that keeps integers exact as
 * {@link NumberSum} says. For one thread.
 */
public final class ValueSum {
    /** Bytes that {@link #store} takes. */
    public static final int STORED_LENGTH = NumberSum.STORED_LENGTH;

    private final ValueType type;
    private final boolean exact;
    /** The sum of integers is in its whole part, that of doubles in the other one. */
    private final NumberSum numbers = new NumberSum();

    private final DoubleSum ofChunk = new DoubleSum();

    /** @param exact see {@link dev.loom.api.IndexFunction#isExact} */
    public ValueSum(ValueType type, boolean exact) {
        this.type = type;
        this.exact = exact;
    }

    NumberSum numbers() {
        return numbers;
    }

    /** Adds a value: that of its key plus a {@link dev.loom.value.KeyReader#remainder()}. */
    public void add(long key, int remainder) {
        if (exact) {
            numbers.add(ValueType.doubleOf(key), remainder);
            return;
        }
        switch (type) {
            case I64 -> numbers.whole().add(key);
            case U64 -> numbers.whole().addUnsigned(type.bits(key));
            case F64 -> numbers.others().add(ValueType.doubleOf(key));
        }
    }

    /** Whether the sum that an index has of a chunk is as good as that of the values. */
    public boolean takes(ChunkSummary totals) {
        return !exact || NumberSum.isExact(totals);
    }

    /** Adds all values of a chunk. */
    public void add(ChunkSummary totals) {
        if (totals.count() == 0) {
            return;
        } else if (exact) {
            ofChunk.clear();
            totals.addTo(ofChunk);
            numbers.addSum(ofChunk.value(), ValueType.doubleOf(totals.minKey()), ValueType.doubleOf(totals.maxKey()));
        } else if (type == ValueType.F64) {
            totals.addTo(numbers.others());
        } else {
            totals.addTo(numbers.whole());
        }
    }

    /** Adds another sum. */
    public void add(ValueSum other) {
        numbers.add(other.numbers);
    }

    /** Stores the sum, in {@link #STORED_LENGTH} bytes. */
    public void store(MutableDirectBuffer into, int offset) {
        numbers.store(into, offset);
    }

    /** Continues a sum that was stored; zeros are the sum of no values. */
    public void load(DirectBuffer from, int offset) {
        numbers.load(from, offset);
    }

    /**
     * Adds a value to a sum that was stored, as {@link #add(long, int)} does.
     *
     * @param type whose integers are not kept exact otherwise
     */
    public static void addStored(MutableDirectBuffer sum, int offset, ValueType type, long key) {
        switch (type) {
            case I64 -> NumberSum.addStored(sum, offset, key >> (Long.SIZE - 1), key);
            case U64 -> NumberSum.addStored(sum, offset, 0, type.bits(key));
            case F64 -> NumberSum.addStored(sum, offset, ValueType.doubleOf(key));
        }
    }

    /** Integers in full, doubles as {@link Double#toString} prints them. */
    public String text() {
        boolean whole = exact ? numbers.isWhole() : type != ValueType.F64;
        return whole ? numbers.toBigInteger().toString() : Double.toString(doubleValue());
    }

    /** The nearest double. */
    public double doubleValue() {
        if (exact) {
            return numbers.doubleValue();
        }
        return type == ValueType.F64
                ? numbers.others().value()
                : numbers.toBigInteger().doubleValue();
    }

    /** The sum divided by a count, as the nearest double; of doubles {@link #doubleValue()} divided by it. NaN if it is 0. */
    public double mean(long count) {
        if (count == 0) {
            return Double.NaN;
        } else if (exact) {
            return numbers.mean(count);
        }
        return type == ValueType.F64
                ? numbers.others().value() / count
                : new BigDecimal(numbers.toBigInteger())
                        .divide(BigDecimal.valueOf(count), MathContext.DECIMAL128)
                        .doubleValue();
    }

    /** Compares sums of one type: those of integers alone exactly, any other as its double. */
    public int compareSums(ValueSum other) {
        int byDouble = Double.compare(doubleValue(), other.doubleValue());
        if (byDouble != 0 || (type == ValueType.F64 && !exact)) {
            return byDouble;
        } else if (numbers.isWhole() != other.numbers.isWhole()) {
            return exactSum().compareTo(other.exactSum());
        } else if (!numbers.isWhole()) {
            return 0;
        }
        LongSum left = numbers.whole();
        LongSum right = other.numbers.whole();
        return left.high() != right.high()
                ? Long.compare(left.high(), right.high())
                : Long.compareUnsigned(left.low(), right.low());
    }

    private BigDecimal exactSum() {
        return numbers.isWhole() ? new BigDecimal(numbers.toBigInteger()) : new BigDecimal(doubleValue());
    }
}
