package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.text.TokenCondition;
import org.jspecify.annotations.Nullable;

/**
 * Tells which chunks of a source may have records that meet a condition on tokens, by its units; a chunk without one may. Reads each
 * group of units once, for all of its chunks. For one thread.
 */
public final class TokenSearch {
    private final GroupCursor groups;
    private final UnitSearch search;
    private @Nullable UnitGroup searched;
    private long unitsTested;
    private long unitsSkipped;
    private long chunksSkippedByFilter;
    private long chunksSkippedByRows;
    private long chunksLeft;
    private long chunksUnknown;

    /** @param groups that other searches of the same query may move too */
    public TokenSearch(GroupCursor groups, TokenCondition condition) {
        this.groups = groups;
        this.search = new UnitSearch(condition);
    }

    /** Whether records of a chunk may meet the condition; false is certain. */
    public boolean mayMeet(long chunk) {
        UnitGroup group = search(chunk);
        int unit = group == null ? -1 : group.unitAt(chunk);
        if (group == null || unit < 0 || !group.extent(unit).has(chunk)) {
            chunksUnknown++;
            return true;
        }
        RowSet rows = search.rows(unit);
        if (group.extent(unit).meets(rows, chunk)) {
            chunksLeft++;
            return true;
        }
        chunksSkippedByFilter += rows.isEmpty() ? 1 : 0;
        chunksSkippedByRows += rows.isEmpty() ? 0 : 1;
        return false;
    }

    private @Nullable UnitGroup search(long chunk) {
        UnitGroup group = groups.groupAt(chunk);
        if (group != null && group != searched) {
            searched = null;
            try {
                search.search(group);
                searched = group;
            } catch (CorruptStoreException | StoreIoException e) {
                groups.abandon();
                return null;
            }
            for (int i = 0; i < group.units(); i++) {
                unitsTested++;
                unitsSkipped += search.rows(i).isEmpty() ? 1 : 0;
            }
        }
        return group;
    }

    /** Units whose filters were asked. */
    public long unitsTested() {
        return unitsTested;
    }

    /** Those of them that have no row for the condition. */
    public long unitsSkipped() {
        return unitsSkipped;
    }

    /** Chunks of units that have no row for the condition. */
    public long chunksSkippedByFilter() {
        return chunksSkippedByFilter;
    }

    /** Chunks without such a row, of units that have one elsewhere. */
    public long chunksSkippedByRows() {
        return chunksSkippedByRows;
    }

    /** Chunks that may have records that meet the condition. */
    public long chunksLeft() {
        return chunksLeft;
    }

    /** Chunks of which no unit tells anything. */
    public long chunksUnknown() {
        return chunksUnknown;
    }
}
