package dev.loom.query;

import dev.loom.format.FieldValue;
import dev.loom.query.group.GroupRun;
import dev.loom.query.group.GroupStates;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.rank.Percentiles;
import dev.loom.query.rank.ValueSum;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** A group, or one of its steps. Immutable, and valid after its groups are closed. */
public final class Group {
    private final boolean other;
    private final List<FieldValue> key;
    private final TimeRange range;
    private final long records;
    private final long count;
    private final @Nullable Value min;
    private final @Nullable Value max;
    private final ValueSum sum;
    private final Map<BigDecimal, Value> percentiles;
    private final long distinct;

    Group(GroupRun run, int row, List<BigDecimal> wanted, boolean countsDistinct) {
        GroupStates states = run.states();
        int cell = run.cell(row);
        other = run.isOther(row);
        key = run.key(row);
        range = run.range(row);
        records = states.records(cell);
        count = states.values(cell);
        min = count == 0 ? null : states.min(cell);
        max = count == 0 ? null : states.max(cell);
        sum = states.sum(cell);
        distinct = countsDistinct ? states.distinct(cell) : -1;
        percentiles = new LinkedHashMap<>();
        for (BigDecimal percentile : wanted) {
            Value value = run.percentile(row, percentile);
            if (value != null) {
                percentiles.put(percentile, value);
            }
        }
    }

    /** Whether it is the group of the rest. */
    public boolean isOther() {
        return other;
    }

    /** The values of the fields, in their order; a missing one is {@link FieldValue.Kind#ABSENT}. Empty for the rest. */
    public List<FieldValue> key() {
        return key;
    }

    /** The times of its step, the last of which ends with the range; without steps, the range of the query. */
    public TimeRange range() {
        return range;
    }

    /** The number of records. */
    public long records() {
        return records;
    }

    /** The number of values; of records, if these are counted. */
    public long count() {
        return count;
    }

    /** The least value; empty if there are no values. */
    public Optional<Value> min() {
        return Optional.ofNullable(min);
    }

    /** The greatest value; empty if there are no values. */
    public Optional<Value> max() {
        return Optional.ofNullable(max);
    }

    /** The sum, as that of {@link IndexedAggregate.Result#sum()}. */
    public String sum() {
        return sum.text();
    }

    /** The sum as the nearest double. */
    public double doubleSum() {
        return sum.doubleValue();
    }

    /** The mean as the nearest double, as that of {@link IndexedAggregate.Result#mean()}. NaN if there are no values. */
    public double mean() {
        return sum.mean(count);
    }

    /** The {@link #count()} per second of the {@link #range()}; empty if that has no start or no end. */
    public OptionalDouble rate() {
        return range.isBounded() ? OptionalDouble.of(count / range.seconds()) : OptionalDouble.empty();
    }

    /** The percentiles that were asked for, in that order, as {@link IndexedAggregate.Result#percentiles()}. */
    public Map<BigDecimal, Value> percentiles() {
        return Collections.unmodifiableMap(percentiles);
    }

    /** One of the {@link #percentiles()}. */
    public Optional<Value> percentile(double p) {
        return Percentiles.find(percentiles, p);
    }

    /** The number of distinct values of the field for that; negative if there was none. */
    public long distinct() {
        return distinct;
    }
}
