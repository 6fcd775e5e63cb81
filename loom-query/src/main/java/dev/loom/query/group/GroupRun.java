package dev.loom.query.group;

import dev.loom.api.IndexFunction;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.GroupOrder.By;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.value.KeyEncoder;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The groups of one run of a grouped aggregate, and then its rows: groups in their order, of each the steps that have records, and at
 * last the group of the rest. For one thread.
 */
public final class GroupRun implements AutoCloseable {
    /** Heap for each group, to put the groups in order. */
    private static final long ORDER_BYTES = 40;

    /** Steps are fewer than 2 to the power of this. */
    private static final int STEP_BITS = 20;

    /** Distinct values of groups, in one table with those of cells. */
    private static final long GROUPS_BEHIND_CELLS = 1L << Integer.SIZE;

    private final GroupMemory memory;
    private final GroupTerms terms;
    private final GroupPasses passes;
    private final @Nullable IndexFunction function;
    /** The totals of cells. */
    private final GroupStates states;
    /** The totals of groups, over all steps. */
    private final GroupStates totals;

    private final GroupTable table;
    private final @Nullable DistinctValues distinct;
    private final GroupRanks ranks;
    private final Ending ending;
    private boolean ordered;
    /** The groups shown, in order. */
    private int[] shown = {};
    /** Of each row the place of its group among them, and its step. */
    private long[] rows = {};

    private GroupRun(
            GroupMemory memory, GroupTerms terms, GroupPasses passes, PayloadFormat format, RecordLookup lookup) {
        this.memory = memory;
        this.terms = terms;
        this.passes = passes;
        IndexedFunction values = terms.values();
        function = values == null ? null : values.function();
        // hostile keys can't know it
        long seed = new SplittableRandom().nextLong();
        states = new GroupStates(memory, function);
        totals = terms.stepNs() > 0 ? new GroupStates(memory, function) : states;
        table = new GroupTable(memory, terms, format, lookup, states, seed);
        distinct = terms.distinct() == null
                ? null
                : new DistinctValues(
                        memory,
                        terms,
                        new KeyEncoder(format, List.of(terms.distinct()), lookup, DistinctValues.VALUES_BEGIN),
                        seed);
        ranks = new GroupRanks(memory, states, function, terms.percentiles(), passes.keyScale());
        ending = new Ending(passes::isCancelled);
    }

    /**
     * Runs a query. The result holds memory until it is closed.
     *
     * @param reserved where the memory is reserved
     */
    public static GroupRun run(
            QueryMemory reserved, GroupTerms terms, GroupPasses passes, PayloadFormat format, RecordLookup lookup) {
        GroupMemory memory = new GroupMemory(reserved);
        try {
            GroupRun run = new GroupRun(memory, terms, passes, format, lookup);
            run.run();
            return run;
        } catch (Throwable e) {
            memory.close();
            throw e;
        }
    }

    private void run() {
        boolean going = passes.totals(table, states, distinct);
        addUpSteps();
        memory.reserve(ORDER_BYTES * table.size());
        BigDecimal percentile = terms.order().percentile();
        GroupRanks ordering = percentile != null && table.stepped()
                ? new GroupRanks(memory, totals, function, List.of(percentile), passes.keyScale())
                : ranks;
        if (percentile != null && going) {
            IntStream.range(1, table.size()).forEach(ordering::ask);
            going = passes.search(table, ordering, false);
        }
        ordered = percentile == null || ordering.knows(table.size(), percentile);
        shown = order(new GroupComparator(terms.order(), table, totals, ordering, ending));
        int[] places = places();
        countRest(places);
        memory.reserve(Long.BYTES * (long) table.cellCount());
        rows = rows(places);
        going &= !passes.isCancelled();
        if (going && !terms.percentiles().isEmpty()) {
            for (int row = 0; row < rows.length; row++) {
                ranks.ask(cell(row));
            }
            passes.search(table, ranks, true);
        }
    }

