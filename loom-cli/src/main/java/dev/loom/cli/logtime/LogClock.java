package dev.loom.cli.logtime;

import dev.loom.server.time.EpochTime;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/**
 * Turns the written times of one log into epoch nanoseconds. A log goes forwards: where years are not written, the next one begins
 * when a date would be more than a month before the one above it; where dates are not written, the next day begins when a time would
 * be more than two hours before. For one thread.
 */
final class LogClock {
    private static final int SECONDS_PER_DAY = 86_400;
    private static final int BACK_DAYS = 31;
    private static final int BACK_SECONDS = 2 * 3600;
    private static final int YEAR_DAYS = 366;
    private static final int LEAP_YEARS_APART = 8;

    /** How far ahead of now the first time may be: clocks differ, and zones may not be known. */
    private static final int AHEAD_DAYS = 1;

    private static final int AHEAD_SECONDS = 3600;

    /** The seconds that nanoseconds can hold, except the first and last one. */
    private static final long SECOND_MAX = Long.MAX_VALUE / 1_000_000_000 - 1;

    private final ZoneId zone;
    private final ZoneOffsets offsets;
    private final @Nullable Integer firstYear;
    private final @Nullable LocalDate firstDate;
    private final long nowNs;
    private boolean begun;
    private int lastYear;
    private long lastDay;
    private int lastSecondOfDay;
    private int lastMonth;
    private int lastDayOfMonth;
    private long lastDayOfYear;
    private long knownDate = -1;
    private long knownDay;

    /** Starts before the first time. */
    LogClock(LogTimeSettings settings, long nowNs) {
        this.zone = settings.zone();
        this.offsets = new ZoneOffsets(zone);
        this.firstYear = settings.year();
        this.firstDate = settings.date();
        this.nowNs = nowNs;
    }

    /** Whether the time is one, within the range of nanoseconds; then {@code into[0]} gets them. */
    boolean read(WrittenTime time, long[] into) {
        if (!time.isValid()) {
            return false;
        }
        long second = time.epoch ? time.epochSecond : second(time);
        if (second < -SECOND_MAX || second > SECOND_MAX) {
            return false;
        }
        into[0] = second * 1_000_000_000 + time.nano;
        return true;
    }

    private long second(WrittenTime time) {
        int secondOfDay = time.secondOfDay();
        if (time.lacksDate()) {
            nextDay(time, secondOfDay);
        } else if (time.year != WrittenTime.ABSENT) {
            lastDay = day(time.year, time.month, time.day);
        } else if (!nextInYear(time)) {
            return Long.MAX_VALUE;
        }
        begun = true;
        lastSecondOfDay = secondOfDay;
        long local = lastDay * SECONDS_PER_DAY + secondOfDay;
        return local - (time.lacksOffset() ? offsets.at(local) : time.offsetSeconds);
    }

    private long day(int year, int month, int day) {
        long date = (year * 13L + month) * 32 + day;
        if (date != knownDate) {
            knownDate = date;
            knownDay = LocalDate.of(year, month, day).toEpochDay();
        }
        return knownDay;
    }

    private void nextDay(WrittenTime time, int secondOfDay) {
        if (!begun) {
            ZoneId written = time.lacksOffset() ? zone : ZoneOffset.ofTotalSeconds(time.offsetSeconds);
            LocalDateTime now = LocalDateTime.ofInstant(EpochTime.instant(nowNs), written);
            boolean today = secondOfDay <= now.toLocalTime().toSecondOfDay() + AHEAD_SECONDS;
            lastDay = firstDate != null
                    ? firstDate.toEpochDay()
                    : now.toLocalDate().toEpochDay() - (today ? 0 : 1);
        } else if (secondOfDay < lastSecondOfDay - BACK_SECONDS) {
            lastDay++;
        } else if (secondOfDay > lastSecondOfDay + SECONDS_PER_DAY - BACK_SECONDS) {
            lastDay--;
        }
    }

    /** Sets the day of a time without a year; false if there is no such day in the years that come into question. */
    private boolean nextInYear(WrittenTime time) {
        if (!begun || time.month != lastMonth || time.day != lastDayOfMonth) {
            if (!(begun ? findInYears(time) : findFirst(time))) {
                return false;
            }
            lastMonth = time.month;
            lastDayOfMonth = time.day;
        }
        lastDay = lastDayOfYear;
        return true;
    }

    private boolean findInYears(WrittenTime time) {
        for (int year = lastYear - 1; year <= lastYear + 1; year++) {
            if (exists(year, time)) {
                long day = day(year, time.month, time.day);
                if (day >= lastDay - BACK_DAYS && day < lastDay + YEAR_DAYS - BACK_DAYS) {
                    lastYear = year;
                    lastDayOfYear = day;
                    return true;
                }
            }
        }
        return false;
    }

    private boolean findFirst(WrittenTime time) {
        Instant latest = EpochTime.instant(nowNs).plusSeconds(AHEAD_DAYS * (long) SECONDS_PER_DAY);
        LocalDate latestDate = LocalDate.ofInstant(latest, zone);
        int year = firstYear == null ? latestDate.getYear() : firstYear;
        int yearMin = firstYear == null ? year - LEAP_YEARS_APART : year;
        while (year > yearMin && (!exists(year, time) || day(year, time.month, time.day) > latestDate.toEpochDay())) {
            year--;
        }
        if (!exists(year, time)) {
            return false;
        }
        lastYear = year;
        lastDayOfYear = day(year, time.month, time.day);
        return true;
    }

    private static boolean exists(int year, WrittenTime time) {
        return time.day <= WrittenTime.daysOfMonth(year, time.month);
    }
}
