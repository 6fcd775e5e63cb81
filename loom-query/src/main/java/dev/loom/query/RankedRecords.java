package dev.loom.query;

/**
 * The records with the largest keys met so far, up to a number; of equal keys those at the highest addresses. A heap with
 * the least of them on top, 16 bytes a record. For one thread.
 */
final class RankedRecords {
    private final long[] keys;
    private final long[] addresses;
    private int size;

    RankedRecords(int countMax) {
        keys = new long[countMax];
        addresses = new long[countMax];
    }

    int size() {
        return size;
    }

    boolean isFull() {
        return size == keys.length;
    }

    /** The least key of those kept, of which there is one at least. */
    long leastKey() {
        return keys[0];
    }

    long key(int i) {
        return keys[i];
    }

    long address(int i) {
        return addresses[i];
    }

    /** Keeps a record, in place of the least one when full. */
    void offer(long key, long address) {
        if (!isFull()) {
            keys[size] = key;
            addresses[size] = address;
            size++;
            rise(size - 1);
        } else if (size > 0 && compare(key, address, 0) > 0) {
            keys[0] = key;
            addresses[0] = address;
            sink(0, size);
        }
    }

    /** Puts them in order, the largest first; nothing can be offered after that. */
    void sort() {
        for (int end = size - 1; end > 0; end--) {
            swap(0, end);
            sink(0, end);
        }
    }

    private int compare(long key, long address, int i) {
        int byKey = Long.compare(key, keys[i]);
        return byKey != 0 ? byKey : Long.compare(address, addresses[i]);
    }

    private void rise(int from) {
        int child = from;
        while (child > 0) {
            int parent = (child - 1) / 2;
            if (compare(keys[child], addresses[child], parent) >= 0) {
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
                least = compare(keys[child], addresses[child], least) < 0 ? child : least;
            }
            if (least == parent) {
                return;
            }
            swap(least, parent);
            parent = least;
        }
    }

    private void swap(int a, int b) {
        long key = keys[a];
        long address = addresses[a];
        keys[a] = keys[b];
        addresses[a] = addresses[b];
        keys[b] = key;
        addresses[b] = address;
    }
}
