package dev.loom.query.rank;

/**
 * The records with the largest keys so far, up to a given number; among equal keys those at the highest addresses. A heap
 * with the least on top, 20 bytes per record. For one thread.
 */
public final class RankedRecords {
    private final long[] keys;
    private final int[] remainders;
    private final long[] addresses;
    private int size;

    public RankedRecords(int countMax) {
        keys = new long[countMax];
        remainders = new int[countMax];
        addresses = new long[countMax];
    }

    public int size() {
        return size;
    }

    public boolean isFull() {
        return size == keys.length;
    }

    /** The least key kept; there must be at least one. */
    public long leastKey() {
        return keys[0];
    }

    public long key(int i) {
        return keys[i];
    }

    /** How much greater the value is than that of its key. */
    public int remainder(int i) {
        return remainders[i];
    }

    public long address(int i) {
        return addresses[i];
    }

    /** Keeps a record; if full, in place of the least one. */
    public void offer(long key, int remainder, long address) {
        if (!isFull()) {
            set(size, key, remainder, address);
            size++;
            rise(size - 1);
        } else if (size > 0 && compare(key, remainder, address, 0) > 0) {
            set(0, key, remainder, address);
            sink(0, size);
        }
    }

    /** Sorts the records, largest first; after that, none can be offered. */
    public void sort() {
        for (int end = size - 1; end > 0; end--) {
            swap(0, end);
            sink(0, end);
        }
    }

    private int compare(long key, int remainder, long address, int i) {
        int byKey = Long.compare(key, keys[i]);
        int byValue = byKey != 0 ? byKey : Integer.compare(remainder, remainders[i]);
        return byValue != 0 ? byValue : Long.compare(address, addresses[i]);
    }

    private int compare(int a, int b) {
        return compare(keys[a], remainders[a], addresses[a], b);
    }

    private void rise(int from) {
        int child = from;
        while (child > 0) {
            int parent = (child - 1) / 2;
            if (compare(child, parent) >= 0) {
                return;
            }
            swap(child, parent);
            child = parent;
        }
    }

    private void sink(int from, int end) {
        int parent = from;
        while (true) {
            int least = parent;
            for (int child = 2 * parent + 1; child <= 2 * parent + 2 && child < end; child++) {
                least = compare(child, least) < 0 ? child : least;
            }
            if (least == parent) {
                return;
            }
            swap(least, parent);
            parent = least;
        }
    }

    private void set(int i, long key, int remainder, long address) {
        keys[i] = key;
        remainders[i] = remainder;
        addresses[i] = address;
    }

    private void swap(int a, int b) {
        long key = keys[a];
        int remainder = remainders[a];
        long address = addresses[a];
        set(a, keys[b], remainders[b], addresses[b]);
        set(b, key, remainder, address);
    }
}
