package dev.loom.record;

import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.index.IndexSummary;
import org.jspecify.annotations.Nullable;

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
    private long summariesDamaged;
    private @Nullable DirectoryReader directory;
    /** Where the directory has to be sought once more, or {@link SourceSlots#NO_DIRECTORY}. */
    private long sought = SourceSlots.NO_DIRECTORY;

    /** Moves to the next part in this walk's direction; false at the end. */
    public abstract boolean next();

    /** Bytes of the timestamp index read so far. */
    public abstract long bytesRead();

    /** Entries of the timestamp index that this walk left out, as they say what can't be. */
    abstract long entriesRejected();

    /** Entries of the timestamp index that say what can't be; what they speak of has to be read. */
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
        directory = reader;
        sought = SourceSlots.NO_DIRECTORY;
        listed = true;
        chunkFirstTimeNs = reader.firstTimeNs();
        records = reader.listedRecords();
        bytes = reader.listedBytes();
        firstTimeNs = reader.listedFirstTimeNs();
        lastTimeNs = reader.listedLastTimeNs();
    }

    /** Lists a chunk again, whose directory is read again if it is asked for. */
    final void list(long from, long to, long lastRecordAddress, DirectoryReader reader, long directoryAddress) {
        directory = reader;
        sought = directoryAddress;
        listed = true;
        start = from;
        end = to;
        lastRecord = lastRecordAddress;
    }

    /** Stands on the directory of a listed chunk; false when it can't be read once more. */
    private boolean place() {
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

    /** Of a listed chunk, the address of the directory. */
    final long directoryAddress() {
        return directory == null ? SourceSlots.NO_DIRECTORY : directory.address();
    }

    /**
     * Reads what an index of the source holds of the current part.
     *
     * @return false when that is unknown, and the part's records have to be read: nothing lists it, or the index did not see
     *     all of them
     */
    public final boolean summary(int indexId, ValueType type, IndexSummary into) {
        try {
            return place() && directory != null && directory.summary(sourceId(), indexId, type, into);
        } catch (CorruptStoreException e) {
            summariesDamaged++;
            return false;
        }
    }

    /** The source that is looked for. */
    abstract int sourceId();

    /** Of a listed chunk, the time of its first record of any source. */
    final long chunkFirstTimeNs() {
        return chunkFirstTimeNs;
    }

    /** Of a listed chunk, how many records of the source it holds; 0 when the directory can't be read any more. */
    public final long records() {
        return place() ? records : 0;
    }

    /** Of a listed chunk, payload bytes of those. */
    final long bytes() {
        return bytes;
    }

    /** Of a listed chunk, the time of the first of those, or none later. */
    public final long firstTimeNs() {
        return place() ? firstTimeNs : Long.MIN_VALUE;
    }

    /** Of a listed chunk, the time of the last of those, or none earlier. */
    public final long lastTimeNs() {
        return place() ? lastTimeNs : Long.MAX_VALUE;
    }

    /** Pages that directories showed to hold nothing of the source, as far as this walk looked at them. */
    public final long pagesSkipped() {
        return pagesSkipped;
    }
}
