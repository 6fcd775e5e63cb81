package dev.loom.query.series;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** What one point of a metric says, read again for each record. For one thread. */
public final class Point {
    /** Some 50,000 buckets as JSON. What is parsed of them takes many times the room. */
    private static final int BUCKETS_LENGTH_MAX = 256 << 10;

    /** The flag of a point that says that its series has no value any more. */
    private static final long NO_RECORDED_VALUE = 1;

    private final PayloadFormat format;
    private final @Nullable RecordLookup lookup;
    private final Part kindPart;
    private final Part temporalityPart;
    private final Part monotonicPart;
    private final Part startPart;
    private final Part flagsPart;
    private final Part valuePart;
    private final Part countPart;
    private final Part minPart;
    private final Part maxPart;
    private final Part bucketsPart;

    private @Nullable PointKind kind;
    private boolean delta;
    private boolean monotonic;
    private boolean withoutValue;
    private long startNs;
    private final Amount amount = new Amount();
    private boolean valued;

    /** A field and its value. */
    private final class Part {
        private final @Nullable FieldReader reader;
        private final FieldValue value = new FieldValue();

        private Part(String name) {
            reader = format.field(name);
            value.lookup(lookup);
        }

        private FieldValue read(DirectBuffer buffer, int offset, int length) {
            if (reader == null) {
                value.setAbsent();
            } else {
                reader.read(buffer, offset, length, value);
            }
            return value;
        }
    }

    /**
     * Prepares to read points.
     *
     * @param lookup finds the records that points refer to; must stand at the record that is read
     */
    public Point(PayloadFormat format, @Nullable RecordLookup lookup) {
        this.format = format;
        this.lookup = lookup;
        kindPart = new Part("kind");
        temporalityPart = new Part("temporality");
        monotonicPart = new Part("monotonic");
        startPart = new Part("start");
        flagsPart = new Part("flags");
        valuePart = new Part("value");
        countPart = new Part("count");
        minPart = new Part("min");
        maxPart = new Part("max");
        bucketsPart = new Part("buckets");
    }

    void read(DirectBuffer buffer, int offset, int length) {
        FieldValue text = kindPart.read(buffer, offset, length);
        kind = text.kind() == FieldValue.Kind.TEXT ? PointKind.of(text.text()) : null;
        if (text.kind() == FieldValue.Kind.ABSENT) {
            kind = bucketsPart.read(buffer, offset, length).kind() == FieldValue.Kind.ABSENT
                    ? PointKind.GAUGE
                    : PointKind.HISTOGRAM;
        }
        delta = temporalityPart.read(buffer, offset, length).text().equals("delta");
        FieldValue rising = monotonicPart.read(buffer, offset, length);
        monotonic = rising.kind() == FieldValue.Kind.BOOLEAN && rising.longValue() != 0;
        FieldValue start = startPart.read(buffer, offset, length);
        startNs = start.kind() == FieldValue.Kind.INTEGER ? start.longValue() : 0;
        FieldValue flags = flagsPart.read(buffer, offset, length);
        withoutValue = flags.kind() == FieldValue.Kind.INTEGER && (flags.longValue() & NO_RECORDED_VALUE) != 0;
        PointKind of = kind;
        valued = of != null && !withoutValue && read(of.counts() ? countPart : valuePart, buffer, offset, length);
        if (valued && of != null && of.counts()) {
            monotonic = true;
            bucketsPart.read(buffer, offset, length);
            minPart.read(buffer, offset, length);
            maxPart.read(buffer, offset, length);
        }
    }

    private boolean read(Part part, DirectBuffer buffer, int offset, int length) {
        FieldValue value = part.read(buffer, offset, length);
        switch (value.kind()) {
            case INTEGER -> amount.set(value.longValue());
            case UNSIGNED -> amount.set((value.longValue() >>> 1) * 2.0 + (value.longValue() & 1));
            case DOUBLE -> amount.set(value.doubleValue());
            default -> {
                return false;
            }
        }
        return !Double.isNaN(amount.doubleValue());
    }

    /** Null for one that is not known here. */
    @Nullable
    PointKind kind() {
        return kind;
    }

    boolean delta() {
        return delta;
    }

    /** Whether a sum only rises, as counts do. */
    boolean monotonic() {
        return monotonic;
    }

    /** Whether the point ends its series for now. */
    boolean withoutValue() {
        return withoutValue;
    }

    /** Whether there is a value, or a count. */
    boolean valued() {
        return valued;
    }

    /** When a sum or count began; 0 if that is not known. */
    long startNs() {
        return startNs;
    }

    /** The value, or the count. */
    Amount amount() {
        return amount;
    }

    /** The buckets, newly read; null if there are none, or more than a histogram has. */
    @Nullable
    HistogramValue buckets() {
        FieldValue value = bucketsPart.value;
        return value.kind() == FieldValue.Kind.JSON && value.length() <= BUCKETS_LENGTH_MAX
                ? HistogramValue.parse(value.text())
                : null;
    }

    /** NaN if it is not known. */
    double min() {
        return number(minPart.value);
    }

    /** NaN if it is not known. */
    double max() {
        return number(maxPart.value);
    }

    private static double number(FieldValue value) {
        return switch (value.kind()) {
            case DOUBLE -> value.doubleValue();
            case INTEGER -> value.longValue();
            default -> Double.NaN;
        };
    }
}
