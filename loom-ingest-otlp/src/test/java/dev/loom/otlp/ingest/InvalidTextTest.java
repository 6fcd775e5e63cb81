package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import dev.loom.api.Source;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.metrics.v1.Exemplar;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Histogram;
import io.opentelemetry.proto.metrics.v1.HistogramDataPoint;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.opentelemetry.proto.metrics.v1.Summary;
import io.opentelemetry.proto.metrics.v1.SummaryDataPoint;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Text that is not UTF-8 rejects its record, or all records that share it; the others of the request are stored. */
class InvalidTextTest {
    /** Stands for text that is not UTF-8, until the request is encoded. */
    private static final String BAD = "~~";

    private static final String REASON = "text that is not UTF-8, in the record or in its resource, scope or metric";

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

    /** The request as a sender encodes it that does not look at its text. */
    private static byte[] encoded(Message request) {
        byte[] bytes = request.toByteArray();
        for (int i = 1; i < bytes.length; i++) {
            if (bytes[i - 1] == '~' && bytes[i] == '~') {
                bytes[i] = (byte) 0xFF;
            }
        }
        assertNull(OfficialRequests.parse(request.getDefaultInstanceForType(), bytes));
        return bytes;
    }

    private void export(Signal signal, Message request, int accepted, int rejected) {
        ExportOutcome outcome = store.export(signal, encoded(request));
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome::message);
        assertEquals(accepted, outcome.accepted(), outcome::message);
        assertEquals(rejected, outcome.rejected(), outcome::message);
    }

    @Test
    void shouldRejectTheLogRecordsAloneThatHaveSuchText() throws InvalidProtocolBufferException {
        List<LogRecord> good = List.of(log("a"), log("b"));
        ScopeLogs.Builder scope = ScopeLogs.newBuilder()
                .addLogRecords(good.get(0))
                .addLogRecords(log(BAD))
                .addLogRecords(LogRecord.newBuilder().setEventName("é" + BAD))
                .addLogRecords(LogRecord.newBuilder().setBody(text(BAD)))
                .addLogRecords(LogRecord.newBuilder()
                        .setBody(AnyValue.newBuilder()
                                .setArrayValue(ArrayValue.newBuilder()
                                        .addValues(text("a"))
                                        .addValues(text(BAD)))))
                .addLogRecords(LogRecord.newBuilder()
                        .addAttributes(KeyValue.newBuilder()
                                .setKey("k")
                                .setValue(AnyValue.newBuilder()
                                        .setKvlistValue(KeyValueList.newBuilder()
                                                .addValues(KeyValue.newBuilder().setKey(BAD))))))
                .addLogRecords(LogRecord.newBuilder().addAttributes(attribute(BAD)))
                .addLogRecords(good.get(1));
        export(Signal.LOGS, logs(ResourceLogs.newBuilder().addScopeLogs(scope)), 2, 6);
        assertEquals("6 log records rejected: " + REASON, store.outcome.message());
        List<IngestedStore.Stored> stored = store.unread("otlp.logs");
        assertEquals(2, stored.size());
        for (int i = 0; i < stored.size(); i++) {
            assertEquals(good.get(i), LogRecord.parseFrom(stored.get(i).message()));
        }
        assertEquals(6, store.ingester.counters(Signal.LOGS).rejected());
        assertEquals(0, store.ingester.counters(Signal.LOGS).malformed());
    }

    @Test
    void shouldRejectTheSpansAloneThatHaveSuchText() throws InvalidProtocolBufferException {
        Span good = span().setName("good").build();
        ScopeSpans.Builder scope = ScopeSpans.newBuilder()
                .addSpans(span().setName(BAD))
                .addSpans(span().setTraceState(BAD))
                .addSpans(span().setStatus(Status.newBuilder().setMessage(BAD)))
                .addSpans(span().addEvents(Span.Event.newBuilder().setName(BAD)))
                .addSpans(span().addEvents(Span.Event.newBuilder().addAttributes(attribute(BAD))))
                .addSpans(span().addLinks(Span.Link.newBuilder().setTraceState(BAD)))
                .addSpans(good)
                .addSpans(span().clearSpanId().setName(BAD));
        ExportTraceServiceRequest request = ExportTraceServiceRequest.newBuilder()
                .addResourceSpans(ResourceSpans.newBuilder().addScopeSpans(scope))
                .build();
        export(Signal.TRACES, request, 1, 7);
        assertEquals(
                "1 span rejected: trace_id or span_id is missing, all zero or has the wrong length; 6 spans rejected: "
                        + REASON,
                store.outcome.message());
        List<IngestedStore.Stored> stored = store.unread("otlp.spans");
        assertEquals(1, stored.size());
        assertEquals(good, Span.parseFrom(stored.get(0).message()));
    }

    @Test
    void shouldRejectThePointsAloneThatHaveSuchText() throws InvalidProtocolBufferException {
        Exemplar exemplar =
                Exemplar.newBuilder().addFilteredAttributes(attribute(BAD)).build();
        Gauge.Builder gauge = Gauge.newBuilder()
                .addDataPoints(point(BAD))
                .addDataPoints(point("a"))
                .addDataPoints(point("b").addExemplars(exemplar));
        Sum.Builder sum = Sum.newBuilder().addDataPoints(point("c")).addDataPoints(point(BAD));
        Histogram.Builder histogram = Histogram.newBuilder()
                .addDataPoints(HistogramDataPoint.newBuilder().addAttributes(attribute(BAD)))
                .addDataPoints(HistogramDataPoint.newBuilder().addAttributes(attribute("d")));
        ExponentialHistogram.Builder exponential = ExponentialHistogram.newBuilder()
                .addDataPoints(ExponentialHistogramDataPoint.newBuilder().addAttributes(attribute("e")))
                .addDataPoints(ExponentialHistogramDataPoint.newBuilder().addExemplars(exemplar));
        Summary.Builder summary = Summary.newBuilder()
                .addDataPoints(SummaryDataPoint.newBuilder().addAttributes(attribute(BAD)))
                .addDataPoints(SummaryDataPoint.newBuilder().addAttributes(attribute("f")));
        ScopeMetrics.Builder scope = ScopeMetrics.newBuilder()
                .addMetrics(Metric.newBuilder().setGauge(gauge))
                .addMetrics(Metric.newBuilder().setSum(sum))
                .addMetrics(Metric.newBuilder().setHistogram(histogram))
                .addMetrics(Metric.newBuilder().setExponentialHistogram(exponential))
                .addMetrics(Metric.newBuilder().setSummary(summary));
        export(Signal.METRICS, metrics(scope), 5, 6);
        List<IngestedStore.Stored> stored = store.unread("otlp.metrics");
        assertEquals(5, stored.size());
        assertEquals(point("a").build(), NumberDataPoint.parseFrom(stored.get(0).message()));
        assertEquals(point("c").build(), NumberDataPoint.parseFrom(stored.get(1).message()));
        assertEquals(
                attribute("f"),
                SummaryDataPoint.parseFrom(stored.get(4).message()).getAttributes(0));
    }

    @Test
    void shouldRejectAllRecordsOfAResourceOrScopeWithSuchText() throws InvalidProtocolBufferException {
        ExportLogsServiceRequest request = logs(
                resource("a").addScopeLogs(scope("s").addLogRecords(log("1"))),
                resource(BAD)
                        .addScopeLogs(scope("s").addLogRecords(log("2")).addLogRecords(log("3")))
                        .addScopeLogs(scope("t").addLogRecords(log("4"))),
                resource("b").setSchemaUrl(BAD).addScopeLogs(scope("s").addLogRecords(log("5"))),
                resource("c")
                        .addScopeLogs(scope(BAD).addLogRecords(log("6")))
                        .addScopeLogs(scope("s").setSchemaUrl(BAD).addLogRecords(log("7")))
                        .addScopeLogs(scope("t").addLogRecords(log("8")).addLogRecords(log(BAD))));
        export(Signal.LOGS, request, 2, 7);
        List<IngestedStore.Stored> stored = store.unread("otlp.logs");
        assertEquals(2, stored.size());
        assertEquals(log("1"), LogRecord.parseFrom(stored.get(0).message()));
        assertEquals(log("8"), LogRecord.parseFrom(stored.get(1).message()));
        assertEquals(
                resource("a").addScopeLogs(scope("s")).build(),
                ResourceLogs.parseFrom(stored.get(0).context()));
        assertEquals(
                resource("c").addScopeLogs(scope("t")).build(),
                ResourceLogs.parseFrom(stored.get(1).context()));
        assertEquals(2, store.contextsWritten());
    }

    @Test
    void shouldRejectAllPointsOfAMetricWithSuchText() throws InvalidProtocolBufferException {
        Metric good = Metric.newBuilder()
                .setName("m")
                .setGauge(Gauge.newBuilder().addDataPoints(point("a")).addDataPoints(point("b")))
                .build();
        ScopeMetrics.Builder scope = ScopeMetrics.newBuilder()
                .addMetrics(good.toBuilder().setName(BAD))
                .addMetrics(good.toBuilder().setDescription(BAD))
                .addMetrics(good)
                .addMetrics(good.toBuilder().setUnit(BAD))
                .addMetrics(good.toBuilder().addMetadata(attribute(BAD)));
        export(Signal.METRICS, metrics(scope), 2, 8);
        assertEquals("8 data points rejected: " + REASON, store.outcome.message());
        List<IngestedStore.Stored> stored = store.unread("otlp.metrics");
        assertEquals(2, stored.size());
        for (IngestedStore.Stored each : stored) {
            ResourceMetrics context = ResourceMetrics.parseFrom(each.context());
            assertEquals("m", context.getScopeMetrics(0).getMetrics(0).getName());
        }
    }

    /** Text counts even if a later value takes its place, as all of a record is stored; that of points which are left out does not. */
    @Test
    void shouldLookAtTheTextThatWouldBeStored() {
        ByteString twice = log(BAD).toByteString().concat(log("a").toByteString());
        ScopeLogs.Builder logs = ScopeLogs.newBuilder().setUnknownFields(item(twice));
        export(Signal.LOGS, logs(ResourceLogs.newBuilder().addScopeLogs(logs)), 0, 1);
        ByteString gauge = Metric.newBuilder()
                .setGauge(Gauge.newBuilder().addDataPoints(point(BAD)))
                .build()
                .toByteString();
        ByteString sum = Metric.newBuilder()
                .setSum(Sum.newBuilder().addDataPoints(point("a")))
                .build()
                .toByteString();
        export(Signal.METRICS, metrics(ScopeMetrics.newBuilder().setUnknownFields(item(gauge.concat(sum)))), 1, 0);
    }

    @Test
    void shouldDefineNoSourceForSuchText() {
        IngestSettings settings = IngestSettings.defaults().withSourceAttribute("service.name", 4);
        try (IngestedStore routed = new IngestedStore(folder.resolve("routed"), settings)) {
            ExportLogsServiceRequest request = logs(
                    resource(BAD).addScopeLogs(scope("s").addLogRecords(log("1"))),
                    resource("b").addScopeLogs(scope("s").addLogRecords(log("2"))));
            ExportOutcome outcome = routed.export(Signal.LOGS, encoded(request));
            assertEquals(1, outcome.accepted());
            assertEquals(1, outcome.rejected());
            List<String> sources = routed.writer().loom().sources().stream()
                    .map(Source::name)
                    .filter(name -> name.startsWith("otlp.logs."))
                    .toList();
            assertEquals(List.of("otlp.logs.b"), sources);
        }
    }

    private static LogRecord log(String text) {
        return LogRecord.newBuilder().setSeverityText(text).build();
    }

    private static Span.Builder span() {
        return Span.newBuilder()
                .setTraceId(ByteString.copyFromUtf8("sixteen bytes id"))
                .setSpanId(ByteString.copyFromUtf8("eight by"));
    }

    private static NumberDataPoint.Builder point(String text) {
        return NumberDataPoint.newBuilder().addAttributes(attribute(text));
    }

    private static AnyValue text(String text) {
        return AnyValue.newBuilder().setStringValue(text).build();
    }

    private static KeyValue attribute(String text) {
        return KeyValue.newBuilder().setKey("k").setValue(text(text)).build();
    }

    private static ResourceLogs.Builder resource(String service) {
        return ResourceLogs.newBuilder()
                .setResource(Resource.newBuilder()
                        .addAttributes(
                                KeyValue.newBuilder().setKey("service.name").setValue(text(service))));
    }

    private static ScopeLogs.Builder scope(String name) {
        return ScopeLogs.newBuilder().setScope(InstrumentationScope.newBuilder().setName(name));
    }

    private static ExportLogsServiceRequest logs(ResourceLogs.Builder... resources) {
        ExportLogsServiceRequest.Builder request = ExportLogsServiceRequest.newBuilder();
        for (ResourceLogs.Builder resource : resources) {
            request.addResourceLogs(resource);
        }
        return request.build();
    }

    private static ExportMetricsServiceRequest metrics(ScopeMetrics.Builder scope) {
        return ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder().addScopeMetrics(scope))
                .build();
    }

    /** A log record or metric of a scope, as it is encoded. */
    private static UnknownFieldSet item(ByteString encoded) {
        return UnknownFieldSet.newBuilder()
                .addField(
                        ScopeLogs.LOG_RECORDS_FIELD_NUMBER,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(encoded)
                                .build())
                .build();
    }
}
