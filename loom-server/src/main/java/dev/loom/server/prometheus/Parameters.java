package dev.loom.server.prometheus;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpCall;
import dev.loom.server.prometheus.promql.Durations;
import dev.loom.server.prometheus.promql.Evaluator;
import dev.loom.server.prometheus.promql.Expr;
import dev.loom.server.prometheus.promql.Matcher;
import dev.loom.server.prometheus.promql.PromNumber;
import dev.loom.server.prometheus.promql.PromQl;
import dev.loom.server.prometheus.promql.PromQlException;
import dev.loom.server.prometheus.promql.Steps;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The parameters of a request as Prometheus understands them. Of several values of one the first counts. */
final class Parameters {
    /** The most points of a series. */
    static final int POINTS_MAX = 11_000;

    /** Times farther from 1970 than this have no place in a store. */
    private static final long TIME_MS_MAX = Long.MAX_VALUE / 1_000_000 - 1;

    private static final int SELECTORS_MAX = 64;

    private final HttpCall call;

    Parameters(HttpCall call) {
        this.call = call;
    }

    private static ApiFailure invalid(String name, String message) {
        return ApiFailure.badRequest("invalid parameter \"" + name + "\": " + message);
    }

    /** A parameter; empty if it is missing. */
    String text(String name) {
        List<String> values = call.parameters().getOrDefault(name, List.of());
        return values.isEmpty() ? "" : values.get(0);
    }

    Expr query() {
        try {
            return PromQl.parse(text("query"));
        } catch (PromQlException e) {
            throw invalid("query", String.valueOf(e.getMessage()));
        }
    }

    /** The series selectors of all values of {@code match[]}. */
    List<List<Matcher>> selectors() {
        List<String> texts = call.parameters().getOrDefault("match[]", List.of());
        if (texts.size() > SELECTORS_MAX) {
            throw invalid("match[]", "too many: count=" + texts.size() + ", max=" + SELECTORS_MAX);
        }
        List<List<Matcher>> selectors = new ArrayList<>();
        for (String text : texts) {
            try {
                selectors.add(PromQl.parseMatchers(text));
            } catch (PromQlException e) {
                throw invalid("match[]", String.valueOf(e.getMessage()));
            }
        }
        return selectors;
    }

    /** A time in milliseconds: epoch seconds with a fraction, or as RFC 3339 has it. */
    long timeMs(String name, long otherwise) {
        String text = text(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        double ms;
        try {
            ms = Math.rint(PromNumber.parse(text) * 1_000);
        } catch (NumberFormatException e) {
            ms = rfcMs(name, text);
        }
        if (!(Math.abs(ms) <= TIME_MS_MAX)) {
            throw invalid(name, "time is out of range: " + text);
        }
        return (long) ms;
    }

    private static long rfcMs(String name, String text) {
        try {
            return OffsetDateTime.parse(text.toUpperCase(Locale.ROOT))
                    .toInstant()
                    .toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw invalid(name, "cannot parse " + text + " to a valid timestamp: neither seconds nor RFC 3339");
        }
    }

    /** The time of a query at one moment, now if nothing is said. */
    Steps instant() {
        return Steps.at(timeMs("time", Instant.now().toEpochMilli()));
    }

    /** Start, end and step of a query over time. */
    Steps range() {
        long startMs = requiredMs("start");
        long endMs = requiredMs("end");
        if (endMs < startMs) {
            throw invalid("end", "end timestamp must not be before start time");
        }
        String step = text("step");
        long stepMs = durationMs("step", step);
        if (stepMs <= 0) {
            throw invalid(
                    "step",
                    "zero or negative query resolution step widths are not accepted. Try a positive integer: " + step);
        }
        if ((endMs - startMs) / stepMs > POINTS_MAX) {
            throw ApiFailure.badRequest("exceeded maximum resolution of " + POINTS_MAX
                    + " points per timeseries. Try decreasing the query resolution (?step=XX)");
        }
        return new Steps(startMs, endMs, stepMs);
    }

    private long requiredMs(String name) {
        if (text(name).isEmpty()) {
            throw invalid(name, "cannot parse \"\" to a valid timestamp");
        }
        return timeMs(name, 0);
    }

    /** A duration in milliseconds: seconds with a fraction, or such as {@code 1m30s}. */
    private static long durationMs(String name, String text) {
        double ms;
        try {
            ms = Math.rint(PromNumber.parse(text) * 1_000);
        } catch (NumberFormatException notSeconds) {
            try {
                ms = Durations.parse(text);
            } catch (IllegalArgumentException e) {
                throw invalid(name, "cannot parse \"" + text + "\" to a valid duration");
            }
        }
        if (!(Math.abs(ms) <= TIME_MS_MAX)) {
            throw invalid(name, "duration is out of range: " + text);
        }
        return (long) ms;
    }

    /** How long the answer may take. */
    Duration timeout(Duration most) {
        String text = text("timeout");
        if (text.isEmpty()) {
            return most;
        }
        long ms = durationMs("timeout", text);
        return ms < most.toMillis() ? Duration.ofMillis(Math.max(0, ms)) : most;
    }

    /**
     * Checks that the last value of a series may be as old as it may be here.
     *
     * @throws ApiFailure if another lookback is asked for
     */
    void requireLookback() {
        String text = text("lookback_delta");
        if (!text.isEmpty() && durationMs("lookback_delta", text) != Evaluator.LOOKBACK_MS) {
            throw invalid("lookback_delta", "the last value of a series may be 5m old, no more and no less: " + text);
        }
    }

    /** The most values or series wanted; all if it is 0. */
    int limit() {
        String text = text("limit");
        try {
            int limit = text.isEmpty() ? 0 : Integer.parseInt(text);
            if (limit >= 0) {
                return limit;
            }
        } catch (NumberFormatException e) {
            throw invalid("limit", "cannot parse \"" + text + "\" to a number of values");
        }
        throw invalid("limit", "limit must be non-negative: " + text);
    }
}
