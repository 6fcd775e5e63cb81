package dev.loom.otlp.format;

import com.google.protobuf.ByteString;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.metrics.v1.Exemplar;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.trace.v1.Span;
import java.math.BigInteger;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the fields of a record are, by the official generated classes: name to kind and text, absent ones left out. */
final class ExpectedFields {
    private final Map<String, String> fields = new LinkedHashMap<>();

    static Map<String, String> of(LogRecord log, ResourceMetrics context) {
        ExpectedFields expected = new ExpectedFields();
        expected.time("time", log.getTimeUnixNano() == 0 ? log.getObservedTimeUnixNano() : log.getTimeUnixNano());
        expected.time("observed_time", log.getObservedTimeUnixNano());
        if (log.getSeverityNumberValue() != 0) {
            expected.integer("severity", log.getSeverityNumberValue());
        }
        expected.text("severity_text", log.getSeverityText());
        expected.any("body", log.getBody());
        expected.text("event_name", log.getEventName());
        expected.id("trace_id", log.getTraceId(), 16);
        expected.id("span_id", log.getSpanId(), 8);
        expected.unsigned32("flags", log.getFlags());
        expected.unsigned32("dropped_attributes_count", log.getDroppedAttributesCount());
        expected.attributes("attributes", "attr.", log.getAttributesList());
        return expected.shared(context);
    }

    static Map<String, String> of(Span span, ResourceMetrics context) {
        ExpectedFields expected = new ExpectedFields();
        expected.text("name", span.getName());
        String[] kinds = {"unspecified", "internal", "server", "client", "producer", "consumer"};
        int kind = span.getKindValue();
        expected.text("kind", kind >= 0 && kind < 6 ? kinds[kind] : Integer.toString(kind));
        expected.time("start", span.getStartTimeUnixNano());
        expected.time("end", span.getEndTimeUnixNano());
        if (span.getStartTimeUnixNano() != 0 && span.getEndTimeUnixNano() != 0) {
            BigInteger duration = new BigInteger(Long.toUnsignedString(span.getEndTimeUnixNano()))
                    .subtract(new BigInteger(Long.toUnsignedString(span.getStartTimeUnixNano())));
            if (duration.bitLength() < Long.SIZE) {
                expected.integer("duration", duration.longValueExact());
            }
        }
        int status = span.getStatus().getCodeValue();
        String[] statuses = {"unset", "ok", "error"};
        expected.text("status", status >= 0 && status < 3 ? statuses[status] : Integer.toString(status));
        expected.integer("status_code", status);
        expected.text("status_message", span.getStatus().getMessage());
        expected.id("trace_id", span.getTraceId(), 16);
        expected.id("span_id", span.getSpanId(), 8);
        expected.id("parent_span_id", span.getParentSpanId(), 8);
        expected.text("trace_state", span.getTraceState());
        expected.unsigned32("flags", span.getFlags());
        expected.attributes("attributes", "attr.", span.getAttributesList());
        expected.unsigned32("dropped_attributes_count", span.getDroppedAttributesCount());
        expected.integer("events_count", span.getEventsCount());
        expected.unsigned32("dropped_events_count", span.getDroppedEventsCount());
        expected.integer("links_count", span.getLinksCount());
        expected.unsigned32("dropped_links_count", span.getDroppedLinksCount());
        expected.objects(
                "events",
                span.getEventsList(),
                event -> object(
                        member("time", unlessZero(event.getTimeUnixNano())),
                        member("name", unlessEmpty(event.getName())),
                        member("attributes", event.getAttributesCount() == 0 ? null : pairs(event.getAttributesList())),
                        member("dropped_attributes_count", count(event.getDroppedAttributesCount()))));
        expected.objects(
                "links",
                span.getLinksList(),
                link -> object(
                        member("trace_id", quotedId(link.getTraceId(), 16)),
                        member("span_id", quotedId(link.getSpanId(), 8)),
                        member("trace_state", unlessEmpty(link.getTraceState())),
                        member("attributes", link.getAttributesCount() == 0 ? null : pairs(link.getAttributesList())),
                        member("dropped_attributes_count", count(link.getDroppedAttributesCount())),
                        member("flags", count(link.getFlags()))));
        return expected.shared(context);
    }

    static Map<String, String> of(Metric metric, ResourceMetrics context) {
        ExpectedFields expected = new ExpectedFields();
        expected.metric(metric);
        switch (metric.getDataCase()) {
            case GAUGE -> expected.point(metric.getGauge().getDataPoints(0));
            case SUM -> expected.point(metric.getSum().getDataPoints(0));
            case HISTOGRAM -> expected.point(metric.getHistogram().getDataPoints(0));
            case EXPONENTIAL_HISTOGRAM ->
                expected.point(metric.getExponentialHistogram().getDataPoints(0));
            case SUMMARY -> expected.point(metric.getSummary().getDataPoints(0));
            case DATA_NOT_SET -> {}
        }
        return expected.shared(context);
    }

