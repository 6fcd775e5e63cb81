package dev.loom.read;

import dev.loom.log.MissingSegments;
import dev.loom.log.PageDescriptor;
import dev.loom.record.Chunks;
import dev.loom.record.SnapshotView;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the record log that may hold records of one source in a time range, one after the other. A part is
 * either <em>listed</em>, a chunk, or a run of them, whose directory locates the source's records, or <em>unlisted</em>, a range of pages
 * without a readable directory: the active chunk, and chunks behind damaged entries. Holds five pages. For one thread.
 */
public final class ChunkCursor implements AutoCloseable {
    private final SnapshotView view;
    private final int sourceId;
    private final Chunks chunks;
    private @Nullable MissingSegments missing;

    ChunkCursor(SnapshotView view, int sourceId, Chunks chunks) {
        this.view = view;
        this.sourceId = sourceId;
        this.chunks = chunks;
    }

    /** Moves to the next part; false at the end. */
    public boolean next() {
        return chunks.next();
    }

    /** Whether the part is a chunk with a directory. Only then are its records, times and summaries known. */
    public boolean listed() {
        return chunks.listed();
    }

    /**
     * Whether the part is a <em>run</em>: several chunks, summed up. It is listed, and what is said of a chunk is true of all of them
     * together; but its records are read chunk by chunk, after {@link SourceRecords.ChunkGuide.Step#DESCEND}.
     */
    public boolean isRun() {
        return chunks.isRun();
    }

    /** Declines a run: the next parts are shorter ones in it, and the chunks in those. */
    public void descend() {
        chunks.descend();
    }

    /** The number of chunks with records of the source that a listed part has; 1 unless it is a run. */
    public int count() {
        return chunks.count();
    }

    /** The address of the part's first page. */
    public long start() {
        return chunks.start();
    }

    /** The part's end address; within its last page if that is the snapshot's end. */
    public long end() {
        return chunks.end();
    }

    /** The number of the part's whole pages. */
    public long pages() {
        return (chunks.end() - chunks.start()) >> PageDescriptor.PAGE_SHIFT;
    }

    /** The number of the source's records in a listed chunk; 0 if its directory can no longer be read. */
    public long records() {
        return chunks.records();
    }

    /** The payload bytes of those records; 0 as well if {@link #records()} is. */
    public long payloadBytes() {
        return chunks.records() == 0 ? 0 : chunks.bytes();
    }

    /**
     * The arrival time of the first of those records, epoch nanoseconds, or an earlier time; {@code Long.MIN_VALUE} if
     * it is not known.
     */
    public long firstTimeNs() {
        return chunks.firstTimeNs();
    }

    /**
     * The arrival time of the last of those records, epoch nanoseconds, or a later time; {@code Long.MAX_VALUE} if it is
     * not known.
     */
    public long lastTimeNs() {
        return chunks.lastTimeNs();
    }

    /**
     * Whether a file that held records of the part is missing, other than by retention. Lists the folder of the record
     * log at the first call.
     */
    public boolean isFileMissing() {
        MissingSegments files = missing;
        if (files == null) {
            files = new MissingSegments(view.records());
            missing = files;
        }
        return files.touch(chunks.start(), chunks.end());
    }

    /** Pages without records of the source that the cursor has passed over, according to directories. */
    public long pagesSkipped() {
        return chunks.pagesSkipped();
    }

    /** Entries of the timestamp index met so far whose contents are impossible; the parts they describe are unlisted. */
    public long entriesDamaged() {
        return chunks.entriesDamaged();
    }

    /** Bytes of the timestamp index read so far. */
    public long bytesRead() {
        return chunks.bytesRead();
    }

    SnapshotView view() {
        return view;
    }

    int sourceId() {
        return sourceId;
    }

    Chunks chunks() {
        return chunks;
    }

    @Override
    public void close() {
        chunks.close();
    }
}
