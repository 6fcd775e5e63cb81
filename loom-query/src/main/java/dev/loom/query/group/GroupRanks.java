package dev.loom.query.group;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.query.model.Value;
import dev.loom.query.rank.Percentiles;
import dev.loom.query.rank.Selection;
import dev.loom.read.BinListReader;
import dev.loom.value.BinScale;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the values of ranks of many groups, exactly, by passes over the values that serve all groups at once. Each rank lies in an
 * interval of its group, at first from the group's least value to its greatest. A pass counts the values of each interval by parts of
 * equal width, or by bins, log-linear ones or those of an index, which narrows the interval, or collects them once they are few. Intervals
 * share what memory there is; if they are too many for it, some wait for a later pass.
 *
 * <p>Memory: 32 bytes per group and rank, 40 per interval and, during a search, at most 16 MiB of cells, less if a quarter of what is
 * left is less, but 128 bytes per interval or 512 KiB; and 384 KiB for what a chunk or run adds. For one thread.
 */
public final class GroupRanks {
    private static final int RANK_OFFSET = 0;
    private static final int KEY_OFFSET = RANK_OFFSET + Long.BYTES;
    private static final int INTERVAL_OFFSET = KEY_OFFSET + Long.BYTES;
    private static final int REMAINDER_OFFSET = INTERVAL_OFFSET + Integer.BYTES;
    private static final int STATE_OFFSET = REMAINDER_OFFSET + Integer.BYTES;
    private static final int LENGTH = STATE_OFFSET + Long.BYTES;

    /** States of a rank. */
    private static final int NOT_ASKED = 0;

    private static final int SEARCHED = 1;
    private static final int FOUND = 2;
    private static final int LOST = 3;

    private static final int CELLS_LENGTH_MAX = 16 << 20;
    private static final int CELLS_LENGTH_MIN = 512 << 10;

    /** Fewer slots would take too many passes. */
    private static final int SLOTS_MIN = 16;

    /** More values are not collected, more slots not counted. */
    private static final int CELLS_EACH_MAX = 1 << 15;

    /** The greatest distance between neighbouring doubles below 2^64. */
    private static final int REMAINDERS = 1 << 11;

    /** Every integer up to this is exact as a double. */
    private static final double EXACT_MAX = 0x1p53;

    private final GroupMemory memory;
    private final GroupStates states;
    private final ValueType type;
    private final boolean exact;
    private final List<BigDecimal> percentiles;
    private final RecordTable ranks;
    private RankIntervals open;
    private RankIntervals next;
    /** For each group, the first of its intervals and their number. */
    private final RecordTable ofGroup;

    private @Nullable UnsafeBuffer cells;
    private long[] selected = new long[0];

    private final WantedBins wantedBins;
    private final NotedValues noted = new NotedValues();

    /**
     * Prepares to search.
     *
     * @param states of all groups
     * @param function of the values; null if there are none
     * @param percentiles ascending, without repeats
     * @param scale the bins of an index by the groups' fields; null if there is none
     */
    GroupRanks(
            GroupMemory memory,
            GroupStates states,
            @Nullable IndexFunction function,
            List<BigDecimal> percentiles,
            @Nullable BinScale scale) {
        this.memory = memory;
        this.states = states;
        this.type = function == null ? ValueType.I64 : function.type();
        this.exact = function != null && function.isExact();
        this.percentiles = percentiles;
        wantedBins = new WantedBins(percentiles.size());
        ranks = new RecordTable(memory, LENGTH);
        open = new RankIntervals(memory, type, scale);
        next = new RankIntervals(memory, type, scale);
        ofGroup = new RecordTable(memory, Long.BYTES);
    }

    /** Asks for the ranks of a group that were not asked for before. */
    void ask(int group) {
        while (ofGroup.size() <= group) {
            ofGroup.add();
            for (int i = 0; i < percentiles.size(); i++) {
                ranks.add();
            }
        }
        long values = states.values(group);
        if (values == 0 || state(rank(group, 0)) != NOT_ASKED) {
            return;
        }
        int interval = open.add(states.minKey(group), states.maxKey(group), values);
        setIntervals(group, interval, 1);
        for (int i = 0; i < percentiles.size(); i++) {
            int rank = rank(group, i);
            set(rank, RANK_OFFSET, Percentiles.rank(percentiles.get(i), values));
            setState(rank, SEARCHED);
            setInterval(rank, interval);
        }
        settle(group, interval);
    }

