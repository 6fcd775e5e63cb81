package dev.loom.store;

import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageReader;
import dev.loom.log.PageState;
import dev.loom.log.Segments;
import dev.loom.record.SourceTable;
import dev.loom.schema.Schema;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Decides, while a store is being opened, what becomes of indexes that are missing, damaged, or to be written anew. Few are
 * written before opening returns, by the session that begins; for many it leaves a gap, which the session fills in the
 * background.
 */
final class IndexRecovery {
    private final Settings settings;
    private final Storage storage;
    private final StoreFiles files;
    private final Schema schema;
    private Map<Integer, Long> lost = Map.of();

    IndexRecovery(Settings settings, StoreFiles files, Schema schema) {
        this.settings = settings;
        this.storage = settings.storage();
        this.files = files;
        this.schema = schema;
    }

    /**
     * Returns the mark, which is on disk, of a store whose indexes are whole as far as they go.
     *
     * @param recovered whether the store was not closed
     */
    Mark run(Mark closed, boolean recovered) {
        boolean drop = settings.rebuildIndexes() || (rebuildable() && !indexesWhole(closed, recovered));
        if (drop) {
            lost = sourceTable(closed).lost();
        }
        return leaveGap(drop ? discardIndexes(closed) : closed);
    }

    /** Records lost by source, of which indexes that were dropped spoke. */
    Map<Integer, Long> lost() {
        return lost;
    }

    /** Whether no index needs a function that only the embedder has. */
    private boolean rebuildable() {
        return schema.indexes().stream()
                .allMatch(index -> index.closed() || index.function().isReadable());
    }

    /**
     * Whether no segment file of the indexes is missing or too short.
     *
     * @param pages whether to check their pages too, of logs that are read before opening returns
     */
    private boolean indexesWhole(Mark closed, boolean pages) {
        for (LogKind kind : List.of(LogKind.TIME, LogKind.CHUNK)) {
            Rebuild rebuild = closed.rebuild();
            long begin = closed.begin(kind);
            long gapBegin = rebuild.exists() ? rebuild.begin(kind) : begin;
            long gapEnd = Math.max(begin, rebuild.end(kind));
            long end = closed.durable(kind);
            boolean whole = filesWhole(closed, kind, begin, gapBegin) && filesWhole(closed, kind, gapEnd, end);
            if (whole && pages && gapBegin - begin + end - gapEnd <= settings.backgroundRebuildBytes()) {
                whole = pagesWhole(closed, kind, begin, gapBegin) && pagesWhole(closed, kind, gapEnd, end);
            }
            if (!whole) {
                return false;
            }
        }
        return true;
    }

    private boolean pagesWhole(Mark closed, LogKind kind, long begin, long end) {
        LogView log =
                StoreLogs.files(files, storage, closed, closed.ends(), false).of(kind);
        try (PageReader pages = new PageReader(log)) {
            for (long page = begin; page < end; page += PageDescriptor.PAGE_LENGTH) {
                if (pages.readOrFail(page, end) != PageState.PRESENT) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean filesWhole(Mark closed, LogKind kind, long begin, long end) {
        Segments segments = files.segments(kind, closed.segmentLength());
        for (long first = segments.first(begin); first < end; first += closed.segmentLength()) {
            long length = Math.min(end - first, closed.segmentLength());
            if (!storage.exists(segments.file(first)) || length(segments.file(first)) < length) {
                return false;
            }
        }
        return true;
    }

    private long length(Path path) {
        try (LoomFile file = storage.openToRead(path)) {
            return file.size();
        }
    }

    /**
     * Has the indexes go on behind a gap, which is filled in the background, when they lack too many records to be written before
     * opening returns. A gap that there is already is given up with what lies before it, if that can be written again.
     */
    private Mark leaveGap(Mark closed) {
        long covered = sourceTable(closed).recordsCovered();
        if (closed.durable(LogKind.RECORD) - covered <= settings.backgroundRebuildBytes()) {
            return closed;
        }
        if (!closed.rebuild().exists()) {
            return new MarkFile(storage, files.mark()).writeTwice(closed.withGap(covered));
        }
        if (!rebuildable()) {
            return closed;
        }
        Mark without = discardIndexes(closed);
        return new MarkFile(storage, files.mark()).writeTwice(without.withGap(without.begin(LogKind.RECORD)));
    }

    /** The mark goes first: what a kill leaves of the files then is not looked at, and goes at the next time. */
    private Mark discardIndexes(Mark mark) {
        Mark without = new MarkFile(storage, files.mark()).writeTwice(mark.withoutIndexes());
        for (LogKind kind : List.of(LogKind.TIME, LogKind.CHUNK)) {
            for (Path file : storage.list(files.folder(kind))) {
                if (Segments.firstOf(file) >= 0) {
                    storage.delete(file);
                }
            }
            storage.syncDirectory(files.folder(kind));
        }
        return without;
    }

    /** What the indexes say of the sources, as far as they go. */
    SourceTable sourceTable(Mark closed) {
        StoreLogs logs = StoreLogs.files(files, storage, closed, closed.ends(), false);
        return SourceTable.load(
                logs.records(),
                logs.times(),
                closed.durable(LogKind.TIME),
                closed.begin(LogKind.RECORD),
                closed.durable(LogKind.RECORD),
                closed.checkpoint(),
                schema.withRecords(),
                true);
    }
}
