package dev.loom.cli.logtime;

import java.time.YearMonth;

/** A time in the parts that a line writes; what it leaves out is {@link #ABSENT}. Reused from line to line, for one thread. */
final class WrittenTime {
    static final int ABSENT = Integer.MIN_VALUE;

    private static final int LEAP_YEAR = 2000;
    private static final int OFFSET_SECONDS_MAX = 18 * 3600;

    int year;
    int month;
    int day;
    int hour;
    int minute;
    int second;
    int nano;
    /** The digits behind a comma that follows the second. */
    int commaDigits;

    int offsetSeconds;
    /** Whether all that is written is a number of seconds since 1970, {@link #epochSecond}, and {@link #nano}. */
    boolean epoch;

    long epochSecond;

    void clear() {
        year = ABSENT;
        month = ABSENT;
        day = ABSENT;
        offsetSeconds = ABSENT;
        hour = 0;
        minute = 0;
        second = 0;
        nano = 0;
        commaDigits = 0;
        epoch = false;
    }

    boolean lacksYear() {
        return !epoch && year == ABSENT && month != ABSENT;
    }

    boolean lacksDate() {
        return !epoch && month == ABSENT;
    }

    boolean lacksOffset() {
        return !epoch && offsetSeconds == ABSENT;
    }

    /** Second 60, which leap seconds have, is the next minute's first, as in POSIX. */
    int secondOfDay() {
        return (hour * 60 + minute) * 60 + second;
    }

    /** Whether each part is in its range; without a year, the 29th of February is. */
    boolean isValid() {
        return epoch || (timeIsValid() && dateIsValid());
    }

    private boolean timeIsValid() {
        return hour <= 23
                && minute <= 59
                && second <= 60
                && (offsetSeconds == ABSENT || Math.abs(offsetSeconds) <= OFFSET_SECONDS_MAX);
    }

    private boolean dateIsValid() {
        return month == ABSENT
                || (month >= 1
                        && month <= 12
                        && day >= 1
                        && day <= daysOfMonth(year == ABSENT ? LEAP_YEAR : year, month));
    }

    /** The days of a month from 1 to 12. */
    static int daysOfMonth(int year, int month) {
        return switch (month) {
            case 2 -> YearMonth.of(year, month).lengthOfMonth();
            case 4, 6, 9, 11 -> 30;
            default -> 31;
        };
    }
}
