package dev.loom.otlp.schema;

import static dev.loom.otlp.schema.ProtoType.BOOL;
import static dev.loom.otlp.schema.ProtoType.BYTES;
import static dev.loom.otlp.schema.ProtoType.DOUBLE;
import static dev.loom.otlp.schema.ProtoType.ENUM;
import static dev.loom.otlp.schema.ProtoType.FIXED32;
import static dev.loom.otlp.schema.ProtoType.FIXED64;
import static dev.loom.otlp.schema.ProtoType.ID;
import static dev.loom.otlp.schema.ProtoType.INT64;
import static dev.loom.otlp.schema.ProtoType.SFIXED64;
import static dev.loom.otlp.schema.ProtoType.SINT32;
import static dev.loom.otlp.schema.ProtoType.STRING;
import static dev.loom.otlp.schema.ProtoType.UINT32;
import static dev.loom.otlp.schema.ProtoType.UINT64;

import dev.loom.otlp.Signal;
import dev.loom.otlp.wire.CommonTags.AnyValue;
import dev.loom.otlp.wire.CommonTags.ArrayValue;
import dev.loom.otlp.wire.CommonTags.EntityRef;
import dev.loom.otlp.wire.CommonTags.InstrumentationScope;
import dev.loom.otlp.wire.CommonTags.KeyValue;
import dev.loom.otlp.wire.CommonTags.KeyValueList;
import dev.loom.otlp.wire.CommonTags.Resource;
import dev.loom.otlp.wire.ExportTags.Request;
import dev.loom.otlp.wire.ExportTags.ResourceEnvelope;
import dev.loom.otlp.wire.ExportTags.ScopeEnvelope;
import dev.loom.otlp.wire.LogTags.LogRecord;
import dev.loom.otlp.wire.MetricTags.Buckets;
import dev.loom.otlp.wire.MetricTags.Data;
import dev.loom.otlp.wire.MetricTags.Exemplar;
import dev.loom.otlp.wire.MetricTags.ExponentialHistogramDataPoint;
import dev.loom.otlp.wire.MetricTags.HistogramDataPoint;
import dev.loom.otlp.wire.MetricTags.Metric;
import dev.loom.otlp.wire.MetricTags.NumberDataPoint;
import dev.loom.otlp.wire.MetricTags.SummaryDataPoint;
import dev.loom.otlp.wire.MetricTags.ValueAtQuantile;
import dev.loom.otlp.wire.TraceTags.Event;
import dev.loom.otlp.wire.TraceTags.Link;
import dev.loom.otlp.wire.TraceTags.Span;
import dev.loom.otlp.wire.TraceTags.Status;

/** The messages of OTLP's logs, traces and metrics. */
public final class OtlpMessages {
    /** An attribute. */
    public static final MessageType KEY_VALUE = keyValue();

    private static final MessageType RESOURCE = resource();
    private static final MessageType SCOPE = new MessageType("InstrumentationScope")
            .one("name", InstrumentationScope.NAME, STRING)
            .one("version", InstrumentationScope.VERSION, STRING)
            .many("attributes", InstrumentationScope.ATTRIBUTES, KEY_VALUE)
            .one("droppedAttributesCount", InstrumentationScope.DROPPED_ATTRIBUTES_COUNT, UINT32);

    /** A span, whose ids have their own rules. */
    public static final MessageType SPAN = span();

    private static final MessageType LOGS = request("Logs", "logRecords", logRecord());
    private static final MessageType TRACES = request("Spans", "spans", SPAN);
    private static final MessageType METRICS = request("Metrics", "metrics", metric());

    private OtlpMessages() {}

    /** The {@code Export<Signal>ServiceRequest}. */
    public static MessageType request(Signal signal) {
        return switch (signal) {
            case LOGS -> LOGS;
            case TRACES -> TRACES;
            case METRICS -> METRICS;
        };
    }