    private void addUpSteps() {
        if (!table.stepped()) {
            return;
        }
        for (int group = 0; group < table.size(); group++) {
            totals.add();
        }
        for (int cell = 0; cell < table.cellCount() && !ending.isNow(); cell++) {
            totals.merge(table.groupOf(cell), states, cell);
        }
        if (distinct != null && terms.order().by() == By.DISTINCT) {
            distinct.count(table::groupOf, totals, GROUPS_BEHIND_CELLS, ending);
        }
    }

    private int[] order(GroupComparator comparator) {
        IntStream all = IntStream.range(1, table.size());
        try {
            return all.boxed()
                    .sorted(comparator)
                    .limit(terms.limit())
                    .mapToInt(Integer::intValue)
                    .toArray();
        } catch (Ending.Interruption e) {
            ordered = false;
            return IntStream.range(1, table.size()).limit(terms.limit()).toArray();
        }
    }

    /** For each group its place among those shown, which for the others is behind the last. */
    private int[] places() {
        int[] places = new int[table.size()];
        Arrays.fill(places, shown.length);
        for (int place = 0; place < shown.length; place++) {
            places[shown[place]] = place;
        }
        return places;
    }

    /** Counts groups that are not shown in that of the rest; only some, if the query ends. */
    private void countRest(int[] places) {
        for (int group = 1; group < table.size(); group++) {
            if (places[group] == shown.length) {
                table.target(group, GroupTable.OTHER);
            }
        }
        int end = table.cellCount();
        for (int cell = 0; cell < end && !ending.isNow(); cell++) {
            int group = table.groupOf(cell);
            if (group != GroupTable.OTHER && places[group] == shown.length) {
                states.merge(table.addCellOfRest(table.stepOf(cell)), states, cell);
            }
        }
        if (distinct != null && shown.length < table.size() - 1) {
            distinct.count(
                    cell -> {
                        int group = table.groupOf(cell);
                        return group != GroupTable.OTHER && places[group] == shown.length
                                ? table.findCell(GroupTable.OTHER, table.stepOf(cell))
                                : GroupTable.NONE;
                    },
                    states,
                    0,
                    ending);
        }
    }

    private long[] rows(int[] places) {
        long[] found = new long[table.cellCount()];
        int count = 0;
        for (int cell = 0; cell < found.length; cell++) {
            int group = table.groupOf(cell);
            if (table.target(group) == group && states.records(cell) > 0) {
                found[count++] = (long) places[group] << STEP_BITS | table.stepOf(cell);
            }
        }
        long[] sorted = Arrays.copyOf(found, count);
        Arrays.sort(sorted);
        return sorted;
    }

    private int group(int row) {
        int place = (int) (rows[row] >>> STEP_BITS);
        return place == shown.length ? GroupTable.OTHER : shown[place];
    }

    /** The number of rows. */
    public int size() {
        return rows.length;
    }

    /** The number of groups found, without that of the rest. */
    public int groups() {
        return table.size() - 1;
    }

    /** The number of records in the group of the rest because their keys are too long. */
    public long longKeys() {
        return table.longKeys();
    }

    /** The totals, by {@link #cell}. */
    public GroupStates states() {
        return states;
    }

    /** The cell that a row shows. */
    public int cell(int row) {
        return table.findCell(group(row), step(row));
    }

    private int step(int row) {
        return (int) (rows[row] & ((1L << STEP_BITS) - 1));
    }

    /** Whether a row is of the rest. */
    public boolean isOther(int row) {
        return group(row) == GroupTable.OTHER;
    }

    /** The values of a row's key, newly allocated; none of the rest. */
    public List<FieldValue> key(int row) {
        return table.key(group(row));
    }

    /** The times of a row's step. */
    public TimeRange range(int row) {
        return passes.steps().range(step(row));
    }

    /** The value of a percentile in a row; null if it is not known. */
    public @Nullable Value percentile(int row, BigDecimal percentile) {
        return ranks.value(cell(row), percentile);
    }

    /** Whether the order is the one asked for; otherwise some percentiles to order by are not known. */
    public boolean isOrdered() {
        return ordered;
    }

    /** Whether the numbers of distinct values are exact; otherwise they are the least that there are. */
    public boolean distinctExact() {
        return distinct == null || distinct.exact();
    }

    /** Frees the memory; nothing may be asked afterwards. Idempotent. */
    @Override
    public void close() {
        memory.close();
    }
}
