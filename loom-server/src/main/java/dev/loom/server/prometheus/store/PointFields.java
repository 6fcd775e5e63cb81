package dev.loom.server.prometheus.store;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** The fields of a point of a metric, read where they are asked for, while it is the current one. For one thread. */
final class PointFields {
    private static final List<String> IDENTITY = List.of(
            "name",
            "unit",
            "kind",
            "temporality",
            "monotonic",
            "scope.name",
            "scope.version",
            "scope.attributes",
            "resource",
            "attributes");

    private static final int KIND = IDENTITY.indexOf("kind");

    private static final Set<String> DECLARED = Set.of("name", "kind", "value", "attributes");

    private final PayloadFormat format;
    private final RecordLookup lookup;
    private final List<Part> identity;
    private final Part flags;
    private final Part value;
    private final Part count;
    private final Part sum;
    private final Part buckets;
    private final Part quantiles;
    private final IdentityKey key = new IdentityKey();
    private DirectBuffer buffer = new UnsafeBuffer(0, 0);
    private int offset;
    private int length;

    /** A field and its value. */
    private final class Part {
        private final @Nullable FieldReader reader;
        private final FieldValue read = new FieldValue();

        private Part(String name) {
            reader = format.field(name);
            read.lookup(lookup);
        }

        private void read() {
            if (reader == null) {
                read.setAbsent();
            } else {
                reader.read(buffer, offset, length, read);
            }
        }

        private String text() {
            read();
            return read.kind() == FieldValue.Kind.ABSENT ? "" : read.text();
        }

        /** NaN if it is no number. */
        private double number() {
            read();
            return switch (read.kind()) {
                case DOUBLE -> read.doubleValue();
                case INTEGER -> read.longValue();
                case UNSIGNED -> (read.longValue() >>> 1) * 2.0 + (read.longValue() & 1);
                default -> Double.NaN;
            };
        }
    }

    PointFields(PayloadFormat format, RecordLookup lookup) {
        this.format = format;
        this.lookup = lookup;
        identity = IDENTITY.stream().map(Part::new).toList();
        flags = new Part("flags");
        value = new Part("value");
        count = new Part("count");
        sum = new Part("sum");
        buckets = new Part("buckets");
        quantiles = new Part("quantiles");
    }

    /** Whether a source's records are points of metrics. Records that name their own fields are not: any may have these. */
    static boolean has(PayloadFormat format) {
        return format.fields().stream()
                .map(Field::name)
                .collect(Collectors.toSet())
                .containsAll(DECLARED);
    }

    /** Moves to a point; the lookup stands at it. */
    void read(DirectBuffer point, int pointOffset, int pointLength) {
        buffer = point;
        offset = pointOffset;
        length = pointLength;
        key.clear();
        for (Part part : identity) {
            part.read();
            key.add(part.read);
        }
        key.end();
    }

    /** The bytes of what tells series apart, until the next point. */
    IdentityKey identity() {
        return key;
    }

    /** The parts of the identity, in the order of their fields. */
    Identity parts() {
        return new Identity(
                identity.get(0).text(),
                identity.get(1).text(),
                identity.get(2).text(),
                identity.get(3).text().equals("delta"),
                identity.get(4).number() == 1 || identity.get(4).text().equals("true"),
                identity.get(5).text(),
                identity.get(6).text(),
                identity.get(7).text(),
                identity.get(8).text(),
                identity.get(9).text());
    }

    /**
     * What tells series apart.
     *
     * @param scopeAttributes as JSON
     * @param resource its attributes, as JSON
     * @param attributes of the point, as JSON
     */
    record Identity(
            String name,
            String unit,
            String kind,
            boolean delta,
            boolean monotonic,
            String scopeName,
            String scopeVersion,
            String scopeAttributes,
            String resource,
            String attributes) {}

    /** The kind of its metric, as records have it. */
    String kind() {
        return identity.get(KIND).text();
    }

    /** Whether the point says that its series has no value any more. */
    boolean isStale() {
        flags.read();
        return flags.read.kind() == FieldValue.Kind.INTEGER && (flags.read.longValue() & 1) != 0;
    }

    boolean hasValue() {
        value.read();
        return value.read.kind() != FieldValue.Kind.ABSENT;
    }

    double value() {
        return value.number();
    }

    double count() {
        return count.number();
    }

    /** NaN if there is none. */
    double sum() {
        return sum.number();
    }

    String buckets() {
        return buckets.text();
    }

    String quantiles() {
        return quantiles.text();
    }
}
