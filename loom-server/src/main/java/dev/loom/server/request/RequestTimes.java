package dev.loom.server.request;

import dev.loom.query.model.TimeRange;
import dev.loom.query.service.RequestException;
import dev.loom.query.where.Quantity;
import dev.loom.server.time.TimeText;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * The times asked for, as texts.
 *
 * @param since a duration back from now
 * @param zone of times without an offset, and of times in answers
 * @param kind null if not asked for
 */
public record RequestTimes(
        @Nullable String since,
        @Nullable String from,
        @Nullable String to,
        ZoneId zone,
        @Nullable TimeKind kind) {
    /** All times of arrival. */
    public static final RequestTimes ALL = new RequestTimes(null, null, null, ZoneOffset.UTC, null);

    /** @throws RequestException if both {@code since} and {@code from} are given */
    public RequestTimes {
        if (since != null && from != null) {
            throw new RequestException("since and from are mutually exclusive");
        }
    }

    /**
     * The zone of this name; UTC if null.
     *
     * @throws RequestException if it is unknown
     */
    public static ZoneId zone(@Nullable String name) {
        try {
            return name == null || name.equals("UTC") ? ZoneOffset.UTC : ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new RequestException("tz", ": unknown zone: " + name + "; for example Europe/Berlin or +02:00");
        }
    }

    /** Whether an end of the range is relative to now. */
    boolean relative() {
        return since != null || TimeText.relative(from) || TimeText.relative(to);
    }

    /** Whether the range has an end. */
    public boolean ends() {
        return to != null;
    }

    /**
     * Refuses what is wrong whatever the time is: texts that are no times, and a range that ends before it begins, unless it has one end that is
     * relative to now and one that is not.
     *
     * @param nowNs about the time
     * @throws RequestException if the texts are wrong
     */
    public void check(long nowNs) {
        boolean begins = since != null || from != null;
        boolean beginsRelative = since != null || TimeText.relative(from);
        if (begins && to != null && beginsRelative != TimeText.relative(to)) {
            new RequestTimes(since, from, null, zone, kind).range(nowNs);
            new RequestTimes(null, null, to, zone, kind).range(nowNs);
        } else {
            range(nowNs);
        }
    }

    /**
     * The range; an end that is not given is open.
     *
     * @throws RequestException if a text is no time
     */
    public TimeRange range(long nowNs) {
        try {
            long fromNs = from == null ? Long.MIN_VALUE : TimeText.parse(from, nowNs, zone);
            if (since != null) {
                fromNs = Math.subtractExact(nowNs, Quantity.duration(since).toNanos());
            }
            long toNs = to == null ? Long.MAX_VALUE : TimeText.parse(to, nowNs, zone);
            return new TimeRange(fromNs, toNs);
        } catch (IllegalArgumentException e) {
            throw new RequestException("", "", e);
        }
    }
}
