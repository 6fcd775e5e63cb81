package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import dev.loom.error.LoomException;
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
    /** The unit where the chunk lies that was asked about last, its rows for the condition, and the chunk's place in it. */
    private @Nullable UnitExtent extent;

    private RowSet rows = new RowSet();
    private int place;
    /** The unit that told of that chunk; null if the chunk need not be read, or none told. */
    private @Nullable UnitExtent unit;

    private boolean unitBounded;
    private long unitRowsMost;
    private double chunkRows;

    /** @param groups that other searches of the same query may move too */
    public TokenSearch(GroupCursor groups, TokenCondition condition) {
        this.groups = groups;
        this.search = new UnitSearch(condition);
    }

    /** Whether records of a chunk may meet the condition; false is certain. */
    public boolean mayMeet(long chunkAddress) {
        unit = null;
        UnitExtent moved = move(chunkAddress);
        if (moved == null) {
            chunksUnknown++;
            return true;
        }
        if (moved.meets(rows, place)) {
            chunksLeft++;
            unit = moved;
            unitBounded = rows.isBounded();
            unitRowsMost = rows.most(moved.rows());
            chunkRows = (double) moved.rowsIn(rows, place) * unitRowsMost / rows.count(0, moved.rows());
            return true;
        }
        chunksSkippedByFilter += rows.isEmpty() ? 1 : 0;
        chunksSkippedByRows += rows.isEmpty() ? 0 : 1;
        return false;
    }

    /**
     * Whether records of a run of chunks may meet the condition; false is certain. Tells nothing of a run whose chunks are not all in one
     * group of units, so that a walk still reads each group once.
     *
     * @param start where the first of the chunks begins
     * @param end where the last of them ends
     * @param records how many records of the source they have
     */
    public boolean mayMeet(long start, long end, long records) {
        unit = null;
        try {
            UnitGroup group = groups.spans(start, end) ? search(start) : null;
            return group == null || mayMeet(group, start, end, records);
        } catch (CorruptStoreException | StoreIoException e) {
            abandon(e);
            return true;
        }
    }

    private boolean mayMeet(UnitGroup group, long start, long end, long records) {
        UnitExtents extents = group.extents();
        long without = 0;
        long byFilter = 0;
        long byRows = 0;
        for (int i = extents.unitFrom(start); i < extents.units() && extents.start(i) < end; i++) {
            RowSet found = search.rows(i);
            boolean whole = start <= extents.start(i) && extents.end(i) <= end;
            UnitExtent in = whole ? null : group.extent(i);
            int from = in == null ? 0 : in.placeFrom(start);
            int to = in == null ? extents.chunks(i) : in.placeFrom(end);
            int firstRow = in == null ? 0 : in.firstRow(from);
            int endRow = in == null ? extents.rows(i) : in.firstRow(to);
            if (found.meets(firstRow, endRow)) {
                return true;
            }
            without += endRow - firstRow;
            byFilter += found.isEmpty() ? to - from : 0;
            byRows += found.isEmpty() ? 0 : to - from;
        }
        if (without != records) { // some chunk is in no unit
            return true;
        }
        chunksSkippedByFilter += byFilter;
        chunksSkippedByRows += byRows;
        return false;
    }

    /** Moves to a chunk of a unit, mostly the neighbour of the one before; null if no unit has it. */
    private @Nullable UnitExtent move(long chunkAddress) {
        try {
            extent = unitOf(chunkAddress);
        } catch (CorruptStoreException | StoreIoException e) {
            abandon(e);
        }
        UnitExtent in = extent;
        place = in == null ? -1 : in.find(chunkAddress, place);
        return place < 0 ? null : in;
    }

    private @Nullable UnitExtent unitOf(long chunkAddress) {
        UnitGroup group = search(chunkAddress);
        UnitExtent in = extent;
        if (group == null || (in != null && in.spans(chunkAddress))) {
            return group == null ? null : in;
        }
        int number = group.extents().unitAt(chunkAddress);
        if (number < 0) {
            return null;
        }
        rows = search.rows(number);
        return group.extent(number);
    }

    /** Searches the group that has an address; null if there is none. */
    private @Nullable UnitGroup search(long address) {
        UnitGroup group = groups.groupAt(address);
        if (group != null && group != searched) {
            searched = null;
            extent = null;
            search.search(group);
            searched = group;
            for (int i = 0; i < group.units(); i++) {
                unitsTested++;
                unitsSkipped += search.rows(i).isEmpty() ? 1 : 0;
            }
        }
        return group;
    }

    /** Gives up the group that is open, as a part of its file can't be read or is damaged. */
    private void abandon(LoomException cause) {
        searched = null;
        extent = null;
        groups.abandon(cause);
    }

    /** Where the unit begins that told of the chunk asked about last, if that may meet the condition; -1 if none told. */
    public long unit() {
        return unit == null ? -1 : unit.start();
    }

    /** Whether lists or counts of the unit tell {@link #unitRowsMost()}, rather than that any row behind a full list may. */
    public boolean unitBounded() {
        return unitBounded;
    }

    /** How many rows of {@link #unit()} can meet the condition at most. */
    public long unitRowsMost() {
        return unitRowsMost;
    }

    /** How many rows of the chunk meet the condition if those of the unit, taken as the most, lie evenly in it. */
    public double chunkRows() {
        return chunkRows;
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
