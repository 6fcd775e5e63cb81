package dev.loom.cli.chart;

import dev.loom.api.ValueUnit;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Short texts of values in the unit that suits their size: {@code 40.5 ms}, {@code 64 KiB}, {@code 1.25e+12}. */
public final class ValueText {
    private static final MathContext DIGITS = new MathContext(3, RoundingMode.HALF_EVEN);
    private static final MathContext PRECISE = new MathContext(6, RoundingMode.HALF_EVEN);
    private static final double PLAIN_MAX = 1e6;
    private static final double PLAIN_MIN = 1e-3;

    private static final String[] TIMES = {"ns", "us", "ms", "s"};
    private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private ValueText() {}

    public static String of(double value, ValueUnit unit) {
        return of(value, unit, DIGITS);
    }

    private static String of(double value, ValueUnit unit, MathContext digits) {
        return switch (unit) {
            case NONE -> plain(value, digits);
            case BYTES -> scaled(value, SIZES, 0, 1024, digits);
            case NANOSECONDS -> scaled(value, TIMES, 0, 1000, digits);
            case MICROSECONDS -> scaled(value, TIMES, 1, 1000, digits);
            case MILLISECONDS -> scaled(value, TIMES, 2, 1000, digits);
            case SECONDS -> scaled(value, TIMES, 3, 1000, digits);
        };
    }

    /** Like {@link #of}, without a space, for cells: {@code 40.5ms}. */
    public static String compact(double value, ValueUnit unit) {
        return compact(value, unit, DIGITS);
    }

    /** Like {@link #compact}, with twice as many digits, for close reading. */
    public static String precise(double value, ValueUnit unit) {
        return compact(value, unit, PRECISE);
    }

    private static String compact(double value, ValueUnit unit, MathContext digits) {
        return Double.isFinite(value) ? of(value, unit, digits).replace(" ", "") : plain(value, digits);
    }

    private static String scaled(double value, String[] units, int from, double step, MathContext digits) {
        double scaled = value;
        int unit = from;
        // a value that rounds to a full step moves to the next unit
        while (unit < units.length - 1 && Math.max(Math.abs(scaled), Math.abs(rounded(scaled, digits))) >= step) {
            scaled /= step;
            unit++;
        }
        return plain(scaled, digits) + ' ' + units[unit];
    }

    private static double rounded(double value, MathContext digits) {
        return Double.isFinite(value) ? new BigDecimal(value).round(digits).doubleValue() : value;
    }

    private static String plain(double value, MathContext digits) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
        }
        double size = Math.abs(value);
        if (value != 0 && (size >= PLAIN_MAX || size < PLAIN_MIN)) {
            return String.format(Locale.ROOT, "%.2e", value);
        }
        if (size >= 1000) {
            return Long.toString(Math.round(value));
        }
        BigDecimal rounded = new BigDecimal(value).round(digits);
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }
}
