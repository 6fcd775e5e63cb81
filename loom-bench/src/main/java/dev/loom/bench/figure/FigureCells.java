package dev.loom.bench.figure;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;

/**
 * What a table says of a figure: medians [least, greatest], rounded by their size. A figure is compared with another one round by round.
 * What was not measured, or not in the same rounds, is a dash.
 */
public final class FigureCells {
    private static final String NONE = "-";

    /** Values below it are told with one decimal. */
    private static final double ONE_DECIMAL = 19.95;

    private static final double TWO_DECIMALS = 0.995;
    private static final double TWO_DIGITS = 0.0995;
    private static final double SMALLEST = 0.0005;

    private final FigureResult result;

    public FigureCells(FigureResult result) {
        this.result = result;
    }

    /** The series of a panel, in the order in which they were measured. */
    public List<String> series(String panel) {
        return result.rows(panel).stream().map(FigureRow::series).distinct().toList();
    }

    /** The places on a panel's horizontal axis, in order. */
    public List<String> places(String panel) {
        return result.rows(panel).stream().map(FigureRow::x).distinct().toList();
    }

    /** Whether something was measured there. */
    public boolean has(String panel, String series, String x) {
        return row(panel, series, x).isPresent();
    }

    /** The values, each times a factor. */
    public String values(String panel, String series, String x, double factor) {
        return row(panel, series, x)
                .map(row -> text(row.values().stream()
                        .mapToDouble(value -> value * factor)
                        .toArray()))
                .orElse(NONE);
    }

    /** The median alone. */
    public String median(String panel, String series, String x) {
        return row(panel, series, x).map(row -> number(row.median())).orElse(NONE);
    }

    /** The ratio to the base's value of the same round. */
    public String ratio(String panel, String series, String base, String x) {
        return compared(panel, series, base, x, (value, other) -> value / other);
    }

    /** How much more than the base's value of the same round. */
    public String difference(String panel, String series, String base, String x) {
        return compared(panel, series, base, x, (value, other) -> value - other);
    }

    private String compared(String panel, String series, String base, String x, DoubleBinaryOperator operator) {
        final Optional<FigureRow> row = row(panel, series, x);
        final Optional<FigureRow> other = row(panel, base, x);
        if (row.isEmpty() || other.isEmpty()) {
            return NONE;
        }
        final List<Double> values = row.get().values();
        final List<Double> bases = other.get().values();
        if (values.size() != bases.size()) {
            return NONE;
        }
        final double[] compared = IntStream.range(0, values.size())
                .mapToDouble(i -> operator.applyAsDouble(values.get(i), bases.get(i)))
                .toArray();
        return Arrays.stream(compared).allMatch(Double::isFinite) ? text(compared) : NONE;
    }

    private Optional<FigureRow> row(String panel, String series, String x) {
        return result.rows(panel).stream()
                .filter(row -> row.series().equals(series) && row.x().equals(x))
                .findFirst();
    }

    private static String text(double... values) {
        final FigureRow row = FigureRow.of("", "", "", values);
        return number(row.median()) + " [" + number(row.min()) + ", " + number(row.max()) + "]";
    }

    private static String number(double value) {
        final double size = Math.abs(value);
        if (size < SMALLEST) {
            return "0";
        } else if (size < TWO_DIGITS) {
            return String.format(Locale.ROOT, "%.3f", value);
        } else if (size < TWO_DECIMALS) {
            return String.format(Locale.ROOT, "%.2f", value);
        }
        return String.format(Locale.ROOT, size < ONE_DECIMAL ? "%.1f" : "%,.0f", value);
    }
}
