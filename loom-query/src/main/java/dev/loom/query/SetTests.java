package dev.loom.query;

import dev.loom.api.IndexFunction;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.diff.RecordTest;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import dev.loom.query.plan.EventRange;
import dev.loom.query.plan.KeyRange;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.where.Where;
import dev.loom.value.KeyReader;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Decides to which of two sets a record belongs. For one thread. */
final class SetTests {
    private final RecordLookup lookup;
    private final Where.@Nullable Predicate condition;
    private final Where.@Nullable Predicate others;
    private final @Nullable KeyReader reader;
    private final @Nullable KeyRange keys;
    private final ValueRange values;
    private final @Nullable TimeRange times;
    private final @Nullable EventClock clock;

    /**
     * @param selected what chosen records meet; null for no condition
     * @param against what the others meet; null for all others
     * @param function a value of chosen records; null for none
     * @param values of the function
     * @param times of chosen records: of arrival, or of the terms' clock; null for all
     */
    SetTests(
            QueryTerms terms,
            RecordLookup lookup,
            @Nullable Where selected,
            @Nullable Where against,
            @Nullable IndexFunction function,
            ValueRange values,
            @Nullable TimeRange times) {
        this.lookup = lookup;
        this.values = values;
        this.times = times;
        PayloadFormat format = terms.format();
        condition = selected == null ? null : selected.bind(format, lookup);
        others = against == null ? null : against.bind(format, lookup);
        reader = function == null ? null : new KeyReader(function, lookup);
        keys = function == null ? null : KeyRange.of(values, function.type());
        EventRange events = terms.eventRange();
        clock = events == null ? null : events.clock();
    }

    /** Tests the records that are not chosen; null if all are compared. */
    @Nullable
    RecordTest against() {
        Where.Predicate test = others;
        return test == null ? null : (timeNs, buffer, offset, length) -> test.test(buffer, offset, length);
    }

    /** Whether a record is chosen. */
    boolean isSelected(long arrivalNs, DirectBuffer buffer, int offset, int length) {
        TimeRange wanted = times;
        if (wanted != null) {
            long timeNs = clock == null ? arrivalNs : clock.epochNs(lookup, buffer, offset, length);
            if (!wanted.contains(timeNs)) {
                return false;
            }
        }
        KeyReader read = reader;
        if (read != null && !(read.read(buffer, offset, length) && isIn(read))) {
            return false;
        }
        return condition == null || condition.test(buffer, offset, length);
    }

    private boolean isIn(KeyReader read) {
        return read.remainder() == 0
                ? Objects.requireNonNull(keys).contains(read.key())
                : values.contains(new Value(read.type(), read.key(), read.remainder()).toBigDecimal());
    }

    /** The operands that the conditions may calculate with. */
    int operands() {
        return (condition == null ? 0 : condition.operands()) + (others == null ? 0 : others.operands());
    }

    /** The fields of conditions, each with whether any record had a value in it. */
    Map<String, Boolean> fieldsSeen() {
        Map<String, Boolean> seen = new TreeMap<>();
        if (condition != null) {
            seen.putAll(condition.fieldsSeen());
        }
        if (others != null) {
            others.fieldsSeen().forEach((field, found) -> seen.merge(field, found, Boolean::logicalOr));
        }
        return seen;
    }
}
