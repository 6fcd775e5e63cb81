package dev.loom.server.request;

import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.service.CorrelationRequest.Threshold;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.RequestException;
import dev.loom.query.text.QuerySyntaxException;
import dev.loom.query.where.Quantity;
import dev.loom.query.where.Where;
import dev.loom.query.where.Where.Literal;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The texts of a request's parts. Each method throws a {@link RequestException} for a text that it can't parse. */
public final class RequestTexts {
    private static final Pattern PERCENTILE = Pattern.compile("p?(\\d{1,3}(?:\\.\\d{1,9})?)");

    private static final Pattern SHARE = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,9})?)%");

    /** A message shows at most this much of an expression. */
    private static final int SHOWN_MAX = 100;

    private RequestTexts() {}

    static List<Where> conditions(List<String> texts) {
        return conditions("where", texts);
    }

    /** @param part the part of the request that they are */
    static List<Where> conditions(String part, List<String> texts) {
        return texts.stream().map(text -> condition(part, text)).toList();
    }

    private static Where condition(String part, String text) {
        try {
            return Where.parse(text);
        } catch (QuerySyntaxException e) {
            // The message's second line quotes the expression around the error, its third points at it.
            List<String> lines = String.valueOf(e.getMessage()).lines().toList();
            throw new RequestException(
                    part, ": " + lines.get(0) + ", expression=" + (text.length() <= SHOWN_MAX ? text : lines.get(1)));
        }
    }

    /** Parses {@code 99.99} or {@code p99.99}. */
    static BigDecimal percentile(String text) {
        Matcher matcher = PERCENTILE.matcher(text);
        if (!matcher.matches()) {
            throw new RequestException("not a percentile: " + text + "; for example 99.99 or p99.99");
        }
        return new BigDecimal(matcher.group(1));
    }

    /** Parses {@code p99.99}, or a number as an expression has it. */
    static Threshold threshold(String text) {
        if (text.startsWith("p")) {
            return new Threshold.Percentile(percentile(text));
        }
        try {
            return new Threshold.Above(Literal.Numeric.parse(text));
        } catch (IllegalArgumentException e) {
            throw new RequestException(
                    "above", " is neither a percentile nor a number: " + text + "; for example p99.99 or 50ms");
        }
    }

    /**
     * Parses a duration such as {@code 1h30m}.
     *
     * @param part the part of the request that it is
     */
    static Duration duration(String part, String text) {
        return quantity(part, text, Quantity::duration);
    }

    /**
     * Limits of a query.
     *
     * @param timeout a duration; null for none
     * @param bytesReadMax a size; null for none
     * @param disabled the indexes that may not be used
     */
    public static QueryLimits limits(
            @Nullable String timeout, @Nullable String bytesReadMax, Set<QueryIndex> disabled) {
        Set<QueryIndex> usable = EnumSet.allOf(QueryIndex.class);
        usable.removeAll(disabled);
        return new QueryLimits(
                new QueryBudget(
                        bytesReadMax == null
                                ? QueryBudget.UNLIMITED.bytesReadMax()
                                : quantity("max-bytes-read", bytesReadMax, Quantity::bytes),
                        timeout == null ? QueryBudget.UNLIMITED.timeMax() : duration("timeout", timeout)),
                usable);
    }

    /**
     * Parses a share such as {@code 2%}, above 0 to 100 %.
     *
     * @param part the part of the request that it is
     */
    static double share(String part, String text) {
        Matcher matcher = SHARE.matcher(text);
        double share = matcher.matches() ? Double.parseDouble(matcher.group(1)) / 100 : 0;
        if (share <= 0 || share > 1) {
            throw new RequestException(part, " is not a share from above 0% to 100%: " + text + "; for example 2%");
        }
        return share;
    }

    private static <T> T quantity(String part, String text, Function<String, T> parse) {
        try {
            return parse.apply(text);
        } catch (IllegalArgumentException e) {
            throw new RequestException(part, ": ", e);
        }
    }
}
