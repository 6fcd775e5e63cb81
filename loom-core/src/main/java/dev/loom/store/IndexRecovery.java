package dev.loom.store;

import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.Segments;
import dev.loom.record.SourceTable;
import dev.loom.schema.Schema;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
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
    private Map<Integer, Long> lost = Map.of();
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
        boolean drop = settings.rebuildIndexes()
                || closed.indexState() == IndexState.DAMAGED
                || !whole(closed, recovered || closed.indexState() == IndexState.UNCHECKED);
        if (drop) {
            lost = sourceTable(closed).lost();
        }
        return leaveGap(drop ? discardIndexes(closed) : closed);
    }

    /** Records lost by source, of which indexes that were dropped spoke. */
    Map<Integer, Long> lost() {
        return lost;
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
     * Has the indexes go on behind a gap, which is filled in the background, when they lack too many records to be written before
     * opening returns. A gap that there is already is given up with what lies before it.
     */
    private Mark leaveGap(Mark closed) {
        long covered = sourceTable(closed).recordsCovered();
        if (closed.durable(LogKind.RECORD) - covered <= settings.backgroundRebuildBytes()) {
            return closed;
        }
        if (!closed.rebuild().exists()) {
            return new MarkFile(storage, files.mark()).writeTwice(closed.withGap(covered));
        }
        Mark without = discardIndexes(closed);
        return new MarkFile(storage, files.mark()).writeTwice(without.withGap(without.begin(LogKind.RECORD)));
    }

    /** The mark goes first: what a kill leaves of the files then is not looked at, and goes at the next time. */
    private Mark discardIndexes(Mark mark) {
        unchecked = null;
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
