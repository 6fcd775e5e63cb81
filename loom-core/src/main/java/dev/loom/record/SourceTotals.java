package dev.loom.record;

/** Counts of one source up to and with one chunk directory. Mutable; for one thread. */
public final class SourceTotals {
    /** Address of that directory, or {@link SourceSlots#NO_DIRECTORY}. */
    public long directory = SourceSlots.NO_DIRECTORY;

    public long records;
    public long bytes;
    public long firstTimeNs;

    /** Of a source without records. */
    public SourceTotals() {}

    SourceTotals(long directory, long records, long bytes, long firstTimeNs) {
        this.directory = directory;
        this.records = records;
        this.bytes = bytes;
        this.firstTimeNs = firstTimeNs;
    }

    public void clear() {
        directory = SourceSlots.NO_DIRECTORY;
        records = 0;
        bytes = 0;
        firstTimeNs = 0;
    }

    /** Adds what a chunk holds of the source. */
    public void add(long directoryAddress, long chunkRecords, long chunkBytes, long chunkFirstTimeNs) {
        if (records == 0) {
            firstTimeNs = chunkFirstTimeNs;
        }
        directory = directoryAddress;
        records += chunkRecords;
        bytes += chunkBytes;
    }
}
