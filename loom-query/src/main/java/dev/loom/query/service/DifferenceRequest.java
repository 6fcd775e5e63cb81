package dev.loom.query.service;

import dev.loom.format.UnknownFieldException;
import dev.loom.query.Difference;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.CorrelationRequest.Threshold;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal.Numeric;
import dev.loom.query.where.Where.Operator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks what is more frequent among some records than among others.
 *
 * @param records the range, and conditions that the chosen records meet
 * @param choice what else chooses them
 * @param against conditions that the others meet; empty for all that are not chosen
 * @param fields to compare; empty for all
 * @param ignored fields to leave out besides those that choose
 * @param supportMin the least share of the chosen records that a finding holds
 * @param limit the most findings in the answer
 */
public record DifferenceRequest(
        RecordSelection records,
        Choice choice,
        List<Where> against,
        List<String> fields,
        List<String> ignored,
        double supportMin,
        int limit,
        QueryLimits limits)
        implements SourceRequest {
    /**
     * A rectangle of time and value.
     *
     * @param field a number; null if only times choose
     * @param above what its values exceed; null for none
     * @param low the least value; null for none
     * @param high the value that the others are below; null for none
     * @param times part of the range, of the same kind of times
     */
    public record Choice(
            @Nullable String field,
            @Nullable Threshold above,
            @Nullable Numeric low,
            @Nullable Numeric high,
            TimeRange times) {
        /** Nothing is chosen by it. */
        public static final Choice NONE = new Choice(null, null, null, null, TimeRange.ALL);

        /** @throws RequestException if there is a field without values, or values without a field */
        public Choice {
            boolean values = above != null || low != null || high != null;
            if (values && field == null) {
                throw new RequestException(above != null ? "above" : low != null ? "low" : "high", " needs a field");
            } else if (!values && field != null) {
                throw new RequestException("field " + field + " needs values that choose: above, low or high");
            }
        }

        /** The conditions on the values, except a percentile. */
        List<Where> conditions() {
            List<Where> conditions = new ArrayList<>();
            if (field != null) {
                if (above instanceof Threshold.Above number) {
                    conditions.add(new Where.Comparison(field, Operator.GREATER, number.value()));
                }
                if (low != null) {
                    conditions.add(new Where.Comparison(field, Operator.GREATER_OR_EQUAL, low));
                }
                if (high != null) {
                    conditions.add(new Where.Comparison(field, Operator.LESS, high));
                }
            }
            return conditions;
        }

        boolean hasTimes() {
            return !times.equals(TimeRange.ALL);
        }
    }

    /**
     * @throws RequestException if nothing chooses; if a field is unknown, no number where one is needed, or can't be compared so; if
     *     there are too many fields; if the support or the limit is out of range
     */
    public DifferenceRequest {
        against = List.copyOf(against);
        fields = List.copyOf(fields);
        ignored = List.copyOf(ignored);
        if (records.conditions().isEmpty() && choice.field() == null && !choice.hasTimes()) {
            throw new RequestException(
                    "nothing chooses records: give a condition (where), a field with above, low or high, or times");
        }
        if (choice.field() != null) {
            records.function(choice.field());
        }
        RecordSelection checked =
                new RecordSelection(records.source(), records.range(), records.eventTime(), choice.conditions());
        bind(checked, against);
        for (String field : fields) {
            if (records.source().format().field(field) == null) {
                throw new RequestException(
                        "fields",
                        ": ",
                        new UnknownFieldException(field, records.source().format()));
            }
        }
        if (fields.size() > Difference.FIELDS_MAX) {
            throw new RequestException(
                    "fields", " has too many: count=" + fields.size() + ", max=" + Difference.FIELDS_MAX);
        } else if (!(supportMin >= Difference.SUPPORT_MIN && supportMin <= 1)) {
            throw new RequestException(
                    "min-support", " must be " + percent(Difference.SUPPORT_MIN) + " to 100%: " + percent(supportMin));
        } else if (limit < 0) {
            throw new RequestException("limit", " is negative: " + limit);
        }
    }

    private static String percent(double share) {
        return Math.round(share * 1e6) / 1e4 + "%";
    }

    private static void bind(RecordSelection records, List<Where> against) {
        try {
            against.forEach(condition -> condition.bind(records.source().format()));
        } catch (IllegalArgumentException e) {
            throw new RequestException("against", ": ", e);
        }
    }
}
