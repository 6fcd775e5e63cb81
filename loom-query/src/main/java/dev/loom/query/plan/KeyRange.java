package dev.loom.query.plan;

import dev.loom.api.ValueType;
import dev.loom.query.model.ValueRange;

/** A range of keys ({@link dev.loom.api.ValueType}), both ends included; empty if low is above high. */
public record KeyRange(long low, long high) {
    public static final KeyRange ALL = new KeyRange(Long.MIN_VALUE, Long.MAX_VALUE);
    public static final KeyRange NONE = new KeyRange(1, 0);

    /** The keys of the values in a range. */
    public static KeyRange of(ValueRange values, ValueType type) {
        return new KeyRange(values.lowKey(type), values.highKey(type));
    }

    public boolean isEmpty() {
        return low > high;
    }

    public boolean contains(long key) {
        return key >= low && key <= high;
    }

    /** Whether all keys from {@code minKey} to {@code maxKey} are in the range. */
    public boolean covers(long minKey, long maxKey) {
        return minKey >= low && maxKey <= high;
    }

    /** Whether any key from {@code minKey} to {@code maxKey} is in the range. */
    public boolean touches(long minKey, long maxKey) {
        return low <= high && minKey <= high && maxKey >= low;
    }

    public KeyRange and(KeyRange other) {
        return new KeyRange(Math.max(low, other.low), Math.min(high, other.high));
    }
}
