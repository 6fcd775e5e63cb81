package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What OTLP's specification says of requests and records; names of tests begin with the number of its point. */
class OtlpPointsTest {
    private static final ByteString TRACE_ID = ByteString.fromHex("5b8efff798038103d269b633813fc60c");
    private static final ByteString SPAN_ID = ByteString.fromHex("eee19b7ec3c1b174");

    @TempDir
    Path folder;

    private IngestedStore store;

    @BeforeEach
    void open() {
        store = new IngestedStore(folder, IngestSettings.defaults());
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void point14AcceptsAnEmptyRequest() {
        for (Signal signal : Signal.values()) {
            accepted(signal, new byte[0], 0);
        }
    }

    @Test
    void point15SaysNothingOfFullSuccess() {
        accepted(Signal.LOGS, logs(LogRecord.newBuilder().setSeverityText("x").build()), 1);
        assertEquals("", store.outcome.message());
    }

    @Test
    void point16CountsWhatWasRejectedAndStoresTheRest() throws InvalidProtocolBufferException {
        Span good = span().build();
        byte[] request =
                spans(span().clearTraceId().build(), good, span().clearSpanId().build());
        ExportOutcome outcome = store.export(Signal.TRACES, request);
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status());
        assertEquals(1, outcome.accepted());
        assertEquals(2, outcome.rejected());
        List<IngestedStore.Stored> stored = store.unread("otlp.spans");
        assertEquals(1, stored.size());
        assertEquals(good, Span.parseFrom(stored.get(0).message()));
    }

    @Test
    void point17TellsWhyInEnglish() {
        store.export(Signal.TRACES, spans(span().clearTraceId().build()));
        assertEquals(
                "1 span rejected: trace_id or span_id is missing, all zero or has the wrong length",
                store.outcome.message());
    }

    @Test
    void point18WarnsOfWhatWasAcceptedAllTheSame() {
        ExportOutcome outcome = store.export(
                Signal.LOGS,
                logs(LogRecord.newBuilder()
                        .setBody(AnyValue.newBuilder().setStringValueStrindex(3))
                        .build()));
        assertEquals(0, outcome.rejected());
        assertEquals(1, outcome.accepted());
        assertTrue(outcome.message().contains("profiles"), outcome.message());
    }

    @Test
    void point19AcceptsEmptyEnvelopes() {
        byte[] request = ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(ResourceLogs.newBuilder().setResource(Resource.newBuilder()))
                .addResourceLogs(ResourceLogs.newBuilder()
                        .addScopeLogs(ScopeLogs.newBuilder().setSchemaUrl("x")))
                .build()
                .toByteArray();
        accepted(Signal.LOGS, request, 0);
        assertEquals(0, store.contextsWritten());
    }

    @Test
    void point20CountsDataPointsNotMetrics() {
        byte[] big = new byte[IngestedStore.RING_BYTES / 4];
        NumberDataPoint tooLong = NumberDataPoint.newBuilder()
                .addAttributes(attribute("blob", AnyValue.newBuilder().setBytesValue(ByteString.copyFrom(big))))
                .build();
        Gauge gauge = Gauge.newBuilder()
                .addDataPoints(NumberDataPoint.newBuilder().setAsInt(1))
                .addDataPoints(tooLong)
                .addDataPoints(NumberDataPoint.newBuilder().setAsInt(3))
                .build();
        ExportOutcome outcome = store.export(
                Signal.METRICS,
                metrics(Metric.newBuilder().setName("m").setGauge(gauge).build()));
        assertEquals(2, outcome.accepted());
        assertEquals(1, outcome.rejected());
        assertEquals("1 data point rejected: longer than the store's limit", outcome.message());
        assertEquals(2, store.unread("otlp.metrics").size());
    }

    @Test
    void point25SaysWhereAMalformedRequestIsWrong() {
        ExportOutcome outcome = store.export(Signal.LOGS, new byte[] {0x0A, 2, 0x1A, 1});
        assertEquals(ExportOutcome.Status.MALFORMED, outcome.status());
        assertEquals(
                "request is not a protobuf message of the expected type: field is truncated: offset=2",
                outcome.message());
        assertEquals(1, store.ingester.counters(Signal.LOGS).malformed());
    }

    @Test
    void point38KeepsBothTimesOfALog() throws InvalidProtocolBufferException {
        kept(LogRecord.newBuilder()
                .setTimeUnixNano(1)
                .setObservedTimeUnixNano(2)
                .build());
        kept(LogRecord.newBuilder().setObservedTimeUnixNano(2).build());
    }

    @Test
    void point39KeepsLogsWithoutValidIds() throws InvalidProtocolBufferException {
        kept(LogRecord.newBuilder()
                .setTraceId(ByteString.copyFrom(new byte[16]))
                .build());
        kept(LogRecord.newBuilder().setTraceId(SPAN_ID).setSpanId(TRACE_ID).build());
    }