    private static MessageType request(String what, String items, MessageType item) {
        MessageType scopes = new MessageType("Scope" + what)
                .one("scope", ScopeEnvelope.SCOPE, SCOPE)
                .many(items, ScopeEnvelope.ITEMS, item)
                .one("schemaUrl", ScopeEnvelope.SCHEMA_URL, STRING);
        MessageType resources = new MessageType("Resource" + what)
                .one("resource", ResourceEnvelope.RESOURCE, RESOURCE)
                .many("scope" + what, ResourceEnvelope.SCOPES, scopes)
                .one("schemaUrl", ResourceEnvelope.SCHEMA_URL, STRING);
        return new MessageType("Export" + what).many("resource" + what, Request.RESOURCES, resources);
    }

    private static MessageType keyValue() {
        MessageType any = new MessageType("AnyValue");
        MessageType keyValue = new MessageType("KeyValue")
                .one("key", KeyValue.KEY, STRING)
                .one("value", KeyValue.VALUE, any)
                .ofProfiles("keyStrindex", KeyValue.KEY_STRINDEX);
        MessageType array = new MessageType("ArrayValue").many("values", ArrayValue.VALUES, any);
        MessageType list = new MessageType("KeyValueList").many("values", KeyValueList.VALUES, keyValue);
        any.one("stringValue", AnyValue.STRING_VALUE, STRING)
                .one("boolValue", AnyValue.BOOL_VALUE, BOOL)
                .one("intValue", AnyValue.INT_VALUE, INT64)
                .one("doubleValue", AnyValue.DOUBLE_VALUE, DOUBLE)
                .one("arrayValue", AnyValue.ARRAY_VALUE, array)
                .one("kvlistValue", AnyValue.KVLIST_VALUE, list)
                .one("bytesValue", AnyValue.BYTES_VALUE, BYTES)
                .ofProfiles("stringValueStrindex", AnyValue.STRING_VALUE_STRINDEX)
                .oneOf(
                        "stringValue",
                        "boolValue",
                        "intValue",
                        "doubleValue",
                        "arrayValue",
                        "kvlistValue",
                        "bytesValue",
                        "stringValueStrindex");
        return keyValue;
    }

    private static MessageType resource() {
        MessageType entity = new MessageType("EntityRef")
                .one("schemaUrl", EntityRef.SCHEMA_URL, STRING)
                .one("type", EntityRef.TYPE, STRING)
                .many("idKeys", EntityRef.ID_KEYS, STRING)
                .many("descriptionKeys", EntityRef.DESCRIPTION_KEYS, STRING);
        return new MessageType("Resource")
                .many("attributes", Resource.ATTRIBUTES, KEY_VALUE)
                .one("droppedAttributesCount", Resource.DROPPED_ATTRIBUTES_COUNT, UINT32)
                .many("entityRefs", Resource.ENTITY_REFS, entity);
    }

    private static MessageType logRecord() {
        return new MessageType("LogRecord")
                .one("timeUnixNano", LogRecord.TIME_UNIX_NANO, FIXED64)
                .one("severityNumber", LogRecord.SEVERITY_NUMBER, ENUM)
                .one("severityText", LogRecord.SEVERITY_TEXT, STRING)
                .one("body", LogRecord.BODY, KEY_VALUE.message(2))
                .many("attributes", LogRecord.ATTRIBUTES, KEY_VALUE)
                .one("droppedAttributesCount", LogRecord.DROPPED_ATTRIBUTES_COUNT, UINT32)
                .one("flags", LogRecord.FLAGS, FIXED32)
                .one("traceId", LogRecord.TRACE_ID, ID)
                .one("spanId", LogRecord.SPAN_ID, ID)
                .one("observedTimeUnixNano", LogRecord.OBSERVED_TIME_UNIX_NANO, FIXED64)
                .one("eventName", LogRecord.EVENT_NAME, STRING);
    }