    /** Finds the ranks of an interval of one key, unless values of that key differ. */
    private void settle(int group, int interval) {
        if (open.isOne(interval) && !hasRemainders(open.low(interval))) {
            for (int i = 0; i < percentiles.size(); i++) {
                found(rank(group, i), open.low(interval), 0);
            }
            setIntervals(group, interval, 0);
        }
    }

    private boolean hasRemainders(long key) {
        return exact && Math.abs(ValueType.doubleOf(key)) >= EXACT_MAX && !Double.isInfinite(ValueType.doubleOf(key));
    }

    private int rank(int group, int i) {
        return group * percentiles.size() + i;
    }

    private void set(int rank, int field, long value) {
        ranks.buffer(rank).putLong(ranks.offset(rank) + field, value);
    }

    private long get(int rank, int field) {
        return ranks.buffer(rank).getLong(ranks.offset(rank) + field);
    }

    private int state(int rank) {
        return (int) get(rank, STATE_OFFSET);
    }

    private void setState(int rank, int state) {
        set(rank, STATE_OFFSET, state);
    }

    private void setInterval(int rank, int interval) {
        ranks.buffer(rank).putInt(ranks.offset(rank) + INTERVAL_OFFSET, interval);
    }

    private int interval(int rank) {
        return ranks.buffer(rank).getInt(ranks.offset(rank) + INTERVAL_OFFSET);
    }

    private void found(int rank, long key, int remainder) {
        set(rank, KEY_OFFSET, key);
        ranks.buffer(rank).putInt(ranks.offset(rank) + REMAINDER_OFFSET, remainder);
        setState(rank, FOUND);
    }

    private void setIntervals(int group, int first, int count) {
        UnsafeBuffer buffer = ofGroup.buffer(group);
        buffer.putInt(ofGroup.offset(group), first);
        buffer.putInt(ofGroup.offset(group) + Integer.BYTES, count);
    }

    /** Whether the value of every rank asked for is found, or can't be. */
    boolean isDone() {
        for (int group = 0; group < ofGroup.size(); group++) {
            if (count(group) > 0) {
                return false;
            }
        }
        return true;
    }

    private int first(int group) {
        return ofGroup.buffer(group).getInt(ofGroup.offset(group));
    }

    /** The number of a group's intervals that are still to be narrowed. */
    private int count(int group) {
        return ofGroup.buffer(group).getInt(ofGroup.offset(group) + Integer.BYTES);
    }

    /** Prepares a pass: gives each interval its cells. */
    void begin() {
        free(); // before asking how much is left
        int intervals = 0;
        for (int group = 0; group < ofGroup.size(); group++) {
            intervals += count(group);
        }
        long least = Math.min(CELLS_LENGTH_MAX, Math.max(CELLS_LENGTH_MIN, (long) intervals * SLOTS_MIN * Long.BYTES));
        int room = memory.share((int) least, CELLS_LENGTH_MAX) / Long.BYTES;
        int share = share(room, intervals);
        int used = 0;
        for (int group = 0; group < ofGroup.size(); group++) {
            for (int i = first(group), end = i + count(group); i < end; i++) {
                used += prepare(i, used, room - used, share);
            }
        }
        cells = memory.allocate(Math.max(1, used) * Long.BYTES);
    }

    /** The most cells of an interval: what those with few values leave is shared among the others. */
    private int share(int room, int intervals) {
        int fair = fair(room, intervals);
        long collected = 0;
        int others = 0;
        for (int group = 0; group < ofGroup.size(); group++) {
            for (int i = first(group), end = i + count(group); i < end; i++) {
                boolean few = open.count(i) <= fair;
                collected += few ? open.count(i) : 0;
                others += few ? 0 : 1;
            }
        }
        return others == 0 ? fair : fair((int) (room - collected), others);
    }

    private static int fair(int room, int intervals) {
        return Math.max(SLOTS_MIN, Math.min(CELLS_EACH_MAX, room / Math.max(1, intervals)));
    }

