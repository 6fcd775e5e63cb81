package dev.loom.server.prometheus;

import dev.loom.server.prometheus.store.SeriesQuery;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/** The least of the values that are added, in their order, without repeats. For one thread. */
final class LeastValues<T extends Comparable<T>> {
    private static final long ENTRY_BYTES = 40;

    private final int max;
    private final SeriesQuery memory;
    private final ToLongFunction<T> bytes;
    private final TreeSet<T> values = new TreeSet<>();
    private boolean truncated;

    /**
     * @param max the most values; all if it is 0
     * @param memory where they are reserved
     * @param bytes that a value takes
     */
    LeastValues(int max, SeriesQuery memory, ToLongFunction<T> bytes) {
        this.max = max;
        this.memory = memory;
        this.bytes = bytes;
    }

    void add(T value) {
        boolean full = max > 0 && values.size() == max;
        if (full && value.compareTo(values.last()) > 0) {
            truncated = true;
        } else if (values.add(value)) {
            memory.reserve(size(value));
            if (full) {
                truncated = true;
                T last = values.last();
                values.remove(last);
                memory.release(size(last));
            }
        }
    }

    private long size(T value) {
        return ENTRY_BYTES + bytes.applyAsLong(value);
    }

    /** Whether there were more. */
    boolean isTruncated() {
        return truncated;
    }

    SortedSet<T> values() {
        return values;
    }
}
