package dev.loom.query.group;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.query.model.Value;
import dev.loom.query.rank.ValueSum;
import dev.loom.read.ChunkSummary;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The totals of groups: how many records and values, and of the values sum, minimum and maximum. For one thread.
 *
 * <pre>
 *    0 records (8) | 8 values (8) | 16 least key (8) | 24 greatest key (8)
 *   32 remainder of the least (4) | 36 of the greatest (4) | 40 sum (40) | 80 distinct values (8)
 * </pre>
 */
public final class GroupStates {
    private static final int RECORDS_OFFSET = 0;
    private static final int VALUES_OFFSET = RECORDS_OFFSET + Long.BYTES;
    private static final int MIN_OFFSET = VALUES_OFFSET + Long.BYTES;
    private static final int MAX_OFFSET = MIN_OFFSET + Long.BYTES;
    private static final int MIN_REMAINDER_OFFSET = MAX_OFFSET + Long.BYTES;
    private static final int MAX_REMAINDER_OFFSET = MIN_REMAINDER_OFFSET + Integer.BYTES;
    private static final int SUM_OFFSET = MAX_REMAINDER_OFFSET + Integer.BYTES;
    private static final int DISTINCT_OFFSET = SUM_OFFSET + ValueSum.STORED_LENGTH;
    private static final int LENGTH = DISTINCT_OFFSET + Long.BYTES;

    private final RecordTable table;
    private final @Nullable IndexFunction function;
    private final ValueType type;
    private final ValueSum sum;
    private final ValueSum more;

    /** @param function of the values; null to count records, each of which is a value then */
    GroupStates(GroupMemory memory, @Nullable IndexFunction function) {
        this.table = new RecordTable(memory, LENGTH);
        this.function = function;
        this.type = function == null ? ValueType.I64 : function.type();
        this.sum = newSum();
        this.more = newSum();
    }

    /** A sum of no values of the function. */
    ValueSum newSum() {
        return new ValueSum(type, function != null && function.isExact());
    }

    int size() {
        return table.size();
    }

    /** Adds a group without records; returns its number. */
    int add() {
        return table.add();
    }

    /** Counts a record of each group. */
    void addRecords(int[] groups, int count) {
        for (int i = 0; i < count; i++) {
            addRecords(groups[i], 1);
        }
    }

    /** Counts a record of each group, and adds its value. The function must not keep integers exact. */
    void addRecords(int[] groups, long[] keys, int count) {
        for (int i = 0; i < count; i++) {
            UnsafeBuffer state = table.buffer(groups[i]);
            int at = table.offset(groups[i]);
            long key = keys[i];
            long values = state.getLong(at + VALUES_OFFSET);
            if (values == 0 || key < state.getLong(at + MIN_OFFSET)) {
                state.putLong(at + MIN_OFFSET, key);
            }
            if (values == 0 || key > state.getLong(at + MAX_OFFSET)) {
                state.putLong(at + MAX_OFFSET, key);
            }
            state.putLong(at + VALUES_OFFSET, values + 1);
            state.putLong(at + RECORDS_OFFSET, state.getLong(at + RECORDS_OFFSET) + 1);
            ValueSum.addStored(state, at + SUM_OFFSET, type, key);
        }
    }

    /** As {@link #addRecords(int[], long[], int)}, all of one group. */
    void addRecords(int group, long[] keys, int count) {
        UnsafeBuffer state = table.buffer(group);
        int at = table.offset(group);
        long least = keys[0];
        long greatest = keys[0];
        sum.load(state, at + SUM_OFFSET);
        for (int i = 0; i < count; i++) {
            least = Math.min(least, keys[i]);
            greatest = Math.max(greatest, keys[i]);
            sum.add(keys[i], 0);
        }
        sum.store(state, at + SUM_OFFSET);
        state.putLong(at + RECORDS_OFFSET, state.getLong(at + RECORDS_OFFSET) + count);
        stretch(state, at, count, least, 0, greatest, 0);
    }

    /** Counts a record, as a value too if records are counted. */
    void addRecords(int group, long records) {
        UnsafeBuffer state = table.buffer(group);
        int at = table.offset(group);
        state.putLong(at + RECORDS_OFFSET, state.getLong(at + RECORDS_OFFSET) + records);
        if (function == null) {
            state.putLong(at + VALUES_OFFSET, state.getLong(at + VALUES_OFFSET) + records);
        }
    }

