package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldTerms;
import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.ExportTags.ResourceEnvelope;
import dev.loom.otlp.wire.ExportTags.ScopeEnvelope;
import dev.loom.otlp.wire.MetricTags.Metric;
import dev.loom.otlp.wire.WireReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The kinds of metrics; each numbers the fields of its points differently. */
enum MetricKind {
    GAUGE(Metric.GAUGE),
    SUM(Metric.SUM),
    HISTOGRAM(Metric.HISTOGRAM),
    EXPONENTIAL_HISTOGRAM(Metric.EXPONENTIAL_HISTOGRAM),
    SUMMARY(Metric.SUMMARY),
    /** A metric without data, or one that is not found. */
    NONE(0);

    private static final MetricKind[] KINDS = {GAUGE, SUM, HISTOGRAM, EXPONENTIAL_HISTOGRAM, SUMMARY};

    /** The terms that people may write for the kinds. */
    static final FieldTerms TERMS = FieldTerms.texts(
            "",
            Arrays.stream(KINDS)
                    .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                    .toArray(String[]::new));

    private static final Map<MetricKind, UnsafeBuffer> TEXTS = texts();

    private final int tag;

    MetricKind(int tag) {
        this.tag = tag;
    }

    private static Map<MetricKind, UnsafeBuffer> texts() {
        Map<MetricKind, UnsafeBuffer> texts = new EnumMap<>(MetricKind.class);
        for (MetricKind kind : KINDS) {
            texts.put(
                    kind, new UnsafeBuffer(kind.name().toLowerCase(Locale.ROOT).getBytes(StandardCharsets.US_ASCII)));
        }
        return texts;
    }

    /** A reader of the kind's name. */
    static FieldReader reader(Part part) {
        return (buffer, offset, length, into) -> {
            UnsafeBuffer text = TEXTS.get(of(part, buffer, offset, length, into));
            if (text == null) {
                into.setAbsent();
            } else {
                into.setBytes(FieldValue.Kind.TEXT, text, 0, text.capacity());
            }
        };
    }

    /** The kind of the metric in a context; the last of several, as everywhere in protobuf. */
    static MetricKind of(Part part, DirectBuffer buffer, int offset, int length, FieldValue value) {
        ReadState state = ReadState.of(value);
        if (!state.wrap(part, buffer, offset, length, value)) {
            return NONE;
        }
        WireReader reader = state.reader;
        MetricKind kind = NONE;
        while (reader.next()) {
            if (reader.tag() == ResourceEnvelope.SCOPES) {
                int end = reader.enter();
                kind = inScope(reader, kind);
                reader.leave(end);
            }
        }
        return reader.failure() == null ? kind : NONE;
    }

    private static MetricKind inScope(WireReader reader, MetricKind before) {
        MetricKind kind = before;
        while (reader.next()) {
            if (reader.tag() == ScopeEnvelope.ITEMS) {
                int end = reader.enter();
                while (reader.next()) {
                    kind = ofTag(reader.tag(), kind);
                }
                reader.leave(end);
            }
        }
        return kind;
    }

    private static MetricKind ofTag(int tag, MetricKind other) {
        for (MetricKind kind : KINDS) {
            if (kind.tag == tag) {
                return kind;
            }
        }
        return other;
    }
}
