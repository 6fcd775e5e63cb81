package dev.loom.record;

/** The counts of one source up to and including one chunk directory. Mutable; for one thread. */
public final class SourceTotals {
    /** Address of that directory, or {@link SourceSlots#NO_DIRECTORY}. */
    public long directoryAddress = SourceSlots.NO_DIRECTORY;

    public long records;
    public long bytes;
    public long firstTimeNs;

    /** Makes the totals of a source without records. */
    public SourceTotals() {}

    SourceTotals(long directoryAddress, long records, long bytes, long firstTimeNs) {
        this.directoryAddress = directoryAddress;
        this.records = records;
        this.bytes = bytes;
        this.firstTimeNs = firstTimeNs;
    }

    public void clear() {
        directoryAddress = SourceSlots.NO_DIRECTORY;
        records = 0;
        bytes = 0;
        firstTimeNs = 0;
    }

    /** Adds the source's records in a chunk. */
    public void add(long newDirectoryAddress, long chunkRecords, long chunkBytes, long chunkFirstTimeNs) {
        if (records == 0) {
            firstTimeNs = chunkFirstTimeNs;
        }
        directoryAddress = newDirectoryAddress;
        records += chunkRecords;
        bytes += chunkBytes;
    }
}
