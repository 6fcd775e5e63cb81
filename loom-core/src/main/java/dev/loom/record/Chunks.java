package dev.loom.record;

/**
 * The parts of the record log that may hold records of one source in a time range, one after the other. Each is either
 * <em>listed</em>, a chunk whose directory tells where the source's records are, or <em>unlisted</em>, a range of pages of
 * which no directory is at hand: the active chunk, and whatever lies behind damaged entries. For one thread.
 */
public abstract class Chunks implements AutoCloseable {
    private boolean listed;
    private long start;
    private long end;
    private long lastRecord;
    private long chunkFirstTimeNs;
    private long records;
    private long bytes;
    private long firstTimeNs;
    private long lastTimeNs;
    private long pagesSkipped;

    /** Moves to the next part in this walk's direction; false at the end. */
    public abstract boolean next();

    /** Bytes of the timestamp index read so far. */
    public abstract long bytesRead();

    @Override
    public abstract void close();

    final void list(DirectoryReader directory) {
        listed = true;
        start = directory.chunk();
        end = directory.chunkEnd();
        lastRecord = directory.listedLastRecord();
        chunkFirstTimeNs = directory.firstTimeNs();
        records = directory.listedRecords();
        bytes = directory.listedBytes();
        firstTimeNs = directory.listedFirstTimeNs();
        lastTimeNs = directory.listedLastTimeNs();
    }

    final void list(long from, long to, long lastRecordAddress) {
        listed = true;
        start = from;
        end = to;
        lastRecord = lastRecordAddress;
    }

    final void unlisted(long from, long to) {
        listed = false;
        start = from;
        end = to;
    }

    final void skip(long pages) {
        pagesSkipped += pages;
    }

    public final boolean listed() {
        return listed;
    }

    /** Address of the first page of the current part. */
    public final long start() {
        return start;
    }

    /** Address behind the current part; within its last page when that is the snapshot's end. */
    public final long end() {
        return end;
    }

    /** Of a listed chunk, the address of the source's last record. */
    public final long lastRecord() {
        return lastRecord;
    }

    /** Of a listed chunk, the time of its first record of any source. */
    final long chunkFirstTimeNs() {
        return chunkFirstTimeNs;
    }

    /** Of a listed chunk, how many records of the source it holds. */
    final long records() {
        return records;
    }

    /** Of a listed chunk, payload bytes of those. */
    final long bytes() {
        return bytes;
    }

    /** Of a listed chunk, the time of the first of those. */
    final long firstTimeNs() {
        return firstTimeNs;
    }

    /** Of a listed chunk, the time of the last of those. */
    final long lastTimeNs() {
        return lastTimeNs;
    }

    /** Pages that directories showed to hold nothing of the source, as far as this walk looked at them. */
    public final long pagesSkipped() {
        return pagesSkipped;
    }
}