    /** Returns the number of cells that an interval takes; 0 if it has to wait. */
    private int prepare(int interval, int begin, int room, int share) {
        int cellsMax = Math.min(room, share);
        int mode = RankIntervals.WAITS;
        int taken = 0;
        if (open.isOne(interval)) {
            mode = room >= REMAINDERS ? RankIntervals.REMAINDERS : RankIntervals.WAITS;
            taken = REMAINDERS;
        } else if (open.isForBins(interval, cellsMax)) {
            mode = RankIntervals.BINS;
            taken = open.bins(interval);
        } else if (open.count(interval) <= cellsMax) {
            mode = RankIntervals.COLLECTS;
            taken = (int) open.count(interval);
        } else if (cellsMax >= SLOTS_MIN) {
            mode = RankIntervals.COUNTS;
            taken = cellsMax;
        }
        open.prepare(interval, mode, begin, taken);
        return mode == RankIntervals.WAITS ? 0 : mode == RankIntervals.COUNTS ? open.used(interval) : taken;
    }

    /** Whether values of a group still matter; not if it is {@link GroupTable#NONE}. */
    boolean wants(int group) {
        return group >= 0 && group < ofGroup.size() && count(group) > 0;
    }

    /** Adds a value of each group that {@link #wants} it. */
    void add(int[] groups, long[] keys, int count) {
        for (int i = 0; i < count; i++) {
            if (wants(groups[i])) {
                add(groups[i], keys[i], 0);
            }
        }
    }

    /** Adds a value. */
    void add(int group, long key, int remainder) {
        UnsafeBuffer into = cells;
        for (int i = first(group), end = i + count(group); i < end && into != null; i++) {
            long low = open.low(i);
            if (Long.compareUnsigned(key - low, open.high(i) - low) <= 0) {
                add(into, i, key, remainder);
                return; // the intervals of a group don't overlap
            }
        }
    }

    private void add(UnsafeBuffer into, int interval, long key, int remainder) {
        switch (open.mode(interval)) {
            case RankIntervals.COLLECTS -> open.collect(interval, key, into);
            case RankIntervals.COUNTS, RankIntervals.BINS ->
                count(into, open.begin(interval) + open.slot(interval, key));
            case RankIntervals.REMAINDERS -> count(into, open.begin(interval) + remainder);
            default -> {}
        }
    }

    /** The bins with values that matter for a group; until the next call. */
    WantedBins wantedBins(int group, BinScale scale) {
        wantedBins.clear();
        for (int i = first(group), end = i + count(group); i < end; i++) {
            if (open.mode(i) != RankIntervals.WAITS) {
                int cell = open.countsBins(i, scale) ? open.begin(i) : WantedBins.NONE;
                wantedBins.add(scale.bin(open.low(i)), scale.bin(open.high(i)), cell);
            }
        }
        return wantedBins;
    }

    /** What the part that is looked at adds; of no effect until {@link #addNoted}. */
    NotedValues noted() {
        return noted;
    }

    /** Notes the values of a bin; false if they can't be counted together, nor are known one by one. */
    boolean note(int group, BinListReader bin) {
        boolean notes = true;
        for (int i = first(group), end = i + count(group); i < end && notes; i++) {
            boolean apart = bin.maxKey() < open.low(i) || bin.minKey() > open.high(i);
            if (!apart && open.mode(i) != RankIntervals.WAITS) {
                notes = open.isInSlot(i, bin)
                        ? noted.addCount(open.begin(i) + open.slot(i, bin.minKey()), bin.count())
                        : bin.isComplete() && noteEach(i, bin);
            }
        }
        return notes;
    }

    private boolean noteEach(int interval, BinListReader bin) {
        long low = open.low(interval);
        long width = open.high(interval) - low;
        int begin = open.begin(interval);
        int mode = open.mode(interval);
        boolean notes = true;
        for (int value = 0; value < bin.count() && notes; value++) {
            long key = bin.key(value);
            if (Long.compareUnsigned(key - low, width) <= 0) {
                notes = mode == RankIntervals.COLLECTS
                        ? noted.addKey(interval, key)
                        : noted.addCount(
                                mode == RankIntervals.REMAINDERS ? begin : begin + open.slot(interval, key), 1);
            }
        }
        return notes;
    }

    /** Adds what was noted. */
    void addNoted() {
        noted.addTo(cells(), open);
    }

    private static void count(UnsafeBuffer into, int cell) {
        int at = cell * Long.BYTES;
        into.putLong(at, into.getLong(at) + 1);
    }

    /** Ends a pass: narrows the intervals. */
    void end() {
        for (int group = 0; group < ofGroup.size(); group++) {
            if (count(group) > 0) {
                narrow(group);
            }
        }
        RankIntervals done = open;
        open = next;
        next = done;
        next.clear();
    }

