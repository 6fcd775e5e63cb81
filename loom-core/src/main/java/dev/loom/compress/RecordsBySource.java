package dev.loom.compress;

import dev.loom.record.RecordDescriptor;

/** The records of a page, sorted by source, and within a source by order. For one thread. */
final class RecordsBySource {
    private final char[] sorted = new char[RecordDescriptor.PAGE_RECORDS_MAX];
    private final int[] ends = new int[RecordDescriptor.PAGE_RECORDS_MAX];

    /**
     * Sorts.
     *
     * @param places by record: the number of its source, below {@code sources}
     */
    void sort(char[] places, int records, int sources) {
        for (int i = 0; i < sources; i++) {
            ends[i] = 0;
        }
        for (int i = 0; i < records; i++) {
            ends[places[i]]++;
        }
        int begin = 0;
        for (int i = 0; i < sources; i++) {
            int count = ends[i];
            ends[i] = begin;
            begin += count;
        }
        for (int i = 0; i < records; i++) {
            sorted[ends[places[i]]++] = (char) i;
        }
    }

    /** The record at a place in the order. */
    int record(int index) {
        return sorted[index];
    }

    /** Where the records of a source end; those of the next begin there. */
    int end(int source) {
        return ends[source];
    }
}