    static Map<String, String> of(ResourceMetrics context) {
        ExpectedFields expected = new ExpectedFields();
        if (context.getScopeMetrics(0).getMetricsCount() > 0) {
            expected.metric(context.getScopeMetrics(0).getMetrics(0));
        }
        return expected.shared(context);
    }

    private void metric(Metric metric) {
        text("name", metric.getName());
        text("description", metric.getDescription());
        text("unit", metric.getUnit());
        text(
                "kind",
                metric.getDataCase() == Metric.DataCase.DATA_NOT_SET
                        ? ""
                        : metric.getDataCase().name().toLowerCase(Locale.ROOT));
        int temporality = Math.max(
                Math.max(
                        metric.getSum().getAggregationTemporalityValue(),
                        metric.getHistogram().getAggregationTemporalityValue()),
                metric.getExponentialHistogram().getAggregationTemporalityValue());
        text("temporality", new String[] {"", "delta", "cumulative", "3"}[temporality]);
        if (metric.hasSum()) {
            fields.put("monotonic", "BOOLEAN " + metric.getSum().getIsMonotonic());
        }
    }

    private void point(NumberDataPoint point) {
        times(point.getTimeUnixNano(), point.getStartTimeUnixNano());
        if (point.hasAsDouble()) {
            number("value", point.getAsDouble());
        } else if (point.hasAsInt()) {
            integer("value", point.getAsInt());
        }
        unsigned32("flags", point.getFlags());
        attributes("attributes", "attr.", point.getAttributesList());
        exemplars(point.getExemplarsList());
    }

    private void point(HistogramDataPoint point) {
        times(point.getTimeUnixNano(), point.getStartTimeUnixNano());
        unsigned("count", point.getCount());
        if (point.hasSum()) {
            number("sum", point.getSum());
            number("min", point.getMin());
            number("max", point.getMax());
        }
        if (point.getBucketCountsCount() > 0) {
            fields.put(
                    "buckets",
                    "JSON "
                            + object(
                                    member("bounds", array(point.getExplicitBoundsList(), ExpectedFields::json)),
                                    member("counts", array(point.getBucketCountsList(), Long::toUnsignedString))));
        }
        unsigned32("flags", point.getFlags());
        attributes("attributes", "attr.", point.getAttributesList());
        exemplars(point.getExemplarsList());
    }

    private void point(ExponentialHistogramDataPoint point) {
        times(point.getTimeUnixNano(), point.getStartTimeUnixNano());
        unsigned("count", point.getCount());
        if (point.hasSum()) {
            number("sum", point.getSum());
            number("min", point.getMin());
            number("max", point.getMax());
        }
        fields.put(
                "buckets",
                "JSON "
                        + object(
                                member("scale", Integer.toString(point.getScale())),
                                member("zero_count", Long.toUnsignedString(point.getZeroCount())),
                                member(
                                        "zero_threshold",
                                        point.getZeroThreshold() == 0 ? null : json(point.getZeroThreshold())),
                                member("positive", point.hasPositive() ? buckets(point.getPositive()) : null),
                                member("negative", point.hasNegative() ? buckets(point.getNegative()) : null)));
        unsigned32("flags", point.getFlags());
        attributes("attributes", "attr.", point.getAttributesList());
        exemplars(point.getExemplarsList());
    }

    private static String buckets(ExponentialHistogramDataPoint.Buckets buckets) {
        return object(
                member("offset", Integer.toString(buckets.getOffset())),
                member("counts", array(buckets.getBucketCountsList(), Long::toUnsignedString)));
    }

    private void point(SummaryDataPoint point) {
        times(point.getTimeUnixNano(), point.getStartTimeUnixNano());
        unsigned("count", point.getCount());
        number("sum", point.getSum());
        objects(
                "quantiles",
                point.getQuantileValuesList(),
                quantile -> object(
                        member("quantile", json(quantile.getQuantile())), member("value", json(quantile.getValue()))));
        unsigned32("flags", point.getFlags());
        attributes("attributes", "attr.", point.getAttributesList());
    }

    private void exemplars(List<Exemplar> exemplars) {
        objects(
                "exemplars",
                exemplars,
                exemplar -> object(
                        member("time", unlessZero(exemplar.getTimeUnixNano())),
                        member(
                                "value",
                                exemplar.hasAsInt()
                                        ? Long.toString(exemplar.getAsInt())
                                        : json(exemplar.getAsDouble())),
                        member("trace_id", quotedId(exemplar.getTraceId(), 16)),
                        member("span_id", quotedId(exemplar.getSpanId(), 8)),
                        member(
                                "attributes",
                                exemplar.getFilteredAttributesCount() == 0
                                        ? null
                                        : pairs(exemplar.getFilteredAttributesList()))));
    }

    private void times(long time, long start) {
        time("time", time);
        time("start", start);
    }

