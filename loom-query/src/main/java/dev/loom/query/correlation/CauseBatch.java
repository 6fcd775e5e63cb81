package dev.loom.query.correlation;

import dev.loom.query.model.QueryMemory;
import java.util.Arrays;

/**
 * A batch of time windows around causes, sorted by start and then by the cause's address: as many as fit of those that
 * follow the previous batch. Offer them in any order, then sort, then query; offering them in order takes linear time. 32
 * bytes per cause: memory for a few is allocated up front, more is taken while there is memory. For one thread.
 */
public final class CauseBatch implements AutoCloseable {
    /** Initial capacity, in causes. */
    private static final int COUNT_MIN = 4096;

    private static final int NONE = -1;

    private static final int BYTES_A_CAUSE = 4 * Long.BYTES;

    private final QueryMemory memory;
    private final int countMax;
    private long reserved;

    private long[] starts;
    private long[] ends;
    private long[] addresses;
    /**
     * After sorting: the latest ends of a tree over all windows, whose root is the one in the middle, with those before it to its left and those
     * behind it to its right, and so on. Each has the latest end of itself and what is beneath.
     */
    private long[] latestEnds;

    private int size;
    /** Whether the arrays form a heap with the last window on top. */
    private boolean heap;

    private boolean more;
    private long lastStart = Long.MIN_VALUE;
    private long lastAddress = -1;
    /** Over all previous batches. */
    private long latestEndBefore = Long.MIN_VALUE;

    private boolean first = true;
    private long steps;

    /** @param countMax causes held at a time */
    public CauseBatch(QueryMemory memory, int countMax) {
        this.memory = memory;
        this.countMax = countMax;
        int count = Math.min(COUNT_MIN, countMax);
        starts = new long[count];
        ends = new long[count];
        addresses = new long[count];
        latestEnds = new long[count];
    }

    /** Grows the arrays; false if memory is short. */
    private boolean grow() {
        int count = (int) Math.min(2L * size, countMax);
        long bytes = (long) count * BYTES_A_CAUSE;
        if (count == size || !memory.reserveIfAmple(bytes)) {
            return false;
        }
        long before = reserved;
        reserved += bytes;
        starts = Arrays.copyOf(starts, count);
        ends = Arrays.copyOf(ends, count);
        addresses = Arrays.copyOf(addresses, count);
        latestEnds = new long[count];
        memory.release(before);
        reserved -= before;
        return true;
    }

    /** Starts the batch that follows the current one. */
    public void beginNext() {
        if (size > 0) {
            lastStart = starts[size - 1];
            lastAddress = addresses[size - 1];
            latestEndBefore = Math.max(latestEndBefore, latestEnd());
            first = false;
        }
        size = 0;
        heap = false;
        more = false;
    }

    /** Adds a window unless a previous batch had it; if full, keeps the first windows. */
    public void offer(long start, long end, long address) {
        boolean before = !first && (start < lastStart || (start == lastStart && address <= lastAddress));
        if (before) {
            return;
        }
        if (size < starts.length || (!heap && grow())) {
            set(size, start, end, address);
            size++;
        } else {
            more = true;
            makeHeap();
            if (compare(start, address, 0) < 0) {
                set(0, start, end, address);
                sink(0, size);
            }
        }
    }

    private void makeHeap() {
        for (int parent = size / 2 - 1; parent >= 0 && !heap; parent--) {
            sink(parent, size);
        }
        heap = true;
    }

    /** Sorts the windows. */
    public void sort() {
        if (!isSorted()) {
            makeHeap();
            for (int last = size - 1; last > 0; last--) {
                swap(0, last);
                sink(0, last);
            }
        }
        setLatestEnds(0, size);
    }

    /** Sets those of the tree over some windows; returns the latest of all. */
    private long setLatestEnds(int from, int to) {
        if (from == to) {
            return Long.MIN_VALUE;
        }
        int middle = (from + to) >>> 1;
        long beneath = Math.max(setLatestEnds(from, middle), setLatestEnds(middle + 1, to));
        latestEnds[middle] = Math.max(ends[middle], beneath);
        return latestEnds[middle];
    }

    private boolean isSorted() {
        int i = 1;
        while (i < size && compare(i - 1, i) <= 0) {
            i++;
        }
        return i >= size;
    }

    public boolean isEmpty() {
        return size == 0;
    }

    /** Whether causes follow this batch. */
    public boolean hasMore() {
        return more;
    }

    public long earliestStart() {
        return starts[0];
    }

    public long latestEnd() {
        return latestEnds[size >>> 1];
    }

    /** Whether a window overlaps this interval, both ends included. */
    public boolean touches(long fromNs, long toNs) {
        return next(0, fromNs, toNs) != NONE;
    }

    /** Whether a window of a previous batch overlaps an interval that one of this batch overlaps. */
    public boolean touchedBefore(long fromNs) {
        return !first && latestEndBefore >= fromNs;
    }

    /** The first window, from this one on, that overlaps an interval, both ends included; -1 if there is none. */
    public int next(int from, long fromNs, long toNs) {
        if (from >= size || starts[from] > toNs) {
            return NONE;
        }
        int found = ends[from] >= fromNs ? from : firstEndingFrom(fromNs, from + 1, 0, size);
        return found != NONE && starts[found] <= toNs ? found : NONE;
    }

    /**
     * The first window that ends at this time or later.
     *
     * @param least the first that counts
     * @param from the first of a tree
     * @param to behind its last
     */
    private int firstEndingFrom(long fromNs, int least, int from, int to) {
        int middle = (from + to) >>> 1;
        steps++;
        if (to <= least || from == to || latestEnds[middle] < fromNs) {
            return NONE;
        }
        int before = firstEndingFrom(fromNs, least, from, middle);
        if (before != NONE) {
            return before;
        }
        return middle >= least && ends[middle] >= fromNs ? middle : firstEndingFrom(fromNs, least, middle + 1, to);
    }

    /** For tests: how many windows were looked at. */
    long steps() {
        return steps;
    }

    public long end(int i) {
        return ends[i];
    }

    public long address(int i) {
        return addresses[i];
    }

    private int compare(long start, long address, int i) {
        int byStart = Long.compare(start, starts[i]);
        return byStart != 0 ? byStart : Long.compare(address, addresses[i]);
    }

    private int compare(int a, int b) {
        return compare(starts[a], addresses[a], b);
    }

    private void sink(int from, int end) {
        int parent = from;
        while (true) {
            int latest = parent;
            for (int child = 2 * parent + 1; child <= 2 * parent + 2 && child < end; child++) {
                latest = compare(child, latest) > 0 ? child : latest;
            }
            if (latest == parent) {
                return;
            }
            swap(latest, parent);
            parent = latest;
        }
    }

    private void set(int i, long start, long end, long address) {
        starts[i] = start;
        ends[i] = end;
        addresses[i] = address;
    }

    private void swap(int a, int b) {
        long start = starts[a];
        long end = ends[a];
        long address = addresses[a];
        set(a, starts[b], ends[b], addresses[b]);
        set(b, start, end, address);
    }

    @Override
    public void close() {
        memory.release(reserved);
        reserved = 0;
    }
}
