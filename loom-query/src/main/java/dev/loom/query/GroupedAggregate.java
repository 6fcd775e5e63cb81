package dev.loom.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.error.ExpiredException;
import dev.loom.format.UnknownFieldException;
import dev.loom.query.group.GroupPasses;
import dev.loom.query.group.GroupRun;
import dev.loom.query.group.GroupTerms;
import dev.loom.query.histogram.TimeSteps;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.plan.EventRange;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.rank.Percentiles;
import dev.loom.query.walk.QueryScope;
import dev.loom.value.KeyEncoder;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Count, sum, minimum, maximum, mean, exact percentiles and the number of distinct values, for each group of one source's records: those
 * with equal values in some fields, in steps of time, or both.
 *
 * <pre>
 *     try (Groups groups = GroupedAggregate.of(snapshot, source, latency)
 *             .by("op").percentiles(99).order(GroupOrder.descending(GroupOrder.By.SUM)).limit(10).run()) {
 *         for (Group group : groups) { ... }
 *     }
 * </pre>
 *
 * <p><b>Groups.</b> A missing value is a value of its own. Numbers that are equal are one value, whatever type they are stored with: 1
 * and 1.0, 0.0 and -0.0; all NaNs are equal. Text never equals a number. Arrays and objects of JSON are compared by their text as
 * printed. A key, which holds all its values, has at most 4,096 bytes. Records without a value to sum up belong to their group too, so a
 * group may have records but no values.
 *
 * <p><b>Reading.</b> One pass finds everything but percentiles, which take a few more passes for all groups together. With fields every
 * record is read unless an index by these fields, or more, answers; none does with {@link #distinct} or {@link #restAsOther}.
 * With steps alone, a chunk within one step is answered from its directory, or from its totals if there is an index over the values.
 *
 * <p><b>Memory</b>, reserved in the {@link QueryMemory}: 1 MiB; for each group, or with steps each group and step that has records, 88
 * bytes, 40 to 56 to find it, 32 to 288 more if its key is one to four integers or one or two texts, its key, 64 for the order, and with
 * percentiles 40 and 72 for each of them; for each distinct value the same 40 to 56 and its bytes; at most 16 MiB while percentiles are
 * searched; and blocks of 16 to 64 KiB that hold all this. It is held until {@link Groups#close()}, most of it
 * outside the heap. More groups than the cap are refused, or counted as one group of the rest. Not thread-safe.
 */
public final class GroupedAggregate extends Query<GroupedAggregate> {
    /** The cap on groups if none is set. */
    public static final int GROUPS_MAX_DEFAULT = 10_000;

    /** The greatest cap on groups, or on distinct values. */
    public static final int GROUPS_MAX = 1 << 22;

    /** The cap on distinct values of all groups if none is set. */
    public static final int DISTINCT_MAX_DEFAULT = 1_000_000;

    /** The most fields of a key. */
    public static final int FIELDS_MAX = 16;

    /** The most percentiles of one query. */
    public static final int PERCENTILES_MAX = 16;

    /** How often to begin again because records of the range were deleted. */
    private static final int ATTEMPTS_MAX = 4;

    private final Snapshot snapshot;
    private final int sourceId;
    private final @Nullable IndexedFunction values;
    private List<String> by = List.of();
    private long stepNs;
    private List<BigDecimal> percentiles = List.of();
    private @Nullable String distinct;
    private GroupOrder order = GroupOrder.COUNT;
    private int limit = Integer.MAX_VALUE;
    private int groupsMax = GROUPS_MAX_DEFAULT;
    private int distinctMax = DISTINCT_MAX_DEFAULT;
    private boolean restAsOther;
    private boolean longKeysAsOther;

    private GroupedAggregate(Snapshot snapshot, int sourceId, @Nullable IndexedFunction values) {
        super(snapshot, sourceId);
        this.snapshot = snapshot;
        this.sourceId = sourceId;
        this.values = values;
    }

    /** Counts the records of a source. */
    public static GroupedAggregate of(Snapshot snapshot, int sourceId) {
        return new GroupedAggregate(snapshot, sourceId, null);
    }

    /**
     * Sums up the values of a function over a source.
     *
     * @throws IllegalArgumentException if the function can't be read
     */
    public static GroupedAggregate of(Snapshot snapshot, int sourceId, IndexFunction function) {
        return new GroupedAggregate(snapshot, sourceId, IndexedFunction.of(sourceId, function));
    }

    @Override
    GroupedAggregate self() {
        return this;
    }

    /**
     * The fields whose values make a group; default none. Any field of the format, also of records that records refer to.
     *
     * @throws IllegalArgumentException if there are more than {@link #FIELDS_MAX}, or one is named twice
     * @throws UnknownFieldException if the format lacks one
     */
    public GroupedAggregate by(List<String> fields) {
        if (fields.size() > FIELDS_MAX) {
            throw new IllegalArgumentException("too many fields: count=" + fields.size() + ", max=" + FIELDS_MAX);
        } else if (new TreeSet<>(fields).size() < fields.size()) {
            throw new IllegalArgumentException("field is named twice: fields=" + fields);
        }
        fields.forEach(this::check);
        by = List.copyOf(fields);
        return this;
    }

    /** As {@link #by(List)}. */
    public GroupedAggregate by(String... fields) {
        return by(List.of(fields));
    }

    private void check(String field) {
        KeyEncoder.check(QueryTerms.format(snapshot, sourceId), field);
    }

    /**
     * Divides each group in steps of this length, from the start of the range on; zero, the default, for none.
     * Times are arrival times, or the records' own times with {@link #eventRange}.
     *
     * @throws IllegalArgumentException if it is negative, or longer than 292 years
     */
    public GroupedAggregate step(Duration length) {
        stepNs = checkedNs("step", length);
        return this;
    }

    /**
     * The percentiles to find, each from 0 to 100; default none.
     *
     * @throws IllegalArgumentException if one is out of range, if there are more than {@link #PERCENTILES_MAX}, or if records are
     *     counted
     */
    public GroupedAggregate percentiles(List<BigDecimal> wanted) {
        List<BigDecimal> checked = Percentiles.checked(wanted, PERCENTILES_MAX);
        checkValues(!checked.isEmpty(), "percentiles");
        percentiles = checked;
        return this;
    }

    /** As {@link #percentiles(List)}, each in its shortest decimal form. */
    public GroupedAggregate percentiles(double... wanted) {
        return percentiles(Arrays.stream(wanted).mapToObj(BigDecimal::valueOf).toList());
    }

    private void checkValues(boolean needed, String what) {
        if (needed && values == null) {
            throw new IllegalArgumentException(what + " need a field: source=" + sourceId);
        }
    }

    /**
     * Counts the distinct values of a field, without missing ones; default none.
     *
     * @throws UnknownFieldException if the format lacks it
     */
    public GroupedAggregate distinct(String field) {
        check(field);
        distinct = field;
        return this;
    }

    /**
     * The order of groups; default {@link GroupOrder#COUNT}. The steps of a group are in their own order.
     *
     * @throws IllegalArgumentException if it needs values, but records are counted
     */
    public GroupedAggregate order(GroupOrder by) {
        checkValues(
                switch (by.by()) {
                    case SUM, MIN, MAX, MEAN, PERCENTILE -> true;
                    case KEY, COUNT, DISTINCT -> false;
                },
                "orders by values");
        Percentiles.checked(by.percentile() == null ? List.of() : List.of(by.percentile()), 1);
        order = by;
        return this;
    }

    /** The most groups in the result, 0 or more; default all. The rest is one group more, {@link Group#isOther()}. */
    public GroupedAggregate limit(int groups) {
        if (groups < 0) {
            throw new IllegalArgumentException("limit is negative: groups=" + groups);
        }
        limit = groups;
        return this;
    }

    /** The cap on groups, whether shown or not, from 1 to {@link #GROUPS_MAX}; default {@link #GROUPS_MAX_DEFAULT}. */
    public GroupedAggregate groupsMax(int groups) {
        groupsMax = checkCap(groups);
        return this;
    }

    /** The cap on distinct values of all groups together; default {@link #DISTINCT_MAX_DEFAULT}. */
    public GroupedAggregate distinctMax(int distinctValues) {
        distinctMax = checkCap(distinctValues);
        return this;
    }

    private static int checkCap(int cap) {
        if (cap < 1 || cap > GROUPS_MAX) {
            throw new IllegalArgumentException("cap is out of range: cap=" + cap + ", min=1, max=" + GROUPS_MAX);
        }
        return cap;
    }

    /**
     * Whether groups past the cap, in the order of the log, and keys that are too long are counted as one group of the rest; default
     * no. Distinct values past their cap are not counted then, see {@link Groups#distinctExact()}.
     */
    public GroupedAggregate restAsOther(boolean asOther) {
        restAsOther = asOther;
        return this;
    }

    /**
     * Whether keys that are too long are counted as the rest even if groups past the cap are not; default no. Then {@link Groups#longKeys()}
     * says of how many records.
     */
    public GroupedAggregate longKeysAsOther(boolean asOther) {
        longKeysAsOther = asOther;
        return this;
    }

    /**
     * Runs the query. If it ended early, the result covers part of the records, as its completeness says.
     *
     * @return the groups, to be closed
     * @throws GroupLimitException if there are more groups or distinct values than their caps and the rest is not counted as other; if
     *     there are more groups with their steps than {@link Histogram#CELLS_MAX}
     * @throws IllegalArgumentException if there are steps but the range has no start
     * @throws ExpiredException if retention deletes records of the range faster than percentiles can be found
     */
    public Groups run() {
        QueryTerms terms = terms();
        EventRange events = terms.eventRange();
        TimeSteps steps = new TimeSteps(events == null ? terms.range() : events.range(), stepNs);
        GroupTerms asked = asked();
        try (QueryScope scope = new QueryScope(terms)) {
            GroupPasses passes = new GroupPasses(scope, asked, steps);
            for (int attempt = 1; ; attempt++) {
                try {
                    return groups(
                            GroupRun.run(terms.limits().memory(), asked, passes, terms.format(), scope.lookup()),
                            scope,
                            passes);
                } catch (ExpiredException e) {
                    if (attempt == ATTEMPTS_MAX) {
                        throw e;
                    }
                    passes.restart();
                }
            }
        }
    }

    private Groups groups(GroupRun run, QueryScope scope, GroupPasses passes) {
        try {
            scope.endWalk();
            QueryStatistics work = scope.statistics(passes.recordsRead());
            return new Groups(run, percentiles, distinct != null, work, scope.completeness());
        } catch (Throwable e) {
            run.close();
            throw e;
        }
    }

    private GroupTerms asked() {
        TreeSet<BigDecimal> sorted = new TreeSet<>(percentiles);
        if (order.percentile() != null && stepNs == 0) {
            sorted.add(order.percentile());
        }
        return new GroupTerms(
                values,
                by,
                stepNs,
                List.copyOf(sorted),
                distinct,
                order,
                limit,
                groupsMax,
                distinctMax,
                restAsOther,
                restAsOther || longKeysAsOther);
    }
}
