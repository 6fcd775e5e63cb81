package dev.loom.record;

import dev.loom.index.ChunkIndexWriter;
import dev.loom.log.LogView;
import dev.loom.log.UnsharedLog;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Rebuilds missing directories and bins from the chunks' records and writes them into the gap of the indexes, while a
 * writer continues behind the gap. Publishes from time to time, each time ending with a checkpoint. For one thread.
 */
public final class IndexRebuilder {
    /** Receives the gap's new begin after more entries were written and made durable. */
    public interface PublicationHandler {
        void onPublished(long timeGapBegin, long chunkGapBegin, long rebuilt);
    }

    private final LogView records;
    private final UnsharedLog timeLog;
    private final UnsharedLog chunkLog;
    private final WriterSources sources;
    private final long publishInterval;
    private final PublicationHandler publication;
    private final BooleanSupplier cancelled;
    private final TimeIndexWriter index;
    private final ChunkIndexWriter bins;
    private final ChunkDirectory directory;
    private final CheckpointWriter checkpoints;
    private long published;
    /** The time of the newest record in chunks with directories. */
    private long lastTimeNs;

    /**
     * @param sources the sources with their totals as of {@code from}, and the indexes to fill
     * @param from the address of the first chunk without a directory
     * @param lastTimeNs the time of the last record below, or later
     * @param publishInterval the bytes of records between two publications
     */
    public IndexRebuilder(
            LogView records,
            UnsharedLog timeLog,
            UnsharedLog chunkLog,
            WriterSources sources,
            long from,
            long lastTimeNs,
            long publishInterval,
            PublicationHandler publication,
            BooleanSupplier cancelled) {
        this.records = records;
        this.timeLog = timeLog;
        this.chunkLog = chunkLog;
        this.sources = sources;
        this.publishInterval = publishInterval;
        this.publication = publication;
        this.cancelled = cancelled;
        this.index = new TimeIndexWriter(timeLog.log());
        this.bins = new ChunkIndexWriter(chunkLog.log());
        this.directory = new ChunkDirectory(index, bins, SourceSlots.allocate(SourceSlots.SOURCES_MAX));
        this.checkpoints = new CheckpointWriter(index, records.segments().segmentLength(), -1, from);
        this.published = from;
        this.lastTimeNs = lastTimeNs;
    }

    /**
     * Rebuilds up to an address.
     *
     * @param timeNs the time of the last record below, or later
     * @throws CancellationException when cancelled; what was published stays
     */
    public void rebuild(long to, long timeNs) {
        new DirectoryRebuilder(directory, sources, new Handler()).rebuild(records, published, to, timeNs);
        publish(to);
    }

    private final class Handler implements DirectoryRebuilder.Handler {
        @Override
        public void onChunk(long chunkAddress) {
            if (cancelled.getAsBoolean()) {
                throw new CancellationException("rebuild was cancelled: record address=" + chunkAddress);
            }
        }

        @Override
        public void beforeDirectory(long chunkAddress) {
            prepareDirectory(chunkAddress);
        }

        @Override
        public void onLeftOut(long recordEnd, long timeNs) {
            lastTimeNs = Math.max(lastTimeNs, timeNs);
            writeCheckpoint(recordEnd);
        }
    }

    private void prepareDirectory(long chunkAddress) {
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

    private void writeCheckpoint(long recordEnd) {
        checkpoints.write(sources.states(), recordEnd, lastTimeNs, timeLog::evict);
    }

    private void publish(long recordEnd) {
        writeCheckpoint(recordEnd);
        bins.seal();
        index.seal();
        // bins first, because directories refer to them
        long chunkEnd = chunkLog.sync();
        publication.onPublished(timeLog.sync(), chunkEnd, recordEnd);
        published = recordEnd;
    }
}