    @Test
    void point39RejectsSpansWithoutValidIds() {
        List<Span.Builder> bad = List.of(
                span().clearTraceId(),
                span().clearSpanId(),
                span().setTraceId(ByteString.copyFrom(new byte[16])),
                span().setSpanId(ByteString.copyFrom(new byte[8])),
                span().setTraceId(TRACE_ID.substring(1)),
                span().setTraceId(TRACE_ID.concat(SPAN_ID)),
                span().setSpanId(TRACE_ID));
        for (Span.Builder each : bad) {
            assertEquals(1, store.export(Signal.TRACES, spans(each.build())).rejected(), each::toString);
        }
        accepted(Signal.TRACES, spans(span().setParentSpanId(TRACE_ID).build()), 1);
        assertEquals(bad.size(), store.ingester.counters(Signal.TRACES).rejected());
    }

    @Test
    void point39GoesByTheLastOfSeveralIds() {
        byte[] good = spans(span().build());
        byte[] span = span().build().toByteArray();
        byte[] cleared = ByteString.copyFrom(span)
                .concat(ByteString.copyFrom(new byte[] {0x0A, 0})) // an empty trace id
                .toByteArray();
        assertEquals(1, store.export(Signal.TRACES, wrapThrice(cleared)).rejected());
        accepted(Signal.TRACES, good, 1);
    }

    @Test
    void point40KeepsAllBitsOfFlags() throws InvalidProtocolBufferException {
        kept(LogRecord.newBuilder().setFlags(0xFFFFFF01).build());
    }

    @Test
    void point41KeepsEveryKindOfAttribute() throws InvalidProtocolBufferException {
        AnyValue nested = AnyValue.newBuilder()
                .setKvlistValue(KeyValueList.newBuilder()
                        .addValues(attribute("empty", AnyValue.newBuilder()))
                        .addValues(attribute(
                                "list",
                                AnyValue.newBuilder()
                                        .setArrayValue(ArrayValue.newBuilder()
                                                .addValues(AnyValue.newBuilder().setDoubleValue(Double.NaN))
                                                .addValues(AnyValue.newBuilder().setBoolValue(false))))))
                .build();
        kept(LogRecord.newBuilder()
                .setBody(nested)
                .addAttributes(attribute("bytes", AnyValue.newBuilder().setBytesValue(TRACE_ID)))
                .addAttributes(attribute("int", AnyValue.newBuilder().setIntValue(Long.MIN_VALUE)))
                .addAttributes(attribute("text", AnyValue.newBuilder().setStringValue("日本")))
                .addAttributes(attribute("nested", nested.toBuilder()))
                .build());
    }

    @Test
    void point42WarnsOfKeysByIndex() throws InvalidProtocolBufferException {
        LogRecord log = LogRecord.newBuilder()
                .addAttributes(KeyValue.newBuilder().setKeyStrindex(-1))
                .build();
        kept(log);
        assertTrue(store.outcome.message().contains("key_strindex"), store.outcome.message());
        kept(log.toBuilder()
                .clearAttributes()
                .addAttributes(KeyValue.newBuilder().setKeyStrindex(0))
                .build());
        assertEquals("", store.outcome.message());
    }

    @Test
    void point43KeepsCountsNamesAndDuplicates() throws InvalidProtocolBufferException {
        LogRecord log = LogRecord.newBuilder()
                .setSeverityNumberValue(0)
                .setEventName("device.crash")
                .setDroppedAttributesCount(-1)
                .build();
        kept(log);
        kept(log);
        assertEquals(2, store.ingester.counters(Signal.LOGS).accepted());
    }

    @Test
    void point44KeepsEveryKindOfPointWithItsMetric() throws InvalidProtocolBufferException {
        Metric.Builder metric = Metric.newBuilder().setName("m").setUnit("ms").setDescription("d");
        NumberDataPoint none = NumberDataPoint.newBuilder().setFlags(1).build();
        HistogramDataPoint histogram = HistogramDataPoint.newBuilder()
                .setSum(1.5)
                .addBucketCounts(1)
                .addExplicitBounds(2)
                .build();
        ExponentialHistogramDataPoint exponential = ExponentialHistogramDataPoint.newBuilder()
                .setScale(-3)
                .setZeroThreshold(1e-9)
                .build();
        SummaryDataPoint summary = SummaryDataPoint.newBuilder().setCount(3).build();
        metric.getSumBuilder()
                .setIsMonotonic(true)
                .setAggregationTemporalityValue(1)
                .addDataPoints(none);
        point(metric.build(), none);
        metric.clearSum().getGaugeBuilder().addDataPoints(none);
        point(metric.build(), none);
        metric.clearGauge()
                .getHistogramBuilder()
                .setAggregationTemporalityValue(2)
                .addDataPoints(histogram);
        point(metric.build(), histogram);
        metric.clearHistogram().getExponentialHistogramBuilder().addDataPoints(exponential);
        point(metric.build(), exponential);
        metric.clearExponentialHistogram().getSummaryBuilder().addDataPoints(summary);
        point(metric.build(), summary);
    }

