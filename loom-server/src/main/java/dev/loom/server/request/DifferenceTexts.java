package dev.loom.server.request;

import dev.loom.api.Source;
import dev.loom.query.Difference;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.DifferenceRequest;
import dev.loom.query.service.RequestException;
import dev.loom.query.where.Where.Literal;
import dev.loom.server.time.EventTime;
import dev.loom.server.time.TimeText;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How records are chosen besides conditions, and what of them is compared, as options and JSON hold it; null is what was not asked for.
 *
 * @param field a number, with {@code above}, {@code low} or {@code high}
 * @param above a percentile such as {@code p99}, or a value
 * @param low the least value
 * @param high the value that the others are below
 * @param selectedFrom start of the part of the range
 * @param selectedTo its end, exclusive
 * @param against conditions on the others
 * @param fields to compare; empty for all
 * @param minSupport the least share of the chosen records, such as {@code 5%}
 * @param limit the most findings
 */
public record DifferenceTexts(
        @Nullable String field,
        @Nullable String above,
        @Nullable String low,
        @Nullable String high,
        @Nullable String selectedFrom,
        @Nullable String selectedTo,
        List<String> against,
        List<String> fields,
        @Nullable String minSupport,
        @Nullable Long limit) {
    /** The most findings if nobody says how many. */
    public static final int LIMIT = 10;

    public DifferenceTexts {
        against = List.copyOf(against);
        fields = List.copyOf(fields);
    }

    /** @param nowNs base of relative times */
    DifferenceRequest.Choice choice(long nowNs, ZoneId zone) {
        return new DifferenceRequest.Choice(
                field,
                above == null ? null : RequestTexts.threshold(above),
                low == null ? null : number("low", low),
                high == null ? null : number("high", high),
                times(nowNs, zone));
    }

    /** Whether an end of the chosen times is relative to now. */
    boolean relative() {
        return TimeText.relative(selectedFrom) || TimeText.relative(selectedTo);
    }

    private TimeRange times(long nowNs, ZoneId zone) {
        return selectedFrom == null && selectedTo == null
                ? TimeRange.ALL
                : new RequestTimes(null, selectedFrom, selectedTo, zone, null).range(nowNs);
    }

    private static Literal.Numeric number(String part, String text) {
        try {
            return Literal.Numeric.parse(text);
        } catch (IllegalArgumentException e) {
            throw new RequestException(part, ": ", e);
        }
    }

    /** The field of the event time, which differs if a part of the range is chosen by it. */
    List<String> ignored(Source source, boolean eventTime) {
        EventTime time = EventTime.of(source);
        boolean chooses = eventTime && (selectedFrom != null || selectedTo != null);
        return time == null || !chooses ? List.of() : List.of(time.field());
    }

    double supportMin() {
        return minSupport == null ? Difference.SUPPORT_MIN_DEFAULT : RequestTexts.share("min-support", minSupport);
    }

    int limitOrDefault() {
        return limit == null ? LIMIT : (int) Math.max(-1, Math.min(limit, Integer.MAX_VALUE));
    }
}