    private static MessageType span() {
        MessageType event = new MessageType("Event")
                .one("timeUnixNano", Event.TIME_UNIX_NANO, FIXED64)
                .one("name", Event.NAME, STRING)
                .many("attributes", Event.ATTRIBUTES, KEY_VALUE)
                .one("droppedAttributesCount", Event.DROPPED_ATTRIBUTES_COUNT, UINT32);
        MessageType link = new MessageType("Link")
                .one("traceId", Link.TRACE_ID, ID)
                .one("spanId", Link.SPAN_ID, ID)
                .one("traceState", Link.TRACE_STATE, STRING)
                .many("attributes", Link.ATTRIBUTES, KEY_VALUE)
                .one("droppedAttributesCount", Link.DROPPED_ATTRIBUTES_COUNT, UINT32)
                .one("flags", Link.FLAGS, FIXED32);
        MessageType status =
                new MessageType("Status").one("message", Status.MESSAGE, STRING).one("code", Status.CODE, ENUM);
        return new MessageType("Span")
                .requiredId("traceId", Span.TRACE_ID)
                .requiredId("spanId", Span.SPAN_ID)
                .one("traceState", Span.TRACE_STATE, STRING)
                .one("parentSpanId", Span.PARENT_SPAN_ID, ID)
                .one("name", Span.NAME, STRING)
                .one("kind", Span.KIND, ENUM)
                .one("startTimeUnixNano", Span.START_TIME_UNIX_NANO, FIXED64)
                .one("endTimeUnixNano", Span.END_TIME_UNIX_NANO, FIXED64)
                .many("attributes", Span.ATTRIBUTES, KEY_VALUE)
                .one("droppedAttributesCount", Span.DROPPED_ATTRIBUTES_COUNT, UINT32)
                .many("events", Span.EVENTS, event)
                .one("droppedEventsCount", Span.DROPPED_EVENTS_COUNT, UINT32)
                .many("links", Span.LINKS, link)
                .one("droppedLinksCount", Span.DROPPED_LINKS_COUNT, UINT32)
                .one("status", Span.STATUS, status)
                .one("flags", Span.FLAGS, FIXED32);
    }

    private static MessageType metric() {
        MessageType exemplar = new MessageType("Exemplar")
                .one("timeUnixNano", Exemplar.TIME_UNIX_NANO, FIXED64)
                .one("asDouble", Exemplar.AS_DOUBLE, DOUBLE)
                .one("spanId", Exemplar.SPAN_ID, ID)
                .one("traceId", Exemplar.TRACE_ID, ID)
                .one("asInt", Exemplar.AS_INT, SFIXED64)
                .many("filteredAttributes", Exemplar.FILTERED_ATTRIBUTES, KEY_VALUE)
                .oneOf("asDouble", "asInt");
        MessageType number = numberPoint(exemplar);
        return new MessageType("Metric")
                .one("name", Metric.NAME, STRING)
                .one("description", Metric.DESCRIPTION, STRING)
                .one("unit", Metric.UNIT, STRING)
                .one("gauge", Metric.GAUGE, points("Gauge", number))
                .one(
                        "sum",
                        Metric.SUM,
                        points("Sum", number)
                                .one("aggregationTemporality", Data.AGGREGATION_TEMPORALITY, ENUM)
                                .one("isMonotonic", Data.IS_MONOTONIC, BOOL))
                .one(
                        "histogram",
                        Metric.HISTOGRAM,
                        points("Histogram", histogramPoint(exemplar))
                                .one("aggregationTemporality", Data.AGGREGATION_TEMPORALITY, ENUM))
                .one(
                        "exponentialHistogram",
                        Metric.EXPONENTIAL_HISTOGRAM,
                        points("ExponentialHistogram", exponentialHistogramPoint(exemplar))
                                .one("aggregationTemporality", Data.AGGREGATION_TEMPORALITY, ENUM))
                .one("summary", Metric.SUMMARY, points("Summary", summaryPoint()))
                .many("metadata", Metric.METADATA, KEY_VALUE)
                .oneOf("gauge", "sum", "histogram", "exponentialHistogram", "summary");
    }

    private static MessageType points(String name, MessageType point) {
        return new MessageType(name).many("dataPoints", Data.DATA_POINTS, point);
    }

