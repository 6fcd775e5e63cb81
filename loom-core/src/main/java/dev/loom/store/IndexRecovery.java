package dev.loom.store;

import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.Segments;
import dev.loom.log.UnsharedLog;
import dev.loom.record.LossCheckpoint;
import dev.loom.record.SourceTable;
import dev.loom.schema.Schema;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
    private @Nullable IndexCheck unchecked;

    IndexRecovery(Settings settings, StoreFiles files, Schema schema) {
        this.settings = settings;
        this.storage = settings.storage();
        this.files = files;
        this.schema = schema;
    }

    /**
     * Returns the mark, which is on disk, of a store whose indexes are whole as far as they go and as far as is known.
     *
     * @param recovered whether the store was not closed, so that pages may be damaged
     */
    Mark run(Mark closed, boolean recovered) {
        deleteUnnamed(closed);
        boolean drop = settings.rebuildIndexes()
                || closed.indexState() == IndexState.DAMAGED
                || !whole(closed, recovered || closed.indexState() == IndexState.UNCHECKED);
        SourceTable known = sourceTable(closed);
        drop |= known.malformed();
        long covered = drop ? closed.begin(LogKind.RECORD) : known.recordsCovered();
        boolean gap = closed.durable(LogKind.RECORD) - covered > settings.backgroundRebuildBytes();
        if (!drop && !gap) {
            return closed;
        }
        // a gap that there is already is given up with what lies before it
        boolean anew = drop || closed.rebuild().exists();
        Mark next = anew ? closed.withoutIndexes() : closed;
        if (gap) {
            known.countLost(closed.durable(LogKind.RECORD));
            next = beginBehind(next.withGap(anew ? closed.begin(LogKind.RECORD) : covered), known);
        }
        next = new MarkFile(storage, files.mark()).writeTwice(next);
        if (anew) {
            unchecked = null;
            deleteUnnamed(next);
        }
        return next;
    }

    /** What there was too much of to be read before opening returns, or null. */
    @Nullable
    IndexCheck unchecked() {
        return unchecked;
    }

    /** What is known of the indexes after {@link #run}. */
    IndexState state() {
        return unchecked == null ? IndexState.WHOLE : IndexState.UNCHECKED;
    }

    private boolean whole(Mark closed, boolean pages) {
        IndexCheck check = new IndexCheck(storage, files, closed);
        if (!check.filesWhole()) {
            return false;
        }
        if (pages && check.length() > settings.indexCheckBytes()) {
            unchecked = check;
            return true;
        }
        return !pages || check.pagesWhole(() -> false);
    }

    /**
     * Has the timestamp index begin behind its gap with what was lost before, if anything was, for nothing else there would tell.
     *
     * @param known what the indexes said before any were given up
     */
    private Mark beginBehind(Mark gap, SourceTable known) {
        if (known.lost().values().stream().allMatch(lost -> lost == 0)) {
            return gap;
        }
        SourceTable table = sourceTable(gap);
        table.lost().putAll(known.lost());
        try (UnsharedLog log = new UnsharedLog(
                LogKind.TIME,
                gap.storeId(),
                gap.epoch(),
                storage,
                files.segments(LogKind.TIME, gap.segmentLength()),
                gap.rebuild().timeEnd(),
                gap.ringLength(LogKind.TIME))) {
            LossCheckpoint checkpoint = LossCheckpoint.write(
                    log, StoreSession.writerSources(schema, table), gap.durable(LogKind.RECORD), gap.lastTimeNs());
            return gap.withTimeIndex(checkpoint.end(), checkpoint.address());
        }
    }

    /**
     * Deletes the indexes' segment files that lie wholly where the mark says there is nothing. What a kill leaves of them is not
     * looked at, and goes at the next opening.
     */
    private void deleteUnnamed(Mark mark) {
        for (LogKind kind : List.of(LogKind.TIME, LogKind.CHUNK)) {
            boolean deleted = false;
            for (Path file : storage.list(files.folder(kind))) {
                long first = Segments.firstOf(file);
                if (first >= 0 && !names(mark, kind, first)) {
                    storage.delete(file);
                    deleted = true;
                }
            }
            if (deleted) {
                storage.syncDirectory(files.folder(kind));
            }
        }
    }

    /** Whether a mark names an address of the segment that begins at one: before the gap, if there is one, or behind it. */
    private static boolean names(Mark mark, LogKind kind, long first) {
        long begin = mark.begin(kind);
        long end = first + mark.segmentLength();
        boolean beforeGap = first < mark.rebuild().begin(kind) && end > begin;
        boolean behindGap = first < mark.durable(kind)
                && end > Math.max(begin, mark.rebuild().end(kind));
        return beforeGap || behindGap;
    }

    /** What the indexes say of the sources, as far as they go. */
    SourceTable sourceTable(Mark closed) {
        StoreLogs logs = StoreLogs.files(files, storage, closed, closed.ends());
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
