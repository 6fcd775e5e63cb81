package dev.loom.server.loki;

import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpCall;
import dev.loom.server.time.EpochTime;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request, in the forms that Loki takes: times as seconds (also with a fraction), nanoseconds (more than ten digits) or
 * RFC 3339, lengths of time as seconds or durations. Each method throws an {@link ApiFailure} that names the parameter it can't read.
 */
final class LokiParameters {
    private static final Pattern FRACTION = Pattern.compile("\\d{1,10}\\.\\d{0,18}");
    private static final Pattern DIGITS = Pattern.compile("\\d{1,19}");
    private static final Pattern SECONDS = Pattern.compile("\\d{1,12}(\\.\\d{1,18})?");
    private static final int SECONDS_DIGITS = 10;
    private static final long NS_PER_S = 1_000_000_000L;
    private static final long SINCE_NS = 3_600 * NS_PER_S;
    private static final long DEFAULT_POINTS = 250;

    /** Times are from 1970 to 2116, so that nothing overflows. */
    private static final long TIME_MAX_NS = Long.MAX_VALUE / 2;

    private static final int SHOWN_MAX = 64;
    private static final int DIGITS_MAX = 19;

    private final Map<String, List<String>> values;
    private final long nowNs;

    LokiParameters(HttpCall call) {
        this(call.parameters(), EpochTime.of(Instant.now()));
    }

    LokiParameters(Map<String, List<String>> values, long nowNs) {
        this.values = values;
        this.nowNs = nowNs;
    }

    /** The first value; empty if there is none. */
    String text(String name) {
        List<String> all = values.getOrDefault(name, List.of());
        return all.isEmpty() ? "" : all.get(0);
    }

    List<String> texts(String... names) {
        for (String name : names) {
            List<String> all = values.get(name);
            if (all != null) {
                return all;
            }
        }
        return List.of();
    }

    /** The query, which must be there. */
    String query() {
        String query = text("query");
        if (query.isBlank()) {
            throw ApiFailure.badRequest("parse error : syntax error: unexpected $end: query is missing");
        } else if (!text("regexp").isEmpty()) {
            throw ApiFailure.badRequest("parameter is not supported: regexp; use |~ in the query");
        }
        return query;
    }

    int limit(String name, int otherwise, int max) {
        String text = text(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        long number = DIGITS.matcher(text).matches() && text.length() < DIGITS_MAX ? Long.parseLong(text) : 0;
        if (number <= 0) {
            throw bad(name, "must be a positive value", text);
        } else if (number > max) {
            throw ApiFailure.badRequest("max entries limit per query exceeded, limit > max_entries_limit_per_query ("
                    + number + " > " + max + ")");
        }
        return (int) number;
    }

    private static ApiFailure bad(String name, String why, String text) {
        String shown = text.length() <= SHOWN_MAX ? text : text.substring(0, SHOWN_MAX) + "...";
        return ApiFailure.badRequest("could not parse '" + name + "' parameter: " + why + ": \"" + shown + "\"");
    }

    Order direction() {
        return switch (text("direction").toUpperCase(Locale.ROOT)) {
            case "", "BACKWARD" -> Order.NEWEST_FIRST;
            case "FORWARD" -> Order.OLDEST_FIRST;
            default -> throw bad("direction", "expected forward or backward", text("direction"));
        };
    }

    /** When an instant query is evaluated; now by default. */
    long timeNs() {
        return time("time", nowNs);
    }

    /** From {@code start}, included, to {@code end}, excluded; by default the last hour, or what {@code since} says. */
    TimeRange range() {
        long endNs = time("end", nowNs);
        String since = text("since");
        long sinceNs = since.isEmpty() ? SINCE_NS : duration("since", since);
        long startNs = time("start", Math.max(0, Math.min(endNs, nowNs) - sinceNs));
        if (startNs > endNs) {
            throw ApiFailure.badRequest(
                    "end timestamp must not be before start time: start=" + startNs + ", end=" + endNs);
        }
        return new TimeRange(startNs, endNs);
    }

    /** The first line of a tail; null if the parameter is missing. */
    @Nullable
    Long startNs() {
        return text("start").isEmpty() ? null : (Long) time("start", nowNs);
    }

    private long time(String name, long otherwise) {
        String text = text(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        long timeNs = -1;
        try {
            if (FRACTION.matcher(text).matches()) {
                timeNs = new BigDecimal(text).movePointRight(9).longValue();
            } else if (DIGITS.matcher(text).matches()) {
                long number = Long.parseLong(text);
                timeNs = text.length() <= SECONDS_DIGITS ? Math.multiplyExact(number, NS_PER_S) : number;
            } else {
                timeNs = EpochTime.of(OffsetDateTime.parse(text).toInstant());
            }
        } catch (ArithmeticException | DateTimeException | NumberFormatException e) {
            throw bad(name, "not a time", text);
        }
        if (timeNs < 0 || timeNs > TIME_MAX_NS) {
            throw bad(name, "time is out of range", text);
        }
        return timeNs;
    }

    /** The step of a range query; by default a 250th of the range in whole seconds. */
    long stepNs(TimeRange range) {
        String text = text("step");
        return text.isEmpty()
                ? Math.max(1, (range.toNs() - range.fromNs()) / NS_PER_S / DEFAULT_POINTS) * NS_PER_S
                : duration("step", text);
    }

    /** Refuses a parameter that would change the answer. */
    void refuse(String name) {
        String text = text(name);
        if (!text.isEmpty() && !text.matches("0+(\\.0*)?s?")) {
            throw ApiFailure.badRequest("parameter is not supported: " + name);
        }
    }

    private static long duration(String name, String text) {
        if (SECONDS.matcher(text).matches()) {
            BigDecimal ns = new BigDecimal(text).movePointRight(9);
            if (ns.compareTo(BigDecimal.valueOf(TIME_MAX_NS)) > 0) {
                throw bad(name, "out of range", text);
            }
            return ns.longValue();
        }
        try {
            LogQlLexer lexer = new LogQlLexer(text);
            LogQlLexer.Token number = lexer.next();
            boolean whole = lexer.next().kind() == LogQlLexer.Kind.END;
            if (whole
                    && number.unit() == LogQl.Unit.NANOSECONDS
                    && number.number().compareTo(BigDecimal.valueOf(TIME_MAX_NS)) <= 0) {
                return number.number().longValue();
            }
        } catch (ApiFailure e) {
            throw bad(name, "not a duration", text);
        }
        throw bad(name, "not a duration", text);
    }
}
