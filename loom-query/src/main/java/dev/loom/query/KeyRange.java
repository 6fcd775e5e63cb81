package dev.loom.query;

/** A range of keys ({@link dev.loom.api.ValueType}), both ends included; empty if low is above high. */
record KeyRange(long low, long high) {
    static final KeyRange ALL = new KeyRange(Long.MIN_VALUE, Long.MAX_VALUE);
    static final KeyRange NONE = new KeyRange(1, 0);

    boolean isEmpty() {
        return low > high;
    }

    boolean contains(long key) {
        return key >= low && key <= high;
    }

    /** Whether all keys from {@code minKey} to {@code maxKey} are in the range. */
    boolean covers(long minKey, long maxKey) {
        return minKey >= low && maxKey <= high;
    }

    /** Whether any key from {@code minKey} to {@code maxKey} is in the range. */
    boolean touches(long minKey, long maxKey) {
        return low <= high && minKey <= high && maxKey >= low;
    }

    KeyRange and(KeyRange other) {
        return new KeyRange(Math.max(low, other.low), Math.min(high, other.high));
    }
}
