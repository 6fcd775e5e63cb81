package dev.loom.store;

import dev.loom.index.FunctionGuard;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageState;
import dev.loom.log.SegmentWriter;
import dev.loom.log.UnsharedLog;
import dev.loom.record.DirectoryReader;
import dev.loom.record.IndexRebuilder;
import dev.loom.record.PageRecords;
import dev.loom.record.ReferencedRecords;
import dev.loom.record.SourceTable;
import dev.loom.record.WriterSources;
import dev.loom.schema.Schema;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Rebuilds the part of the indexes before their gap from the records, beside the writer. A later run resumes where this
 * one ended.
 */
final class GapRebuild {
    /** A ring of this size has room for the bins of any chunk and any part of a directory. */
    private static final int RING_LENGTH_MIN = 1 << 20;

    private final Parts parts;

    /** What a rebuild reads and writes. */
    record Parts(
            Storage storage,
            StoreFiles files,
            Mark mark,
            StoreLogs logs,
            Schema schema,
            IntFunction<@Nullable String> formatText,
            Runnable guard,
            long publishInterval,
            IndexRebuilder.PublicationHandler publication) {}

    GapRebuild(Parts parts) {
        this.parts = parts;
    }

    /**
     * Runs the whole rebuild.
     *
     * @throws CancellationException when cancelled; what was published stays
     */
    void run(BooleanSupplier cancelled) {
        Mark mark = parts.mark;
        Rebuild gap = mark.rebuild();
        LogView records = parts.logs.records();
        SourceTable table = SourceTable.load(
                records,
                parts.logs.times(),
                gap.timeBegin(),
                mark.begin(LogKind.RECORD),
                gap.to(),
                mark.checkpoint(),
                List.of(),
                true);
        // files of an earlier attempt may exist without their names being durable
        parts.storage.syncDirectory(parts.files.folder(LogKind.TIME));
        parts.storage.syncDirectory(parts.files.folder(LogKind.CHUNK));
        WriterSources sources = SessionSchema.writerSources(parts.schema, table);
        try (ReferencedRecords lookup =
                        new ReferencedRecords(records, records.watermarks()::tailAcquire, parts.formatText);
                UnsharedLog timeLog = log(LogKind.TIME);
                UnsharedLog chunkLog = log(LogKind.CHUNK)) {
            new SessionIndexes(sources, lookup, FunctionGuard.NONE).open(parts.schema);
            new IndexRebuilder(
                            records,
                            timeLog,
                            chunkLog,
                            sources,
                            table.recordsCovered(),
                            lastTimeNs(gap.timeBegin()),
                            parts.publishInterval,
                            parts.publication,
                            cancelled)
                    .rebuild(gap.to(), timeBefore(gap.to()));
        }
    }

    private UnsharedLog log(LogKind kind) {
        Mark mark = parts.mark;
        return new UnsharedLog(
                kind,
                mark.storeId(),
                mark.epoch(),
                new SegmentWriter(parts.storage, parts.files.segments(kind, mark.segmentLength()), false, parts.guard),
                mark.rebuild().begin(kind),
                Math.max(mark.ringLength(kind), RING_LENGTH_MIN));
    }

    /** The time of the last record below an address, or later. */
    private long timeBefore(long address) {
        LogView records = parts.logs.records();
        try (PageRecords page = new PageRecords(records, records.watermarks().tailAcquire(), -1, 1)) {
            return page.read(address) == PageState.PRESENT ? page.baseTimeNs() : parts.mark.lastTimeNs();
        }
    }

    /** The time of the last record whose directory is before the gap, or later. */
    private long lastTimeNs(long timeEnd) {
        try (DirectoryReader reader = new DirectoryReader(parts.logs.times(), timeEnd)) {
            reader.toEnd();
            if (!reader.previous()) {
                return 0;
            }
            return reader.isDirectory() ? reader.lastTimeNs() : reader.firstTimeNs();
        }
    }
}
