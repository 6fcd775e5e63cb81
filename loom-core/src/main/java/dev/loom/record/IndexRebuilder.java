package dev.loom.record;

import dev.loom.index.ChunkIndexWriter;
import dev.loom.log.LogView;
import dev.loom.log.UnsharedLog;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Writes directories and bins of chunks that have none into the gap of the indexes, from the chunks' records, while a writer goes
 * on behind the gap. What is written is published now and then, and ends with a checkpoint then. For one thread.
 */
public final class IndexRebuilder {
    /** Takes where the gap begins after some more has been written, and made durable. */
    public interface ProgressHandler {
        void onPublished(long timeGapBegin, long chunkGapBegin, long rebuilt);
    }

    private final LogView records;
    private final UnsharedLog timeLog;
    private final UnsharedLog chunkLog;
    private final WriterSources sources;
    private final long publishInterval;
    private final ProgressHandler progress;
    private final BooleanSupplier cancelled;
    private final TimeIndexWriter index;
    private final ChunkIndexWriter bins;
    private final ChunkDirectory directory;
    private final CheckpointWriter checkpoints;
    private long published;
    /** Time of the newest record in the chunks that have directories. */
    private long lastTimeNs;

    /**
     * @param sources with the totals as of {@code from}, and the indexes to be filled
     * @param from where the first chunk that has no directory begins
     * @param lastTimeNs a time that no record below is later than
     * @param publishInterval bytes of records between two publications
     */
    public IndexRebuilder(
            LogView records,
            UnsharedLog timeLog,
            UnsharedLog chunkLog,
            WriterSources sources,
            long from,
            long lastTimeNs,
            long publishInterval,
            ProgressHandler progress,
            BooleanSupplier cancelled) {
        this.records = records;
        this.timeLog = timeLog;
        this.chunkLog = chunkLog;
        this.sources = sources;
        this.publishInterval = publishInterval;
        this.progress = progress;
        this.cancelled = cancelled;
        this.index = new TimeIndexWriter(timeLog.log());
        this.bins = new ChunkIndexWriter(chunkLog.log());
        this.directory = new ChunkDirectory(index, bins, SourceSlots.allocate(SourceSlots.SOURCES_MAX));
        this.checkpoints = new CheckpointWriter(index, -1, from);
        this.published = from;
        this.lastTimeNs = lastTimeNs;
    }

    /**
     * Goes through the records up to an address.
     *
     * @throws CancellationException when it was cancelled; what was published stays
     */
    public void rebuild(long to) {
        new DirectoryRebuilder(directory, sources).rebuild(records, published, to, this::beforeChunk);
        publish(to);
    }

    private void beforeChunk(long chunkAddress) {
        if (cancelled.getAsBoolean()) {
            throw new CancellationException("rebuild was cancelled: record address=" + chunkAddress);
        }
        if (chunkAddress - published >= publishInterval) {
            publish(chunkAddress);
        } else if (checkpoints.due(chunkAddress)) {
            writeCheckpoint(chunkAddress);
        }
        if (!directory.binsHaveRoom()) {
            chunkLog.evict();
        }
        if (!directory.hasRoom()) {
            timeLog.evict();
        }
        lastTimeNs = Math.max(lastTimeNs, directory.lastTimeNs());
    }

    private void makePartRoom() {
        if (!index.hasPartRoom()) {
            timeLog.evict();
        }
    }

    private void writeCheckpoint(long recordEnd) {
        checkpoints.write(sources.states(), recordEnd, lastTimeNs, this::makePartRoom);
    }

    private void publish(long recordEnd) {
        writeCheckpoint(recordEnd);
        bins.seal();
        index.seal();
        // bins first, for directories name them
        long chunkEnd = chunkLog.sync();
        progress.onPublished(timeLog.sync(), chunkEnd, recordEnd);
        published = recordEnd;
    }
}
