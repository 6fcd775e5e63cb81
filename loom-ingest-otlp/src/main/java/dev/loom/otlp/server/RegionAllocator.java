package dev.loom.otlp.server;

import java.util.Arrays;

/**
 * Divides a line of equal granules into regions: first fit; adjacent free runs are merged. Only free runs are stored, sorted
 * by offset, so allocated regions take no memory here.
 *
 * <p>Not thread-safe. All offsets and sizes are in granules.
 */
final class RegionAllocator {
    private final int[] offsets;
    private final int[] sizes;
    private int runs;
    private int free;

    RegionAllocator(int size) {
        int runsMax = size / 2 + 1; // all allocated here, so that freeing takes no memory
        offsets = new int[runsMax];
        sizes = new int[runsMax];
        runs = 1;
        sizes[0] = size;
        free = size;
    }

    /** The number of free granules. */
    int free() {
        return free;
    }

    /** The number of free runs. */
    int freeRuns() {
        return runs;
    }

    /**
     * Allocates a region.
     *
     * @param size at least 1
     * @return its offset, or -1 if no free run is long enough
     */
    int allocate(int size) {
        for (int i = 0; i < runs; i++) {
            if (sizes[i] >= size) {
                int offset = offsets[i];
                takeFront(i, size);
                return offset;
            }
        }
        return -1;
    }

    /**
     * Extends a region at its end.
     *
     * @param end of the region
     * @param wanted the most granules to add
     * @return granules added; 0 if the next one is not free
     */
    int extend(int end, int wanted) {
        int i = Arrays.binarySearch(offsets, 0, runs, end);
        if (i < 0) {
            return 0;
        }
        int taken = Math.min(wanted, sizes[i]);
        takeFront(i, taken);
        return taken;
    }

    /**
     * Frees a region, or the end of one.
     *
     * @throws IllegalStateException if part of it is already free
     */
    void free(int offset, int size) {
        int found = Arrays.binarySearch(offsets, 0, runs, offset);
        int next = found < 0 ? -found - 1 : found;
        boolean overlapsNext = next < runs && offset + size > offsets[next];
        boolean overlapsPrevious = next > 0 && offsets[next - 1] + sizes[next - 1] > offset;
        if (overlapsNext || overlapsPrevious) {
            throw new IllegalStateException("region is already free: offset=" + offset + ", size=" + size);
        }
        free += size;
        boolean joinsPrevious = next > 0 && offsets[next - 1] + sizes[next - 1] == offset;
        boolean joinsNext = next < runs && offset + size == offsets[next];
        if (joinsPrevious && joinsNext) {
            sizes[next - 1] += size + sizes[next];
            remove(next);
        } else if (joinsPrevious) {
            sizes[next - 1] += size;
        } else if (joinsNext) {
            offsets[next] = offset;
            sizes[next] += size;
        } else {
            insert(next, offset, size);
        }
    }

    private void takeFront(int i, int size) {
        free -= size;
        offsets[i] += size;
        sizes[i] -= size;
        if (sizes[i] == 0) {
            remove(i);
        }
    }

    private void insert(int i, int offset, int size) {
        System.arraycopy(offsets, i, offsets, i + 1, runs - i);
        System.arraycopy(sizes, i, sizes, i + 1, runs - i);
        offsets[i] = offset;
        sizes[i] = size;
        runs++;
    }

    private void remove(int i) {
        runs--;
        System.arraycopy(offsets, i + 1, offsets, i, runs - i);
        System.arraycopy(sizes, i + 1, sizes, i, runs - i);
    }
}
