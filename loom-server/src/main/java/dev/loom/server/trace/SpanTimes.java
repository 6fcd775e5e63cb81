package dev.loom.server.trace;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.request.RequestTimes;
import dev.loom.server.request.TimeKind;
import dev.loom.server.time.EpochTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * When the spans that are asked for ended.
 *
 * @param fromNs epoch nanoseconds; null for any
 * @param toNs before this one; null for any
 */
public record SpanTimes(@Nullable Long fromNs, @Nullable Long toNs) {
    /** Any time. */
    public static final SpanTimes ALL = new SpanTimes(null, null);

    /** @throws ApiFailure if the range is reversed */
    public SpanTimes {
        if (fromNs != null && toNs != null && fromNs > toNs) {
            throw ApiFailure.badRequest(
                    "start is after end: start=" + EpochTime.instant(fromNs) + ", end=" + EpochTime.instant(toNs));
        }
    }

    /** The range in event time; of any time if it has no end and no start, so that sources without event times count. */
    RequestTimes times() {
        return equals(ALL)
                ? RequestTimes.ALL
                : new RequestTimes(null, text(fromNs), text(toNs), ZoneOffset.UTC, TimeKind.EVENT);
    }

    private static @Nullable String text(@Nullable Long timeNs) {
        return timeNs == null ? null : EpochTime.instant(timeNs).toString();
    }
}
