package dev.loom.otlp.format;

import dev.loom.format.PayloadFormat;
import dev.loom.format.PayloadFormatProvider;
import java.util.Map;
import java.util.Set;

/** Provides the formats of OTLP to {@link dev.loom.format.Formats#parse}. */
public final class OtlpFormatProvider implements PayloadFormatProvider {
    /** Log records. */
    public static final String LOG = "otlp-log";

    public static final String SPAN = "otlp-span";

    /** Data points. */
    public static final String METRIC = "otlp-metric";

    /** What these share: resource, scope and metric. */
    public static final String CONTEXT = "otlp-context";

    private static final Map<String, PayloadFormat> FORMATS = Map.of(
            LOG, LogFields.FORMAT, SPAN, SpanFields.FORMAT, METRIC, MetricFields.FORMAT, CONTEXT, ContextFields.FORMAT);

    /** Called by {@link java.util.ServiceLoader}. */
    public OtlpFormatProvider() {}

    @Override
    public Set<String> names() {
        return FORMATS.keySet();
    }

    @Override
    public PayloadFormat parse(String text) {
        PayloadFormat format = FORMATS.get(text);
        if (format == null) {
            throw new IllegalArgumentException("payload format takes no arguments: text=" + text);
        }
        return format;
    }
}
