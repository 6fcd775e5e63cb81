package dev.loom.query.service;

import dev.loom.format.UnknownFieldException;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.service.HistogramRequest.Steps;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Asks for count, sum, minimum, maximum, mean, percentiles and the number of distinct values, for groups of records.
 *
 * @param field a number; null to count records
 * @param percentiles each from 0 to 100, at most {@link GroupedAggregate#PERCENTILES_MAX}
 * @param distinct the field whose distinct values are counted; null for none
 * @param order of the groups
 * @param limit the most groups in the answer, besides that of the rest
 */
public record GroupRequest(
        RecordSelection records,
        @Nullable String field,
        Keys keys,
        List<BigDecimal> percentiles,
        @Nullable String distinct,
        GroupOrder order,
        int limit,
        Caps caps,
        QueryLimits limits)
        implements SourceRequest {
    /**
     * What makes a group.
     *
     * @param fields whose values are equal; empty for one group
     * @param steps of time that divide each group; null for none
     */
    public record Keys(List<String> fields, @Nullable Steps steps) {
        /** @throws RequestException if there are too many fields, or one is named twice */
        public Keys {
            fields = List.copyOf(fields);
            if (fields.size() > GroupedAggregate.FIELDS_MAX) {
                throw new RequestException(
                        "by", " has too many fields: count=" + fields.size() + ", max=" + GroupedAggregate.FIELDS_MAX);
            } else if (new HashSet<>(fields).size() < fields.size()) {
                throw new RequestException("by", " names a field twice: " + String.join(",", fields));
            }
        }
    }

    /**
     * How much may be held.
     *
     * @param groups from 1 to {@link GroupedAggregate#GROUPS_MAX}, whether shown or not
     * @param distinct values of all groups, from 1 to {@link GroupedAggregate#GROUPS_MAX}
     * @param restAsOther whether groups beyond the cap, and keys that are too long, are one group of the rest; otherwise they are an error
     * @param longKeysAsOther whether keys that are too long are of the rest, whatever groups beyond the cap are
     */
    public record Caps(int groups, int distinct, boolean restAsOther, boolean longKeysAsOther) {
        /** The caps if none are set. */
        public static final Caps DEFAULT =
                new Caps(GroupedAggregate.GROUPS_MAX_DEFAULT, GroupedAggregate.DISTINCT_MAX_DEFAULT, false);

        /** @throws RequestException if a cap is out of range */
        public Caps {
            check("groups-max", groups);
            check("distinct-max", distinct);
        }

        /** Caps under which keys that are too long are treated as groups beyond the cap are. */
        public Caps(int groups, int distinct, boolean restAsOther) {
            this(groups, distinct, restAsOther, restAsOther);
        }

        private static void check(String part, int cap) {
            if (cap < 1 || cap > GroupedAggregate.GROUPS_MAX) {
                throw new RequestException(part, " must be 1 to " + GroupedAggregate.GROUPS_MAX + ": " + cap);
            }
        }
    }

    /**
     * @throws RequestException if a field is unknown or, where a number is needed, no number; if percentiles are out of range or too
     *     many; if percentiles or the order need a field or distinct values that are not asked for; if the limit is negative
     */
    public GroupRequest {
        records.function(field);
        keys.fields().forEach(each -> checkField(records, "by", each));
        checkOrder(order, field, distinct);
        percentiles = List.copyOf(percentiles);
        if (field == null && !percentiles.isEmpty()) {
            throw new RequestException("percentile", " needs a field");
        } else if (percentiles.size() > GroupedAggregate.PERCENTILES_MAX) {
            throw new RequestException(
                    "too many percentiles: count=" + percentiles.size() + ", max=" + GroupedAggregate.PERCENTILES_MAX);
        }
        percentiles.forEach(AggregateRequest::checkPercentile);
        if (distinct != null) {
            checkField(records, "distinct", distinct);
        }
        if (limit < 0) {
            throw new RequestException("limit", " is negative: " + limit);
        }
    }

    private static void checkField(RecordSelection records, String part, String field) {
        if (records.source().format().field(field) == null) {
            throw new RequestException(
                    part,
                    ": ",
                    new UnknownFieldException(field, records.source().format()));
        }
    }

    private static void checkOrder(GroupOrder order, @Nullable String field, @Nullable String distinct) {
        String by = order.by().name().toLowerCase(Locale.ROOT);
        switch (order.by()) {
            case KEY, COUNT -> {}
            case SUM, MIN, MAX, MEAN, PERCENTILE -> {
                if (field == null) {
                    throw new RequestException("order", " by " + by + " needs a field");
                }
            }
            case DISTINCT -> {
                if (distinct == null) {
                    throw new RequestException("order", " by distinct needs distinct values");
                }
            }
        }
        if (order.percentile() != null) {
            AggregateRequest.checkPercentile(order.percentile());
        }
    }
}