    private static MessageType numberPoint(MessageType exemplar) {
        return new MessageType("NumberDataPoint")
                .one("startTimeUnixNano", NumberDataPoint.START_TIME_UNIX_NANO, FIXED64)
                .one("timeUnixNano", NumberDataPoint.TIME_UNIX_NANO, FIXED64)
                .one("asDouble", NumberDataPoint.AS_DOUBLE, DOUBLE)
                .many("exemplars", NumberDataPoint.EXEMPLARS, exemplar)
                .one("asInt", NumberDataPoint.AS_INT, SFIXED64)
                .many("attributes", NumberDataPoint.ATTRIBUTES, KEY_VALUE)
                .one("flags", NumberDataPoint.FLAGS, UINT32)
                .oneOf("asDouble", "asInt");
    }

    private static MessageType histogramPoint(MessageType exemplar) {
        return new MessageType("HistogramDataPoint")
                .one("startTimeUnixNano", HistogramDataPoint.START_TIME_UNIX_NANO, FIXED64)
                .one("timeUnixNano", HistogramDataPoint.TIME_UNIX_NANO, FIXED64)
                .one("count", HistogramDataPoint.COUNT, FIXED64)
                .one("sum", HistogramDataPoint.SUM, DOUBLE)
                .many("bucketCounts", HistogramDataPoint.BUCKET_COUNTS, FIXED64)
                .many("explicitBounds", HistogramDataPoint.EXPLICIT_BOUNDS, DOUBLE)
                .many("exemplars", HistogramDataPoint.EXEMPLARS, exemplar)
                .many("attributes", HistogramDataPoint.ATTRIBUTES, KEY_VALUE)
                .one("flags", HistogramDataPoint.FLAGS, UINT32)
                .one("min", HistogramDataPoint.MIN, DOUBLE)
                .one("max", HistogramDataPoint.MAX, DOUBLE);
    }

    private static MessageType exponentialHistogramPoint(MessageType exemplar) {
        MessageType buckets = new MessageType("Buckets")
                .one("offset", Buckets.OFFSET, SINT32)
                .many("bucketCounts", Buckets.BUCKET_COUNTS, UINT64);
        return new MessageType("ExponentialHistogramDataPoint")
                .many("attributes", ExponentialHistogramDataPoint.ATTRIBUTES, KEY_VALUE)
                .one("startTimeUnixNano", ExponentialHistogramDataPoint.START_TIME_UNIX_NANO, FIXED64)
                .one("timeUnixNano", ExponentialHistogramDataPoint.TIME_UNIX_NANO, FIXED64)
                .one("count", ExponentialHistogramDataPoint.COUNT, FIXED64)
                .one("sum", ExponentialHistogramDataPoint.SUM, DOUBLE)
                .one("scale", ExponentialHistogramDataPoint.SCALE, SINT32)
                .one("zeroCount", ExponentialHistogramDataPoint.ZERO_COUNT, FIXED64)
                .one("positive", ExponentialHistogramDataPoint.POSITIVE, buckets)
                .one("negative", ExponentialHistogramDataPoint.NEGATIVE, buckets)
                .one("flags", ExponentialHistogramDataPoint.FLAGS, UINT32)
                .many("exemplars", ExponentialHistogramDataPoint.EXEMPLARS, exemplar)
                .one("min", ExponentialHistogramDataPoint.MIN, DOUBLE)
                .one("max", ExponentialHistogramDataPoint.MAX, DOUBLE)
                .one("zeroThreshold", ExponentialHistogramDataPoint.ZERO_THRESHOLD, DOUBLE);
    }

    private static MessageType summaryPoint() {
        MessageType quantile = new MessageType("ValueAtQuantile")
                .one("quantile", ValueAtQuantile.QUANTILE, DOUBLE)
                .one("value", ValueAtQuantile.VALUE, DOUBLE);
        return new MessageType("SummaryDataPoint")
                .one("startTimeUnixNano", SummaryDataPoint.START_TIME_UNIX_NANO, FIXED64)
                .one("timeUnixNano", SummaryDataPoint.TIME_UNIX_NANO, FIXED64)
                .one("count", SummaryDataPoint.COUNT, FIXED64)
                .one("sum", SummaryDataPoint.SUM, DOUBLE)
                .many("quantileValues", SummaryDataPoint.QUANTILE_VALUES, quantile)
                .many("attributes", SummaryDataPoint.ATTRIBUTES, KEY_VALUE)
                .one("flags", SummaryDataPoint.FLAGS, UINT32);
    }
}