    private Map<String, String> shared(ResourceMetrics context) {
        InstrumentationScope scope = context.getScopeMetrics(0).getScope();
        attributes("resource", "resource.", context.getResource().getAttributesList());
        for (KeyValue pair : context.getResource().getAttributesList()) {
            if (pair.getKey().equals("service.name")) {
                any("service.name", pair.getValue());
            }
        }
        text("scope.name", scope.getName());
        text("scope.version", scope.getVersion());
        attributes("scope.attributes", "scope.attr.", scope.getAttributesList());
        return fields;
    }

    private void attributes(String name, String prefix, List<KeyValue> pairs) {
        if (!pairs.isEmpty()) {
            fields.put(name, "JSON " + pairs(pairs));
        }
        for (KeyValue pair : pairs) {
            any(prefix + pair.getKey(), pair.getValue());
        }
    }

    private <T> void objects(String name, List<T> items, Function<T, String> text) {
        if (!items.isEmpty()) {
            fields.put(name, "JSON " + array(items, text));
        }
    }

    private void text(String name, String text) {
        if (!text.isEmpty()) {
            fields.put(name, "TEXT " + text);
        }
    }

    private void integer(String name, long number) {
        fields.put(name, "INTEGER " + number);
    }

    private void unsigned32(String name, int number) {
        integer(name, Integer.toUnsignedLong(number));
    }

    private void unsigned(String name, long bits) {
        fields.put(name, (bits < 0 ? "UNSIGNED " : "INTEGER ") + Long.toUnsignedString(bits));
    }

    private void number(String name, double number) {
        fields.put(name, "DOUBLE " + number);
    }

    private void time(String name, long time) {
        if (time != 0) {
            unsigned(name, time);
        }
    }

    private void id(String name, ByteString id, int length) {
        String hex = hex(id, length);
        if (hex != null) {
            fields.put(name, "TEXT " + hex);
        }
    }

    private static @Nullable String hex(ByteString id, int length) {
        boolean zero = id.equals(ByteString.copyFrom(new byte[id.size()]));
        return id.size() == length && !zero ? HexFormat.of().formatHex(id.toByteArray()) : null;
    }

    private static @Nullable String quotedId(ByteString id, int length) {
        String hex = hex(id, length);
        return hex == null ? null : '"' + hex + '"';
    }

    private void any(String name, AnyValue value) {
        switch (value.getValueCase()) {
            case STRING_VALUE -> fields.put(name, "TEXT " + value.getStringValue());
            case BOOL_VALUE -> fields.put(name, "BOOLEAN " + value.getBoolValue());
            case INT_VALUE -> integer(name, value.getIntValue());
            case DOUBLE_VALUE -> number(name, value.getDoubleValue());
            case BYTES_VALUE ->
                fields.put(name, "BYTES " + value.getBytesValue().toStringUtf8());
            case ARRAY_VALUE, KVLIST_VALUE -> fields.put(name, "JSON " + json(value));
            default -> {}
        }
    }

    private static String json(AnyValue value) {
        return switch (value.getValueCase()) {
            case STRING_VALUE -> quoted(value.getStringValue());
            case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
            case INT_VALUE -> Long.toString(value.getIntValue());
            case DOUBLE_VALUE -> json(value.getDoubleValue());
            case BYTES_VALUE ->
                '"' + Base64.getEncoder().encodeToString(value.getBytesValue().toByteArray()) + '"';
            case ARRAY_VALUE -> array(value.getArrayValue().getValuesList(), ExpectedFields::json);
            case KVLIST_VALUE -> pairs(value.getKvlistValue().getValuesList());
            default -> "null";
        };
    }

    private static String json(double number) {
        return Double.isFinite(number) ? Double.toString(number) : "\"" + number + "\"";
    }

    private static String pairs(List<KeyValue> pairs) {
        StringJoiner members = new StringJoiner(",", "{", "}");
        Set<String> keys = new HashSet<>();
        pairs.stream()
                .filter(pair -> keys.add(pair.getKey()))
                .forEach(pair -> members.add(quoted(pair.getKey()) + ":" + json(pair.getValue())));
        return members.toString();
    }

    private static <T> String array(List<T> items, Function<T, String> text) {
        StringJoiner array = new StringJoiner(",", "[", "]");
        items.forEach(item -> array.add(text.apply(item)));
        return array.toString();
    }

    private static String object(String... members) {
        StringJoiner object = new StringJoiner(",", "{", "}");
        for (String member : members) {
            if (!member.isEmpty()) {
                object.add(member);
            }
        }
        return object.toString();
    }

    private static String member(String name, @Nullable String json) {
        return json == null ? "" : '"' + name + "\":" + json;
    }

    private static @Nullable String unlessZero(long time) {
        return time == 0 ? null : Long.toUnsignedString(time);
    }

    private static @Nullable String count(int number) {
        return number == 0 ? null : Integer.toUnsignedString(number);
    }

    private static @Nullable String unlessEmpty(String text) {
        return text.isEmpty() ? null : quoted(text);
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c == 0x7F) {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
