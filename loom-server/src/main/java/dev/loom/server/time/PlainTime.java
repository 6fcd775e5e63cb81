package dev.loom.server.time;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Reads times written as most are, such as {@code 2026-11-21T02:46:33.399Z}, without patterns. */
final class PlainTime {
    /** What is written otherwise, or is no time. */
    static final long NONE = Long.MIN_VALUE;

    private static final int DATE_AND_TIME = "2026-11-21T02:46:33".length();
    private static final int FRACTION_MAX = 9;
    private static final int OFFSET = "+02:00".length();
    private static final int SECONDS_PER_DAY = 86_400;
    private static final int SECONDS_PER_HOUR = 3_600;
    private static final int SECONDS_PER_MINUTE = 60;
    private static final int OFFSET_HOURS_MAX = 17;
    private static final long NS_PER_SECOND = 1_000_000_000;

    private PlainTime() {}

    /**
     * Reads a time.
     *
     * @param zone for a text without an offset; only one that is an offset itself
     * @throws DateTimeException if there is no such day
     * @throws ArithmeticException if nanoseconds can't hold the time
     */
    static long epochNs(String text, ZoneId zone) {
        if (!looksPlain(text)) {
            return NONE;
        }
        int year = digits(text, 0, 4);
        int month = digits(text, 5, 2);
        int day = digits(text, 8, 2);
        int hour = digits(text, 11, 2);
        int minute = digits(text, 14, 2);
        int second = digits(text, 17, 2);
        if ((year | month | day | hour | minute | second) < 0 || hour > 23 || minute > 59 || second > 60) {
            return NONE;
        }
        int end = text.length();
        int at = DATE_AND_TIME;
        long nanos = 0;
        if (at < end && (text.charAt(at) == '.' || text.charAt(at) == ',')) {
            int from = ++at;
            while (at < end && isDigit(text.charAt(at)) && at - from < FRACTION_MAX) {
                nanos = 10 * nanos + text.charAt(at++) - '0';
            }
            if (at == from) {
                return NONE;
            }
            for (int i = at - from; i < FRACTION_MAX; i++) {
                nanos *= 10;
            }
        }
        int offset = offset(text, at, zone);
        if (offset == Integer.MIN_VALUE) {
            return NONE;
        }
        long seconds = LocalDate.of(year, month, day).toEpochDay() * SECONDS_PER_DAY
                + (long) hour * SECONDS_PER_HOUR
                + (long) minute * SECONDS_PER_MINUTE
                + second
                - offset;
        return seconds >= 0
                ? Math.addExact(Math.multiplyExact(seconds, NS_PER_SECOND), nanos)
                : Math.addExact(Math.multiplyExact(seconds + 1, NS_PER_SECOND), nanos - NS_PER_SECOND);
    }

    private static boolean looksPlain(String text) {
        return text.length() >= DATE_AND_TIME
                && text.charAt(4) == '-'
                && text.charAt(7) == '-'
                && (text.charAt(10) == 'T' || text.charAt(10) == ' ')
                && text.charAt(13) == ':'
                && text.charAt(16) == ':';
    }

    /** The seconds of the offset from there to the end; {@code Integer.MIN_VALUE} if it is written otherwise. */
    private static int offset(String text, int at, ZoneId zone) {
        int length = text.length() - at;
        if (length == 0 && zone instanceof ZoneOffset same) {
            return same.getTotalSeconds();
        } else if (length == 1 && text.charAt(at) == 'Z') {
            return 0;
        } else if (length == OFFSET && text.charAt(at + 3) == ':') {
            int hours = digits(text, at + 1, 2);
            int minutes = digits(text, at + 4, 2);
            char sign = text.charAt(at);
            if ((hours | minutes) >= 0 && hours <= OFFSET_HOURS_MAX && minutes <= 59 && (sign == '+' || sign == '-')) {
                int seconds = hours * SECONDS_PER_HOUR + minutes * SECONDS_PER_MINUTE;
                return sign == '-' ? -seconds : seconds;
            }
        }
        return Integer.MIN_VALUE;
    }

    /** A number of that many digits; negative if one is none. */
    private static int digits(String text, int from, int count) {
        int number = 0;
        for (int i = from; i < from + count; i++) {
            if (!isDigit(text.charAt(i))) {
                return -1;
            }
            number = 10 * number + text.charAt(i) - '0';
        }
        return number;
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }
}