    /** Adds the value of a record that was counted. */
    void addValue(int group, long key, int remainder) {
        UnsafeBuffer state = table.buffer(group);
        int at = table.offset(group);
        stretch(state, at, 1, key, remainder, key, remainder);
        sum.load(state, at + SUM_OFFSET);
        sum.add(key, remainder);
        sum.store(state, at + SUM_OFFSET);
    }

    /** Widens the extremes, and counts the values. */
    private static void stretch(
            UnsafeBuffer state, int at, long values, long min, int minRemainder, long max, int maxRemainder) {
        long before = state.getLong(at + VALUES_OFFSET);
        state.putLong(at + VALUES_OFFSET, before + values);
        long least = state.getLong(at + MIN_OFFSET);
        if (before == 0 || min < least || (min == least && minRemainder < state.getInt(at + MIN_REMAINDER_OFFSET))) {
            state.putLong(at + MIN_OFFSET, min);
            state.putInt(at + MIN_REMAINDER_OFFSET, minRemainder);
        }
        long greatest = state.getLong(at + MAX_OFFSET);
        if (before == 0
                || max > greatest
                || (max == greatest && maxRemainder > state.getInt(at + MAX_REMAINDER_OFFSET))) {
            state.putLong(at + MAX_OFFSET, max);
            state.putInt(at + MAX_REMAINDER_OFFSET, maxRemainder);
        }
    }

    /** Whether what an index has of a chunk is as good as the values of its records. */
    boolean takes(ChunkSummary totals) {
        return sum.takes(totals);
    }

    /** Adds the values of all records of a chunk, which were counted. */
    void addValues(int group, ChunkSummary totals) {
        if (totals.count() > 0) {
            UnsafeBuffer state = table.buffer(group);
            int at = table.offset(group);
            stretch(state, at, totals.count(), totals.minKey(), 0, totals.maxKey(), 0);
            sum.load(state, at + SUM_OFFSET);
            sum.add(totals);
            sum.store(state, at + SUM_OFFSET);
        }
    }

    /** Adds another group, of these states or of others with the same function, except for its distinct values. */
    void merge(int into, GroupStates others, int group) {
        UnsafeBuffer from = others.table.buffer(group);
        int fromAt = others.table.offset(group);
        UnsafeBuffer state = table.buffer(into);
        int at = table.offset(into);
        state.putLong(at + RECORDS_OFFSET, state.getLong(at + RECORDS_OFFSET) + from.getLong(fromAt + RECORDS_OFFSET));
        long values = from.getLong(fromAt + VALUES_OFFSET);
        if (values > 0) {
            stretch(
                    state,
                    at,
                    values,
                    from.getLong(fromAt + MIN_OFFSET),
                    from.getInt(fromAt + MIN_REMAINDER_OFFSET),
                    from.getLong(fromAt + MAX_OFFSET),
                    from.getInt(fromAt + MAX_REMAINDER_OFFSET));
            others.sum(group, more);
            sum.load(state, at + SUM_OFFSET);
            sum.add(more);
            sum.store(state, at + SUM_OFFSET);
        }
    }

    /** The number of records. */
    public long records(int group) {
        return table.buffer(group).getLong(table.offset(group) + RECORDS_OFFSET);
    }

    /** The number of values. */
    public long values(int group) {
        return table.buffer(group).getLong(table.offset(group) + VALUES_OFFSET);
    }

    long minKey(int group) {
        return table.buffer(group).getLong(table.offset(group) + MIN_OFFSET);
    }

    long maxKey(int group) {
        return table.buffer(group).getLong(table.offset(group) + MAX_OFFSET);
    }

    /** The least value of a group that has values. */
    public Value min(int group) {
        return new Value(type, minKey(group), table.buffer(group).getInt(table.offset(group) + MIN_REMAINDER_OFFSET));
    }

    /** The greatest value of a group that has values. */
    public Value max(int group) {
        return new Value(type, maxKey(group), table.buffer(group).getInt(table.offset(group) + MAX_REMAINDER_OFFSET));
    }

    /** The sum of a group, newly allocated. */
    public ValueSum sum(int group) {
        ValueSum of = newSum();
        sum(group, of);
        return of;
    }

    /** Sets a sum to that of a group. */
    void sum(int group, ValueSum into) {
        into.load(table.buffer(group), table.offset(group) + SUM_OFFSET);
    }

    /** The number of distinct values of another field. */
    public long distinct(int group) {
        return table.buffer(group).getLong(table.offset(group) + DISTINCT_OFFSET);
    }

    void addDistinct(int group, long values) {
        UnsafeBuffer state = table.buffer(group);
        int at = table.offset(group) + DISTINCT_OFFSET;
        state.putLong(at, state.getLong(at) + values);
    }
}
