package dev.loom.record;

import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.index.IndexSummary;
import dev.loom.rollup.RunReader;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the record log that may hold records of one source in a time range, one after the other. A part is
 * either <em>listed</em>, a chunk whose directory locates the source's records, or <em>unlisted</em>, a range of pages
 * without a readable directory: the active chunk, and chunks behind damaged entries. For one thread.
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
    private long summariesDamaged;
    private @Nullable DirectoryReader directory;
    /** The run of chunks that is the current part, if it is one. */
    private @Nullable RunReader run;
    /** The directory to seek again, or {@link SourceSlots#NO_DIRECTORY}. */
    private long sought = SourceSlots.NO_DIRECTORY;

    /** Moves to the next part in this walk's direction; false at the end. */
    public abstract boolean next();

    /** Declines the current part, which must be a run: the next parts are what it sums up. */
    public void descend() {
        throw new IllegalStateException("part is no run: start=" + start + ", end=" + end);
    }

    /** Bytes of the timestamp index, and of runs, read so far. */
    public abstract long bytesRead();

    /** Entries of the timestamp index that this walk rejected as impossible. */
    abstract long entriesRejected();

    /**
     * Entries of the timestamp index whose contents are impossible; the records that they describe have to be read.
     */
    public final long entriesDamaged() {
        return summariesDamaged + entriesRejected();
    }

    @Override
    public abstract void close();

    final void list(DirectoryReader reader) {
        start = reader.chunkAddress();
        end = reader.chunkEnd();
        lastRecord = reader.listedLastRecord();
        if (lastRecord < start || lastRecord >= end) {
            unlisted(start, end);
            return;
        }
        run = null;
        directory = reader;
        sought = SourceSlots.NO_DIRECTORY;
        listed = true;
        chunkFirstTimeNs = reader.firstTimeNs();
        records = reader.listedRecords();
        bytes = reader.listedBytes();
        firstTimeNs = reader.listedFirstTimeNs();
        lastTimeNs = reader.listedLastTimeNs();
    }

    /** Lists a run, at the walk's source. */
    final void list(RunReader reader) {
        run = reader;
        directory = null;
        sought = SourceSlots.NO_DIRECTORY;
        listed = true;
        start = reader.start();
        end = reader.end();
        records = reader.records();
        bytes = reader.bytes();
        firstTimeNs = reader.firstTimeNs();
        lastTimeNs = reader.lastTimeNs();
    }

    /** Lists a chunk again; its directory is read again on demand. */
    final void list(long from, long to, long lastRecordAddress, DirectoryReader reader, long directoryAddress) {
        run = null;
        directory = reader;
        sought = directoryAddress;
        listed = true;
        start = from;
        end = to;
        lastRecord = lastRecordAddress;
    }

    /** Moves to the directory of a listed chunk; false if it can't be read again. A run is in memory. */
    private boolean place() {
        if (run != null) {
            return true;
        }
        DirectoryReader reader = directory;
        if (reader == null) {
            return false;
        }
        if (sought != SourceSlots.NO_DIRECTORY) {
            if (!reader.seek(sought) || !reader.find(sourceId())) {
                directory = null;
                return false;
            }
            list(reader);
        }
        return true;
    }

    final void unlisted(long from, long to) {
        run = null;
        directory = null;
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

    /** Whether the current part is a run of chunks: listed, but without a {@link #lastRecord}. */
    public final boolean isRun() {
        return run != null;
    }

    /** The number of chunks with the source that a listed part has: 1 unless it is a run. */
    public final int count() {
        return run == null ? 1 : run.sourceChunks();
    }

    /** Address of the first page of the current part. */
    public final long start() {
        return start;
    }

    /** The end address of the current part; within its last page if that is the snapshot's end. */
    public final long end() {
        return end;
    }

    /** The address of the source's last record in a listed chunk. */
    public final long lastRecord() {
        return lastRecord;
    }

    /** The address of a listed chunk's directory. */
    final long directoryAddress() {
        return directory == null ? SourceSlots.NO_DIRECTORY : directory.address();
    }

    /**
     * Reads an index's summary of the current part.
     *
     * @return false if there is none, so that the part's records have to be read: the part is unlisted, or the index
     *     did not see all of its records
     */
    public final boolean summary(int indexId, ValueType type, IndexSummary into) {
        try {
            if (run != null) {
                return run.summary(indexId, type, into);
            }
            return place() && directory != null && directory.summary(sourceId(), indexId, type, into);
        } catch (CorruptStoreException e) {
            summariesDamaged++;
            return false;
        }
    }

    /**
     * Reads the bins of an index whose totals were read from the current part, a run.
     *
     * @return where they lie; null if there are none
     */
    public final @Nullable RunReader runBins(IndexSummary totals) {
        RunReader reader = run;
        return reader != null && reader.readBins(totals) ? reader : null;
    }

    /** The id of the walk's source. */
    abstract int sourceId();

    /** The time of a listed chunk's first record of any source. */
    final long chunkFirstTimeNs() {
        return chunkFirstTimeNs;
    }

    /** The number of the source's records in a listed chunk; 0 if its directory can no longer be read. */
    public final long records() {
        return place() ? records : 0;
    }

    /** The payload bytes of those records. */
    public final long bytes() {
        return bytes;
    }

    /** The time of the first of those records, or an earlier time. */
    public final long firstTimeNs() {
        return place() ? firstTimeNs : Long.MIN_VALUE;
    }

    /** The time of the last of those records, or a later time. */
    public final long lastTimeNs() {
        return place() ? lastTimeNs : Long.MAX_VALUE;
    }

    /** Pages without records of the source, according to the directories that this walk read. */
    public final long pagesSkipped() {
        return pagesSkipped;
    }
}
