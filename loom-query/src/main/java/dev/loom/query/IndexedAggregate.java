package dev.loom.query;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.error.ExpiredException;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.PercentileBounds;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import dev.loom.query.plan.IndexedFunction;
import dev.loom.query.plan.KeyRange;
import dev.loom.query.rank.KeyPasses;
import dev.loom.query.rank.KeyTally;
import dev.loom.query.rank.Percentiles;
import dev.loom.query.rank.RankSearch;
import dev.loom.query.rank.RemainderRanks;
import dev.loom.query.rank.Totals;
import dev.loom.query.rank.ValueSum;
import dev.loom.query.rank.ValuesInRange;
import dev.loom.query.walk.QueryScope;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Count, sum, minimum, maximum, mean and exact percentiles of the values of one source's records in a time range (paper,
 * sections 4.3 and 5.1). Summaries answer for chunks that lie wholly in the range. Records are read only from chunks at the
 * ends of the range, from chunks without a summary and, for a percentile, from chunks whose bins don't determine it.
 *
 * <p>The p-th percentile of n values is the value of rank {@code ceil(p / 100 * n)}. A few passes find all percentiles
 * together.
 *
 * <p>Constant memory: 1 MiB, which holds 40 Ki values; the edges of the bins if there are more than 8 Ki; and the longest
 * jumbo payload met. Each {@link #run()} is a new query. Not thread-safe.
 */
public final class IndexedAggregate extends Query<IndexedAggregate> {
    /** The most percentiles of one query. */
    public static final int PERCENTILES_MAX = RankSearch.RANKS_MAX;

    /** Up to this many values that meet a condition are kept while they are counted, so that no pass follows for percentiles. */
    private static final int FEW_MAX = 1 << 13;

    /** How often to begin again because records of the range were deleted. */
    private static final int ATTEMPTS_MAX = 4;

    /** Every integer up to this is exact as a double. */
    private static final double EXACT_MAX = 0x1p53;

    private final IndexedFunction indexed;
    private final boolean sums;
    private ValueRange values = ValueRange.ALL;
    private List<BigDecimal> percentiles = List.of();
    private double within;

    private IndexedAggregate(Snapshot snapshot, IndexedFunction indexed, boolean sums) {
        super(snapshot, indexed.sourceId());
        this.indexed = indexed;
        this.sums = sums;
    }

    /**
     * An aggregate over an index; uses all indexes of the source with an equal function. An index over event time has no sum
     * and no mean.
     *
     * @throws IllegalArgumentException if the function can't be read; {@link Index#supply} provides one that can
     */
    public static IndexedAggregate of(Snapshot snapshot, Index index) {
        boolean sums = index.kind() == Index.Kind.VALUE;
        return new IndexedAggregate(snapshot, IndexedFunction.of(index.sourceId(), index.function()), sums);
    }

    /**
     * An aggregate of any function over a source; uses all indexes with an equal function, if there are any.
     *
     * @throws IllegalArgumentException if the function can't be read
     */
    public static IndexedAggregate of(Snapshot snapshot, int sourceId, IndexFunction function) {
        return new IndexedAggregate(snapshot, IndexedFunction.of(sourceId, function), true);
    }

    @Override
    IndexedAggregate self() {
        return this;
    }

    /** Counts only values in this range; default all. */
    public IndexedAggregate values(ValueRange range) {
        values = Objects.requireNonNull(range);
        return this;
    }

    /**
     * The percentiles to find, each from 0 to 100; default none.
     *
     * @throws IllegalArgumentException if one is out of range, or if there are more than {@link #PERCENTILES_MAX}
     */
    public IndexedAggregate percentiles(List<BigDecimal> wanted) {
        percentiles = Percentiles.checked(wanted, PERCENTILES_MAX);
        return this;
    }

    /** As {@link #percentiles(List)}, each in its shortest decimal form. */
    public IndexedAggregate percentiles(double... wanted) {
        return percentiles(Arrays.stream(wanted).mapToObj(BigDecimal::valueOf).toList());
    }

    /**
     * Asks for {@linkplain Result#bounds bounds} of the percentiles that are no further apart than a share of the percentile. Bins that
     * are at least as fine answer without records: those of {@link Bins#logLinear(int)} with scale 3 for 0.125, with scale 6 for 0.0157.
     * Otherwise values are read, but fewer than for the exact percentile.
     *
     * @param share above 0 to 1, or 0, the default, for the exact percentiles
     * @throws IllegalArgumentException if it is out of range
     */
    public IndexedAggregate within(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share out of range: within=" + share + ", min=0, max=1");
        }
        within = share;
        return self();
    }

    /**
     * Runs the query. If it ended early, the result covers part of the records, as its completeness says.
     *
     * @throws ExpiredException if retention deletes records of the range faster than percentiles can be found
     */
    public Result run() {
        try (QueryScope scope = new QueryScope(terms())) {
            KeyPasses passes = new KeyPasses(scope, indexed, index -> !sums || index.kind() == Index.Kind.VALUE);
            for (int attempt = 1; ; attempt++) {
                try {
                    return run(scope, passes);
                } catch (ExpiredException e) {
                    if (attempt == ATTEMPTS_MAX) {
                        throw e;
                    }
                    passes.restart();
                }
            }
        }
    }

    private Result run(QueryScope scope, KeyPasses passes) {
        ValueType type = indexed.function().type();
        KeyRange range = KeyRange.of(values, type);
        boolean all = range.covers(type.lowestKey(), type.highestKey());
        RankSearch search = percentiles.isEmpty() ? null : new RankSearch(type, passes.scale(), all, within);
        Totals totals = new Totals(
                indexed.function(),
                values,
                search == null ? null : search.bounds(),
                search == null || !passes.hasConditions() ? 0 : FEW_MAX);
        boolean going = passes.run(totals);
        Map<BigDecimal, PercentileBounds> found =
                going && search != null && totals.count() > 0 ? search(passes, search, totals) : Map.of();
        scope.endWalk();
        return new Result(type, totals, sums, found, scope.statistics(passes.recordsRead()), scope.completeness());
    }

    private Map<BigDecimal, PercentileBounds> search(KeyPasses passes, RankSearch search, Totals totals) {
        List<BigDecimal> sorted = new ArrayList<>(percentiles);
        sorted.sort(null);
        search.start(
                sorted.stream()
                        .mapToLong(p -> Percentiles.rank(p, totals.count()))
                        .toArray(),
                totals);
        boolean going = true;
        while (going && !search.isDone()) {
            search.begin();
            going = passes.run(inRange(search));
            if (going) {
                search.end();
            }
        }
        Map<BigDecimal, PercentileBounds> found = new LinkedHashMap<>();
        for (BigDecimal percentile : percentiles) {
            @Nullable PercentileBounds bounds = search.bounds(Collections.binarySearch(sorted, percentile));
            if (bounds != null) {
                found.put(percentile, bounds);
            }
        }
        if (indexed.function().isExact()) {
            found.replaceAll((percentile, bounds) -> bounds.isExact() ? bounds : widened(bounds));
            refine(passes, found, totals.count());
        }
        return found;
    }

    /** The doubles beyond, if integers next to the bounds are no exact doubles. */
    private static PercentileBounds widened(PercentileBounds bounds) {
        Value lower = bounds.lower();
        Value upper = bounds.upper();
        return Math.max(Math.abs(lower.doubleValue()), Math.abs(upper.doubleValue())) < EXACT_MAX
                ? bounds
                : new PercentileBounds(
                        new Value(
                                lower.type(),
                                Math.max(lower.key() - 1, lower.type().lowestKey())),
                        new Value(
                                upper.type(),
                                Math.min(upper.key() + 1, upper.type().highestKey())));
    }

    /** What counts the values of the range alone, if their keys do not distinguish them from others. */
    private KeyTally inRange(KeyTally tally) {
        ValueType type = indexed.function().type();
        boolean all = KeyRange.of(values, type).covers(type.lowestKey(), type.highestKey());
        return all || !indexed.function().isExact() ? tally : new ValuesInRange(tally, values, type);
    }

    /** Finds the exact integers among those that share a double. */
    private void refine(KeyPasses passes, Map<BigDecimal, PercentileBounds> found, long count) {
        long[] keys = found.values().stream()
                .filter(PercentileBounds::isExact)
                .map(PercentileBounds::lower)
                .filter(value -> Math.abs(value.doubleValue()) >= EXACT_MAX)
                .mapToLong(Value::key)
                .sorted()
                .distinct()
                .toArray();
        boolean going = true;
        for (int from = 0; going && from < keys.length; from += RemainderRanks.KEYS_MAX) {
            long[] some = Arrays.copyOfRange(keys, from, Math.min(keys.length, from + RemainderRanks.KEYS_MAX));
            RemainderRanks ranks = new RemainderRanks(some);
            going = passes.run(inRange(ranks));
            found.replaceAll((percentile, bounds) -> isOneOf(some, bounds)
                    ? exact(bounds.lower(), ranks.remainder(bounds.lower().key(), Percentiles.rank(percentile, count)))
                    : bounds);
        }
        if (!going) {
            found.values().removeIf(bounds -> isOneOf(keys, bounds));
        }
    }

    private static boolean isOneOf(long[] keys, PercentileBounds bounds) {
        return bounds.isExact() && Arrays.binarySearch(keys, bounds.lower().key()) >= 0;
    }

    private static PercentileBounds exact(Value value, int remainder) {
        Value exact = new Value(value.type(), value.key(), remainder);
        return new PercentileBounds(exact, exact);
    }

    /** The result. Immutable. */
    public static final class Result {
        private final ValueType type;
        private final long count;
        private final boolean sums;
        private final Value min;
        private final Value max;
        private final ValueSum sum;
        private final Map<BigDecimal, PercentileBounds> bounds;
        private final QueryStatistics statistics;
        private final Completeness completeness;

        private Result(
                ValueType type,
                Totals totals,
                boolean sums,
                Map<BigDecimal, PercentileBounds> bounds,
                QueryStatistics statistics,
                Completeness completeness) {
            this.type = type;
            this.count = totals.count();
            this.sums = sums;
            this.min = totals.min();
            this.max = totals.max();
            this.sum = totals.sum();
            this.bounds = Collections.unmodifiableMap(bounds);
            this.statistics = statistics;
            this.completeness = completeness;
        }

        /** The type of the values. */
        public ValueType type() {
            return type;
        }

        /** The number of values. */
        public long count() {
            return count;
        }

        /** The least value; empty if there are no values. */
        public Optional<Value> min() {
            return count == 0 ? Optional.empty() : Optional.of(min);
        }

        /** The greatest value; empty if there are no values. */
        public Optional<Value> max() {
            return count == 0 ? Optional.empty() : Optional.of(max);
        }

        /** Whether {@link #sum()} and {@link #mean()} exist; an index over event time has neither. */
        public boolean hasSum() {
            return sums;
        }

        /**
         * The sum: integers in full, doubles as {@link Double#toString} prints them. For a field without a declared type it is
         * an integer if all values are whole; where an index has the sum of several, if the least, the greatest and the sum
         * are.
         *
         * @throws IllegalStateException if there is no sum
         */
        public String sum() {
            checkSum();
            return sum.text();
        }

        /** The sum as the nearest double; see {@link #sum()}. */
        public double doubleSum() {
            checkSum();
            return sum.doubleValue();
        }

        /**
         * The mean as the nearest double; for doubles, {@link #doubleSum()} divided by the count. NaN if there are no values.
         */
        public double mean() {
            checkSum();
            return sum.mean(count);
        }

        private void checkSum() {
            if (!sums) {
                throw new IllegalStateException("an index over event time has no sum: type=" + type.text());
            }
        }

        /**
         * The requested percentiles that are known exactly, in the order requested; with {@link IndexedAggregate#within} there may be
         * none. A percentile is also missing if there are no values, if the query ended early, or if the pages that hold it are damaged.
         */
        public Map<BigDecimal, Value> percentiles() {
            Map<BigDecimal, Value> exact = new LinkedHashMap<>();
            bounds.forEach((percentile, known) -> {
                if (known.isExact()) {
                    exact.put(percentile, known.lower());
                }
            });
            return Collections.unmodifiableMap(exact);
        }

        /** One of the {@link #percentiles()}. */
        public Optional<Value> percentile(double p) {
            return Percentiles.find(percentiles(), p);
        }

        /** What is known of the requested percentiles, in the order requested; the others are missing as in {@link #percentiles()}. */
        public Map<BigDecimal, PercentileBounds> bounds() {
            return bounds;
        }

        /** The work done, over all passes. */
        public QueryStatistics statistics() {
            return statistics;
        }

        /** What the result lacks. */
        public Completeness completeness() {
            return completeness;
        }
    }
}
