package dev.loom.query.service;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Asks for the counts of a field's values by size, by time, or by both.
 *
 * @param field a number; null to count records, by time alone
 * @param groupsMax the most groups of bins by value
 * @param byTime null to count by value alone
 */
public record HistogramRequest(
        RecordSelection records,
        @Nullable String field,
        boolean byValue,
        int groupsMax,
        @Nullable Steps byTime,
        QueryLimits limits)
        implements SourceRequest {
    /**
     * Steps of time.
     *
     * @param length of each; null for a round one that gives about {@code countMax} steps
     * @param originNs a time in epoch nanoseconds that is a multiple of the length away from the first step's start, unless the first
     *     record's time or the start asked for is that start
     */
    public record Steps(@Nullable Duration length, int countMax, long originNs) {
        /** Steps at round times. */
        public Steps(@Nullable Duration length, int countMax) {
            this(length, countMax, 0);
        }

        /** @throws RequestException if the length is zero, negative or longer than 292 years */
        public Steps {
            if (length != null && length.isZero()) {
                throw new RequestException("step", " is zero");
            } else if (length != null && (length.isNegative() || length.compareTo(LENGTH_MAX) > 0)) {
                throw new RequestException("step", " is out of range: " + length);
            }
        }
    }

    private static final Duration LENGTH_MAX = Duration.ofNanos(Long.MAX_VALUE);

    /** @throws RequestException if the field is no number, or missing in a histogram by value */
    public HistogramRequest {
        records.function(field);
        if (byValue && field == null) {
            throw new RequestException("a histogram by value needs a field");
        } else if (!byValue && byTime == null) {
            throw new RequestException("a histogram must be by value, by time or both");
        }
    }
}
