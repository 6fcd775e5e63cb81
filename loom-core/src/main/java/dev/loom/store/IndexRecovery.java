package dev.loom.store;

import dev.loom.api.StoreInfo.IndexState;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Segments;
import dev.loom.log.UnsharedLog;
import dev.loom.record.LossCheckpoint;
import dev.loom.record.SourceTable;
import dev.loom.schema.Schema;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides at opening what to do with indexes that are missing, damaged, or to be rebuilt. The new session writes a few
 * missing entries before opening returns. For many it leaves a gap, which the session fills in the background.
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
     * Returns the mark on disk, of a store whose existing indexes are intact as far as is known.
     *
     * @param recovered whether the store had not been closed, so that pages may be damaged
     * @param wrong whether the indexes are known to be wrong
     */
    Mark run(Mark closed, boolean recovered, boolean wrong) {
        deleteUnnamed(closed);
        boolean drop = wrong
                || settings.rebuildIndexes()
                || closed.indexState() == IndexState.DAMAGED
                || !whole(closed, recovered || closed.indexState() == IndexState.UNCHECKED);
        SourceTable known = sourceTable(closed);
        drop |= known.malformed();
        long covered = drop ? closed.begin(LogKind.RECORD) : known.recordsCovered();
        boolean gap = closed.durable(LogKind.RECORD) - covered > settings.backgroundRebuildBytes();
        if (!drop && !gap) {
            return closed;
        }
        // an existing gap is given up together with the part before it
        boolean fromScratch = drop || closed.rebuild().exists();
        Mark next = fromScratch ? closed.withoutIndexes() : closed;
        if (gap) {
            known.countLost(closed.durable(LogKind.RECORD));
            next = next.withGap(fromScratch ? closed.begin(LogKind.RECORD) : covered);
            next = beginWith(
                    known.lost(), next, next.rebuild().timeEnd(), next.durable(LogKind.RECORD), next.lastTimeNs());
        } else {
            next = beginWith(
                    unmarked(known, next),
                    next,
                    next.durable(LogKind.TIME),
                    next.begin(LogKind.RECORD),
                    Long.MIN_VALUE);
        }
        // before the mark says that all is well: they sum up what is dropped
        files.runs(storage).deleteAll(next.begin(LogKind.RECORD));
        next = new MarkFile(storage, files.mark()).writeTwice(next);
        if (fromScratch) {
            unchecked = null;
            deleteUnnamed(next);
        }
        return next;
    }

    /** The check that was too long to finish before opening returns, or null. */
    @Nullable
    IndexCheck unchecked() {
        return unchecked;
    }

    /** The state of the indexes after {@link #run}. */
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
        long[] read = {-PageDescriptor.PAGE_LENGTH}; // asked before each page
        return !pages
                || check.pagesWhole(() -> {
                    settings.progress().onProgress(read[0] += PageDescriptor.PAGE_LENGTH, check.length());
                    return false; // it goes on to the end: the next opening would not check again
                });
    }

    /**
     * The losses that no marker in the log tells any more, since retention has deleted it.
     *
     * @param known the contents of the indexes before they were given up
     * @param emptied the mark of a store without indexes
     */
    private Map<Integer, Long> unmarked(SourceTable known, Mark emptied) {
        long end = emptied.durable(LogKind.RECORD);
        known.countLost(end);
        if (isNone(known.lost())) {
            return known.lost();
        }
        SourceTable marked = sourceTable(emptied);
        marked.countLost(end);
        Map<Integer, Long> unmarked = new TreeMap<>();
        known.lost()
                .forEach((id, lost) ->
                        unmarked.put(id, Math.max(0, lost - marked.lost().getOrDefault(id, 0L))));
        return unmarked;
    }

    private static boolean isNone(Map<Integer, Long> losses) {
        return losses.values().stream().allMatch(lost -> lost == 0);
    }

    /**
     * Begins the timestamp index, or what follows its gap, with earlier losses, if there were any, since nothing else there
     * would report them.
     *
     * @param losses by source id
     * @param begun the mark of a store whose timestamp index is empty, or is so behind its gap
     * @param timeAddress where to begin
     * @param recordAddress the first record that is described from there on
     * @param lastTimeNs of the last record before that
     */
    private Mark beginWith(
            Map<Integer, Long> losses, Mark begun, long timeAddress, long recordAddress, long lastTimeNs) {
        if (isNone(losses)) {
            return begun;
        }
        SourceTable table = sourceTable(begun);
        table.lost().putAll(losses);
        try (UnsharedLog log = new UnsharedLog(
                LogKind.TIME,
                begun.storeId(),
                begun.epoch(),
                storage,
                files.segments(LogKind.TIME, begun.segmentLength()),
                timeAddress,
                begun.ringLength(LogKind.TIME))) {
            LossCheckpoint checkpoint =
                    LossCheckpoint.write(log, SessionSchema.writerSources(schema, table), recordAddress, lastTimeNs);
            return begun.withTimeIndex(checkpoint.end(), checkpoint.address());
        }
    }

    /**
     * Deletes the indexes' segment files that lie entirely in ranges that the mark says are empty, except for those below their begins, which
     * retention deletes. Files that a kill leaves behind are never read, and go at the next opening.
     */
    private void deleteUnnamed(Mark mark) {
        for (LogKind kind : List.of(LogKind.TIME, LogKind.CHUNK)) {
            boolean deleted = false;
            for (Path file : storage.list(files.folder(kind))) {
                long first = Segments.firstOf(file);
                if (first >= 0 && first + mark.segmentLength() > mark.begin(kind) && !names(mark, kind, first)) {
                    storage.delete(file);
                    deleted = true;
                }
            }
            if (deleted) {
                storage.syncDirectory(files.folder(kind));
            }
        }
    }

    /** Whether a mark covers any address of the segment that begins at {@code first}, before or after the gap. */
    private static boolean names(Mark mark, LogKind kind, long first) {
        long begin = mark.begin(kind);
        long end = first + mark.segmentLength();
        boolean beforeGap = first < mark.rebuild().begin(kind) && end > begin;
        boolean behindGap = first < mark.durable(kind)
                && end > Math.max(begin, mark.rebuild().end(kind));
        return beforeGap || behindGap;
    }

    /** The totals of the sources in the existing indexes. */
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
