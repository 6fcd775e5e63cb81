package dev.loom.server.time;

import dev.loom.query.where.Quantity;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses a time: RFC 3339, an epoch in s, ms, us or ns by its size, {@code now}, {@code now-5m}.
 *
 * <p>RFC 3339 may lack its offset or its time of day, and be written as ISO 8601 allows and databases and loggers do: {@code
 * 2026-11-21 02:46:33,399}, {@code +0100}, {@code +01}, {@code UTC}. Second 60, which leap seconds have, is the next minute's first, as in
 * POSIX.
 */
public final class TimeText {
    private static final Pattern EPOCH = Pattern.compile("-?\\d{1,19}");
    private static final Pattern EPOCH_FRACTION = Pattern.compile("-?\\d{1,19}\\.\\d{1,9}");
    private static final Pattern DATE_SPACE = Pattern.compile("^(\\d{4}-\\d{2}-\\d{2}) ");
    private static final Pattern OFFSET = Pattern.compile(" ?([zZ]|UTC|GMT|[+-]\\d{2}(:?\\d{2}(:?\\d{2})?)?)$");
    private static final int MINUTE_END = "2026-11-21T02:46".length();
    private static final String NOW = "now";

    private TimeText() {}

    /** Whether a text, or null, is relative to now. */
    public static boolean relative(@Nullable String text) {
        return text != null && text.startsWith(NOW);
    }

    /**
     * Parses a text to epoch nanoseconds.
     *
     * @param zone for texts without an offset
     * @throws IllegalArgumentException if the text is not a time or is out of range
     */
    public static long parse(String text, long nowNs, ZoneId zone) {
        try {
            long plainNs = PlainTime.epochNs(text, zone);
            if (plainNs != PlainTime.NONE) {
                return plainNs;
            } else if (text.startsWith(NOW)) {
                return relative(text.substring(NOW.length()), nowNs);
            } else if (EPOCH.matcher(text).matches()) {
                return EpochTime.ofAnyUnit(Long.parseLong(text));
            } else if (EPOCH_FRACTION.matcher(text).matches()) {
                return EpochTime.ofAnyUnit(new BigDecimal(text));
            }
            return calendar(DATE_SPACE.matcher(text).replaceFirst("$1T"), zone);
        } catch (ArithmeticException | DateTimeException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "not a time: \"" + text + "\"; expected RFC 3339 such as 2026-11-21T02:46:33Z, an epoch or now-5m",
                    e);
        }
    }

    private static long relative(String rest, long nowNs) {
        if (rest.isEmpty()) {
            return nowNs;
        }
        long distanceNs = Quantity.duration(rest.substring(1)).toNanos();
        return switch (rest.charAt(0)) {
            case '-' -> Math.subtractExact(nowNs, distanceNs);
            case '+' -> Math.addExact(nowNs, distanceNs);
            default -> throw new IllegalArgumentException(rest);
        };
    }

    private static long calendar(String text, ZoneId zone) {
        int timeAt = text.toUpperCase(Locale.ROOT).indexOf('T');
        if (timeAt < 0) {
            return EpochTime.of(LocalDate.parse(text).atStartOfDay(zone).toInstant());
        }
        Matcher offset = OFFSET.matcher(text);
        if (!offset.find(timeAt)) {
            return EpochTime.of(local(text).atZone(zone).toInstant());
        }
        String written = offset.group(1);
        ZoneOffset of = Character.isLetter(written.charAt(0)) ? ZoneOffset.UTC : ZoneOffset.of(written);
        return EpochTime.of(local(text.substring(0, offset.start())).toInstant(of));
    }

    private static LocalDateTime local(String text) {
        boolean leap = text.startsWith(":60", MINUTE_END);
        String ordinary = leap ? text.substring(0, MINUTE_END) + ":59" + text.substring(MINUTE_END + 3) : text;
        return LocalDateTime.parse(ordinary.replace(',', '.')).plusSeconds(leap ? 1 : 0);
    }
}