    @Test
    void point44KeepsThePointsOfTheLastKindOnly() throws InvalidProtocolBufferException {
        ByteString first = gauge(1).toByteString();
        ByteString sum = Metric.newBuilder()
                .setSum(Sum.newBuilder()
                        .addDataPoints(NumberDataPoint.newBuilder().setAsInt(2)))
                .build()
                .toByteString();
        ByteString second = gauge(3).toByteString();
        ByteString third = gauge(4).toByteString();
        byte[] metric = first.concat(sum).concat(second).concat(third).toByteArray();
        accepted(Signal.METRICS, wrapThrice(metric), 2);
        List<IngestedStore.Stored> stored = store.unread("otlp.metrics");
        assertEquals(3, NumberDataPoint.parseFrom(stored.get(0).message()).getAsInt());
        assertEquals(4, NumberDataPoint.parseFrom(stored.get(1).message()).getAsInt());
        Metric context = ResourceMetrics.parseFrom(stored.get(0).context())
                .getScopeMetrics(0)
                .getMetrics(0);
        assertEquals(Metric.newBuilder().setGauge(Gauge.getDefaultInstance()).build(), context);
    }

    private static Metric gauge(long value) {
        return Metric.newBuilder()
                .setGauge(Gauge.newBuilder()
                        .addDataPoints(NumberDataPoint.newBuilder().setAsInt(value)))
                .build();
    }

    @Test
    void point47CountsRequestsAndRecords() {
        accepted(Signal.LOGS, logs(LogRecord.getDefaultInstance()), 1);
        store.export(Signal.TRACES, spans(span().build(), span().clearSpanId().build()));
        store.export(Signal.TRACES, new byte[] {1});
        assertEquals(1, store.ingester.counters(Signal.LOGS).accepted());
        SignalCounters traces = store.ingester.counters(Signal.TRACES);
        assertEquals(2, traces.requests());
        assertEquals(1, traces.accepted());
        assertEquals(1, traces.rejected());
        assertEquals(1, traces.malformed());
        assertEquals(0, traces.unavailable());
        assertEquals(0, store.ingester.counters(Signal.METRICS).requests());
    }

    private void accepted(Signal signal, byte[] request, int records) {
        ExportOutcome outcome = store.export(signal, request);
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome.message());
        assertEquals(records, outcome.accepted());
        assertEquals(0, outcome.rejected());
    }

    private void kept(LogRecord log) throws InvalidProtocolBufferException {
        accepted(Signal.LOGS, logs(log), 1);
        List<IngestedStore.Stored> stored = store.unread("otlp.logs");
        assertEquals(1, stored.size());
        assertEquals(log, LogRecord.parseFrom(stored.get(0).message()));
    }

    private void point(Metric metric, Message point) throws InvalidProtocolBufferException {
        accepted(Signal.METRICS, metrics(metric), 1);
        List<IngestedStore.Stored> stored = store.unread("otlp.metrics");
        assertEquals(1, stored.size());
        assertEquals(point, point.getParserForType().parseFrom(stored.get(0).message()));
        OfficialRequests.Stored expected = OfficialRequests.stored(
                        ExportMetricsServiceRequest.parseFrom(metrics(metric)))
                .get(0);
        assertEquals(expected.context(), ResourceMetrics.parseFrom(stored.get(0).context()));
    }

    private static KeyValue attribute(String key, AnyValue.Builder value) {
        return KeyValue.newBuilder().setKey(key).setValue(value).build();
    }

    private static Span.Builder span() {
        return Span.newBuilder().setTraceId(TRACE_ID).setSpanId(SPAN_ID).setName("GET /");
    }

    private static byte[] logs(LogRecord... logs) {
        ScopeLogs.Builder scope = ScopeLogs.newBuilder().addAllLogRecords(List.of(logs));
        return ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(ResourceLogs.newBuilder().addScopeLogs(scope))
                .build()
                .toByteArray();
    }

    private static byte[] spans(Span... spans) {
        ScopeSpans.Builder scope = ScopeSpans.newBuilder().addAllSpans(List.of(spans));
        return ExportTraceServiceRequest.newBuilder()
                .addResourceSpans(ResourceSpans.newBuilder().addScopeSpans(scope))
                .build()
                .toByteArray();
    }

    private static byte[] metrics(Metric... metrics) {
        ScopeMetrics.Builder scope = ScopeMetrics.newBuilder().addAllMetrics(List.of(metrics));
        return ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder().addScopeMetrics(scope))
                .build()
                .toByteArray();
    }

    /** A request with one span or metric, of its encoded form. */
    private static byte[] wrapThrice(byte[] item) {
        ByteString scope = field(2, ByteString.copyFrom(item));
        return field(1, field(2, scope)).toByteArray();
    }

    private static ByteString field(int number, ByteString content) {
        return ByteString.copyFrom(new byte[] {(byte) (number << 3 | 2), (byte) content.size()})
                .concat(content);
    }
}
