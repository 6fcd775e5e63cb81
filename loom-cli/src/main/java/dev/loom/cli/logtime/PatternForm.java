package dev.loom.cli.logtime;

import java.nio.charset.StandardCharsets;
import java.text.ParsePosition;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.time.temporal.WeekFields;
import java.util.Locale;

/** A form given as a pattern of {@link DateTimeFormatter}, in English. Much slower than a {@link KnownForm}. */
final class PatternForm implements TimeForm {
    /** No time is longer, in bytes. */
    private static final int LENGTH_MAX = 128;

    private static final ZonedDateTime SOME_TIME = ZonedDateTime.of(2026, 11, 24, 18, 1, 47, 0, ZoneOffset.UTC);

    private final String pattern;
    private final DateTimeFormatter formatter;

    /** @throws IllegalArgumentException if the pattern is none, has neither a day nor a time of day, or a part of either only */
    PatternForm(String pattern) {
        this.pattern = pattern;
        this.formatter = DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
        TemporalAccessor read;
        try {
            read = formatter.parse(formatter.format(SOME_TIME));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
        boolean month = read.isSupported(ChronoField.MONTH_OF_YEAR);
        boolean day = read.isSupported(ChronoField.DAY_OF_MONTH);
        if (month != day || (!day && read.query(TemporalQueries.localTime()) == null)) {
            throw new IllegalArgumentException("it has neither a month and a day nor a time of day");
        }
        requireWhole(read);
    }

    /** Refuses what is easily mistaken: parts of a date or of a time of day that don't tell it, and would be left out. */
    private static void requireWhole(TemporalAccessor read) {
        if (read.query(TemporalQueries.localTime()) == null) {
            if (read.isSupported(ChronoField.HOUR_OF_AMPM)) {
                throw new IllegalArgumentException("hours h and K need a, for am or pm; H is the hour of the day");
            } else if (read.isSupported(ChronoField.MINUTE_OF_HOUR) || read.isSupported(ChronoField.SECOND_OF_MINUTE)) {
                throw new IllegalArgumentException("it has minutes or seconds without an hour");
            }
        }
        if (read.query(TemporalQueries.localDate()) == null) {
            if (read.isSupported(WeekFields.of(Locale.ENGLISH).weekBasedYear())) {
                throw new IllegalArgumentException("Y is the year of a week; y is the year of a date");
            } else if (read.isSupported(ChronoField.YEAR) || read.isSupported(ChronoField.YEAR_OF_ERA)) {
                throw new IllegalArgumentException("it has a year without a month and a day");
            }
        }
    }

    @Override
    public String name() {
        return pattern;
    }

    @Override
    public int wordMax() {
        return LineTimes.WORD_MAX;
    }

    @Override
    public int read(byte[] array, int from, int end, WrittenTime into) {
        String text = new String(array, from, Math.min(LENGTH_MAX, end - from), StandardCharsets.UTF_8);
        ParsePosition position = new ParsePosition(0);
        TemporalAccessor written = formatter.parseUnresolved(text, position);
        if (written == null) {
            return NONE;
        }
        into.clear();
        try {
            TemporalAccessor read = formatter.parse(text, new ParsePosition(0));
            if (dayExists(written, read)) {
                take(read, into);
            } else {
                into.month = 0;
            }
        } catch (DateTimeException | ArithmeticException e) {
            // parts that are no time together: there is no month 0
            into.month = 0;
        }
        return from + text.substring(0, position.getIndex()).getBytes(StandardCharsets.UTF_8).length;
    }

    /** A day behind the last of its month would be read as the last; 24:00 is of the next day. */
    private static boolean dayExists(TemporalAccessor written, TemporalAccessor read) {
        LocalDate date = read.query(TemporalQueries.localDate());
        if (date == null
                || !written.isSupported(ChronoField.DAY_OF_MONTH)
                || !written.isSupported(ChronoField.MONTH_OF_YEAR)) {
            return true;
        }
        int year = written.isSupported(ChronoField.YEAR_OF_ERA)
                ? Math.toIntExact(written.getLong(ChronoField.YEAR_OF_ERA))
                : written.isSupported(ChronoField.YEAR)
                        ? Math.toIntExact(written.getLong(ChronoField.YEAR))
                        : date.getYear();
        int month = Math.toIntExact(written.getLong(ChronoField.MONTH_OF_YEAR));
        return written.getLong(ChronoField.DAY_OF_MONTH)
                <= YearMonth.of(year, month).lengthOfMonth();
    }

    private static void take(TemporalAccessor read, WrittenTime into) {
        LocalTime time = read.query(TemporalQueries.localTime());
        LocalDate date = read.query(TemporalQueries.localDate());
        into.nano = time == null ? 0 : time.getNano();
        if (read.isSupported(ChronoField.INSTANT_SECONDS)) {
            into.epoch = true;
            into.epochSecond = read.getLong(ChronoField.INSTANT_SECONDS);
            return;
        }
        if (time != null) {
            into.hour = time.getHour();
            into.minute = time.getMinute();
            into.second = time.getSecond();
        }
        if (date != null) {
            into.year = date.getYear();
            into.month = date.getMonthValue();
            into.day = date.getDayOfMonth();
        } else if (read.isSupported(ChronoField.MONTH_OF_YEAR)) {
            into.month = read.get(ChronoField.MONTH_OF_YEAR);
            into.day = read.get(ChronoField.DAY_OF_MONTH);
        }
        if (read.isSupported(ChronoField.OFFSET_SECONDS)) {
            into.offsetSeconds = read.get(ChronoField.OFFSET_SECONDS);
        }
    }
}
