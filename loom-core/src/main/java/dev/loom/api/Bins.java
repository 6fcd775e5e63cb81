package dev.loom.api;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How an index divides its values into bins (paper, section 4.2: the histogram). A chunk's summary keeps count, sum,
 * minimum and maximum of each bin, so finer bins skip more chunks and take more bytes. Immutable.
 *
 * <p>A bin includes its lower edge and excludes its upper one, except for the log-linear bins of doubles. All forms but
 * the log-linear one have two outlier bins, below the first edge and from the last one on; infinities fall into them.
 * In an index of doubles, an edge is rounded to the nearest double; in one of integers, up to the next integer.
 */
public final class Bins {
    /** The form of bins. */
    public enum Form {
        LOG_LINEAR("log-linear"),
        LINEAR("linear"),
        EDGES("edges"),
        MATCH("match");

        private final String text;

        Form(String text) {
            this.text = text;
        }
    }

    /** The {@link #scale()} of {@link #logLinear()}. */
    public static final int SCALE_DEFAULT = 3;

    /** The finest scale. */
    public static final int SCALE_MAX = 6;

    /** The most bins that {@link #linear} takes, outlier bins not counted. */
    public static final int LINEAR_COUNT_MAX = 1 << 16;

    /** The most edges that {@link #edges} takes. */
    public static final int EDGES_COUNT_MAX = 1 << 14;

    /** The most digits of a number, and its largest power of ten; enough for every double. */
    private static final int DIGITS_MAX = 400;

    private static final String VALUES = "+values";

    private static final Bins LOG_LINEAR_DEFAULT = new Bins(Form.LOG_LINEAR, SCALE_DEFAULT, List.of(), 0);

    private final Form form;
    private final int scale;
    private final List<BigDecimal> edges;
    private final int count;
    private final boolean values;

    private Bins(Form form, int scale, List<BigDecimal> edges, int count) {
        this(form, scale, edges, count, false);
    }

    private Bins(Form form, int scale, List<BigDecimal> edges, int count, boolean values) {
        this.values = values;
        this.form = form;
        this.scale = scale;
        this.edges = edges;
        this.count = count;
    }

    /** {@link #logLinear(int)} with {@link #SCALE_DEFAULT}: a bin's edges are about 9 % apart. */
    public static Bins logLinear() {
        return LOG_LINEAR_DEFAULT;
    }

    /**
     * Bins whose width grows with their values, for values of unknown range.
     *
     * <p>For integers, each power of two is divided into {@code 2^scale} bins of equal width; values below {@code
     * 2^(scale+1)} have one bin each. For doubles, the bins are the buckets {@code (base^i, base^(i+1)]} of an
     * OpenTelemetry exponential histogram of this scale, with {@code base = 2^(2^-scale)}, so that counts can be merged
     * with such histograms of this scale or a lower one. Zero and each infinity have a bin of their own. Negative
     * values mirror positive ones.
     *
     * @param scale 0 to {@link #SCALE_MAX}
     */
    public static Bins logLinear(int scale) {
        if (scale < 0 || scale > SCALE_MAX) {
            throw new IllegalArgumentException("scale out of range: scale=" + scale + ", min=0, max=" + SCALE_MAX);
        }
        return scale == SCALE_DEFAULT ? LOG_LINEAR_DEFAULT : new Bins(Form.LOG_LINEAR, scale, List.of(), 0);
    }

    /**
     * Bins of equal width, and the outlier bins.
     *
     * @param count the number of bins between {@code min} and {@code max}, 1 to {@link #LINEAR_COUNT_MAX}
     */
    public static Bins linear(BigDecimal min, BigDecimal max, int count) {
        checkNumber(min);
        checkNumber(max);
        if (min.compareTo(max) >= 0) {
            throw new IllegalArgumentException("bins have no width: min=" + min + ", max=" + max);
        }
        if (count < 1 || count > LINEAR_COUNT_MAX) {
            throw new IllegalArgumentException(
                    "bin count out of range: count=" + count + ", min=1, max=" + LINEAR_COUNT_MAX);
        }
        return new Bins(Form.LINEAR, 0, List.of(min, max), count);
    }

    /** As {@link #linear(BigDecimal, BigDecimal, int)}. */
    public static Bins linear(long min, long max, int count) {
        return linear(BigDecimal.valueOf(min), BigDecimal.valueOf(max), count);
    }

    /** As {@link #linear(BigDecimal, BigDecimal, int)}; the bounds are finite. */
    public static Bins linear(double min, double max, int count) {
        return linear(decimal(min), decimal(max), count);
    }

    /**
     * One bin from each edge up to the next, and the outlier bins.
     *
     * @param edges 1 to {@link #EDGES_COUNT_MAX}, ascending
     */
    public static Bins edges(List<BigDecimal> edges) {
        if (edges.isEmpty() || edges.size() > EDGES_COUNT_MAX) {
            throw new IllegalArgumentException(
                    "edge count out of range: count=" + edges.size() + ", min=1, max=" + EDGES_COUNT_MAX);
        }
        BigDecimal last = null;
        for (BigDecimal edge : edges) {
            checkNumber(edge);
            if (last != null && edge.compareTo(last) <= 0) {
                throw new IllegalArgumentException("edges are not ascending: edge=" + edge + ", previous=" + last);
            }
            last = edge;
        }
        return new Bins(Form.EDGES, 0, List.copyOf(edges), edges.size());
    }

