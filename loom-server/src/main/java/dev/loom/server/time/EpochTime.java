package dev.loom.server.time;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Instant;

/** Conversions to and from epoch nanoseconds, whose range is 1677 to 2262. */
public final class EpochTime {
    private static final long NS_PER_SECOND = 1_000_000_000L;

    /** Numbers from this one on are not seconds; as seconds it is in the year 5138. */
    private static final long SECONDS_MAX = 100_000_000_000L;

    private static final long MILLIS_MAX = SECONDS_MAX * 1_000;
    private static final long MICROS_MAX = MILLIS_MAX * 1_000;

    private static final long[] UNITS_NS = {NS_PER_SECOND, 1_000_000, 1_000, 1};

    private static final double REACH = 0x1p63;

    private EpochTime() {}

    /**
     * Epoch nanoseconds of a time whose size determines its unit: seconds below 1e11, milliseconds below 1e14, microseconds below
     * 1e17, else nanoseconds.
     *
     * @throws ArithmeticException if the result is out of range
     */
    public static long ofAnyUnit(long value) {
        return Math.multiplyExact(value, UNITS_NS[unit(value)]);
    }

    /**
     * Like {@link #ofAnyUnit(long)}; keeps the whole part exactly.
     *
     * @throws ArithmeticException if the result is out of range
     */
    public static long ofAnyUnit(double value) {
        return ofUnit(value, UNITS_NS[unit(floor(value))]);
    }

    /**
     * Like {@link #ofAnyUnit(long)}; keeps each nanosecond.
     *
     * @throws ArithmeticException if the result is out of range
     */
    static long ofAnyUnit(BigDecimal value) {
        long whole = value.setScale(0, RoundingMode.FLOOR).longValueExact();
        return value.multiply(BigDecimal.valueOf(UNITS_NS[unit(whole)]))
                .setScale(0, RoundingMode.HALF_UP)
                .longValueExact();
    }

    /**
     * Nanoseconds of a number of units; keeps the whole part exactly.
     *
     * @throws ArithmeticException if the result is out of range
     */
    static long ofUnit(double value, long unitNs) {
        double whole = Math.floor(value);
        if (!(Math.abs(whole) < REACH)) {
            throw new ArithmeticException("time is out of range: " + value);
        }
        return Math.addExact(Math.multiplyExact((long) whole, unitNs), Math.round((value - whole) * unitNs));
    }

    /** Whether {@link #ofAnyUnit} takes all numbers from {@code min} to {@code max} for the same unit. */
    static boolean haveOneUnit(double min, double max) {
        int unit = unit(floor(min));
        return unit == unit(floor(max)) && (unit == 0 || min > 0 == max > 0);
    }

    private static long floor(double value) {
        return (long) Math.floor(value);
    }

    private static int unit(long whole) {
        long size = Math.abs(Math.max(whole, -Long.MAX_VALUE));
        return size < SECONDS_MAX ? 0 : size < MILLIS_MAX ? 1 : size < MICROS_MAX ? 2 : 3;
    }

    /**
     * Epoch nanoseconds of an instant.
     *
     * @throws ArithmeticException if the result is out of range
     */
    public static long of(Instant instant) {
        // in the first representable second the whole seconds alone would overflow
        long seconds = instant.getEpochSecond();
        return seconds < 0
                ? Math.addExact(Math.multiplyExact(seconds + 1, NS_PER_SECOND), instant.getNano() - NS_PER_SECOND)
                : Math.addExact(Math.multiplyExact(seconds, NS_PER_SECOND), instant.getNano());
    }

    public static Instant instant(long epochNs) {
        return Instant.ofEpochSecond(Math.floorDiv(epochNs, NS_PER_SECOND), Math.floorMod(epochNs, NS_PER_SECOND));
    }
}