    private void narrow(int group) {
        int first = next.size();
        for (int i = 0; i < percentiles.size(); i++) {
            int rank = rank(group, i);
            if (state(rank) == SEARCHED) {
                switch (open.mode(interval(rank))) {
                    case RankIntervals.COLLECTS -> select(rank, first);
                    case RankIntervals.COUNTS, RankIntervals.BINS -> narrow(rank, first);
                    case RankIntervals.REMAINDERS -> findRemainder(rank);
                    default -> {
                        int interval = interval(rank);
                        go(rank, first, open.low(interval), open.high(interval), open.count(interval));
                    }
                }
            }
        }
        setIntervals(group, first, next.size() - first);
    }

    /** Lets a rank go on with an interval, which it shares with the rank before if that has the same. */
    private void go(int rank, int first, long low, long high, long count) {
        if (low == high && !hasRemainders(low)) {
            found(rank, low, 0);
            return;
        }
        int last = next.size() - 1;
        boolean shared = last >= first && next.low(last) == low && next.high(last) == high;
        setInterval(rank, shared ? last : next.add(low, high, count));
    }

    private void select(int rank, int first) {
        int interval = interval(rank);
        int used = open.used(interval);
        if (used == 0) {
            setState(rank, LOST);
            return;
        }
        if (selected.length < used) {
            selected = new long[Math.max(used, Math.min(CELLS_EACH_MAX, 2 * selected.length))];
        }
        UnsafeBuffer from = cells();
        for (int i = 0; i < used; i++) {
            selected[i] = from.getLong((open.begin(interval) + i) * Long.BYTES);
        }
        int wanted = (int) Math.min(get(rank, RANK_OFFSET), used);
        long key = Selection.select(selected, 0, used, wanted - 1);
        int below = (int)
                Arrays.stream(selected, 0, used).filter(each -> each < key).count();
        set(rank, RANK_OFFSET, wanted - below);
        go(rank, first, key, key, used);
    }

    private void narrow(int rank, int first) {
        int interval = interval(rank);
        int found = countOut(rank, open.begin(interval), open.used(interval));
        if (found < 0) {
            setState(rank, LOST);
        } else {
            long here = cells().getLong((open.begin(interval) + found) * Long.BYTES);
            go(rank, first, open.low(interval, found), open.high(interval, found), here);
        }
    }

    private void findRemainder(int rank) {
        int interval = interval(rank);
        int found = countOut(rank, open.begin(interval), open.used(interval));
        found(rank, open.low(interval), Math.max(0, found));
    }

    /** The slot that holds a rank, which becomes the rank in that slot; the last one with values if the disk returns fewer now. */
    private int countOut(int rank, int begin, int slots) {
        int found = -1;
        long left = get(rank, RANK_OFFSET);
        UnsafeBuffer from = cells();
        for (int slot = 0; slot < slots; slot++) {
            long here = from.getLong((begin + slot) * Long.BYTES);
            if (here > 0) {
                found = slot;
                if (left <= here) {
                    break;
                }
                left -= here;
            }
        }
        set(rank, RANK_OFFSET, left);
        return found;
    }

    private UnsafeBuffer cells() {
        UnsafeBuffer there = cells;
        if (there == null) {
            throw new IllegalStateException("no pass has begun");
        }
        return there;
    }

    /** Frees the cells. */
    void free() {
        if (cells != null) {
            memory.free(cells);
            cells = null;
        }
    }

    /** Whether a percentile is known of each group from 1 on that has values. */
    boolean knows(int groups, BigDecimal percentile) {
        int at = Collections.binarySearch(percentiles, percentile);
        for (int group = 1; group < groups; group++) {
            if (states.values(group) > 0 && (group >= ofGroup.size() || state(rank(group, at)) != FOUND)) {
                return false;
            }
        }
        return true;
    }

    /** The value of a percentile; null if it was not asked for, if there are no values, or if they can't be read any more. */
    @Nullable
    Value value(int group, BigDecimal percentile) {
        int at = Collections.binarySearch(percentiles, percentile);
        if (at < 0 || group >= ofGroup.size()) {
            return null;
        }
        int rank = rank(group, at);
        return state(rank) == FOUND
                ? new Value(
                        type, get(rank, KEY_OFFSET), ranks.buffer(rank).getInt(ranks.offset(rank) + REMAINDER_OFFSET))
                : null;
    }
}