    /** As {@link #edges(List)}. */
    public static Bins edges(long... edges) {
        return edges(Arrays.stream(edges).mapToObj(BigDecimal::valueOf).toList());
    }

    /** As {@link #edges(List)}; each is finite. */
    public static Bins edges(double... edges) {
        return edges(Arrays.stream(edges).mapToObj(Bins::decimal).toList());
    }

    /** One bin for a single value, and two for what is less and what is greater. */
    public static Bins match(BigDecimal value) {
        checkNumber(value);
        return new Bins(Form.MATCH, 0, List.of(value), 1);
    }

    /** As {@link #match(BigDecimal)}. */
    public static Bins match(long value) {
        return match(BigDecimal.valueOf(value));
    }

    /** As {@link #match(BigDecimal)}; the value is finite. */
    public static Bins match(double value) {
        return match(decimal(value));
    }

    /**
     * The same bins, with all values in them: each takes the bits that its bin leaves open, about 2 bytes for latencies. Then percentiles,
     * ranges within a bin, and finer histograms read no records.
     */
    public Bins withValues() {
        return values ? this : new Bins(form, scale, edges, count, true);
    }

    /** Whether the index keeps the values in its bins. */
    public boolean keepsValues() {
        return values;
    }

    private static BigDecimal decimal(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new IllegalArgumentException("bound is not finite: value=" + value);
        }
        return BigDecimal.valueOf(value);
    }

    private static void checkNumber(BigDecimal number) {
        long power = (long) number.precision() - number.scale();
        if (number.precision() > DIGITS_MAX || power > DIGITS_MAX || power < -DIGITS_MAX) {
            throw new IllegalArgumentException(
                    "number out of range: digits=" + number.precision() + ", power=" + power + ", max=" + DIGITS_MAX);
        }
    }

    /**
     * Parses bins from their text form: {@code log-linear}, {@code log-linear:4}, {@code linear:0,1000,100}, {@code
     * edges:10,15,20}, {@code match:200}; each may be followed by {@code +values} ({@link #withValues()}).
     *
     * @throws IllegalArgumentException for an unknown form, or numbers that its factory method refuses
     */
    public static Bins parse(String text) {
        boolean values = text.endsWith(VALUES);
        String scale = values ? text.substring(0, text.length() - VALUES.length()) : text;
        int colon = scale.indexOf(':');
        String name = colon < 0 ? scale : scale.substring(0, colon);
        List<String> arguments =
                colon < 0 ? List.of() : List.of(scale.substring(colon + 1).split(",", -1));
        Form form = Arrays.stream(Form.values())
                .filter(known -> known.text.equals(name))
                .findFirst()
                .orElse(null);
        try {
            Bins bins = form == null ? null : parse(form, arguments);
            if (bins != null) {
                return values ? bins.withValues() : bins;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("bins have a malformed number: text=" + text, e);
        }
        throw new IllegalArgumentException(
                "unknown bins: text=" + text + ", known=log-linear[:SCALE] linear:MIN,MAX,N edges:A,B,.. match:V"
                        + ", each with +values or without");
    }

    private static @Nullable Bins parse(Form form, List<String> arguments) {
        int given = arguments.size();
        return switch (form) {
            case LOG_LINEAR ->
                given > 1 ? null : given == 0 ? logLinear() : logLinear(Integer.parseInt(arguments.get(0)));
            case LINEAR ->
                given != 3
                        ? null
                        : linear(
                                number(arguments.get(0)), number(arguments.get(1)), Integer.parseInt(arguments.get(2)));
            case EDGES ->
                given == 0 ? null : edges(arguments.stream().map(Bins::number).toList());
            case MATCH -> given != 1 ? null : match(number(arguments.get(0)));
        };
    }

    private static BigDecimal number(String text) {
        if (text.length() > 2 * DIGITS_MAX) {
            throw new IllegalArgumentException("number is too long: characters=" + text.length());
        }
        return new BigDecimal(text);
    }

    /** The text form, kept in the schema; {@link #parse} makes equal bins from it. */
    public String text() {
        return form.text
                + switch (form) {
                    case LOG_LINEAR -> ":" + scale;
                    case LINEAR -> ":" + text(edges.get(0)) + "," + text(edges.get(1)) + "," + count;
                    case EDGES, MATCH -> edges.stream().map(Bins::text).collect(Collectors.joining(",", ":", ""));
                }
                + (values ? VALUES : "");
    }

    private static String text(BigDecimal number) {
        BigDecimal shortest = number.signum() == 0 ? BigDecimal.ZERO : number.stripTrailingZeros();
        boolean plain = Math.abs(shortest.scale()) <= 20;
        return plain ? shortest.toPlainString() : shortest.toString();
    }

    public Form form() {
        return form;
    }

    /** For log-linear bins, the binary logarithm of the number of bins per power of two; else 0. */
    public int scale() {
        return scale;
    }

    /**
     * The two ends for {@link Form#LINEAR}, all edges for {@link Form#EDGES}, the value for {@link Form#MATCH}; else
     * empty.
     */
    public List<BigDecimal> edges() {
        return edges;
    }

    /** For {@link Form#LINEAR}, the number of bins between its ends. */
    public int count() {
        return count;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Bins that && text().equals(that.text());
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    @Override
    public String toString() {
        return text();
    }
}
