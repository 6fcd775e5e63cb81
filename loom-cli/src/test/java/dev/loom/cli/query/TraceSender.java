package dev.loom.cli.query;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.OtlpIngester;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.HexFormat;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** Sends spans and log records by the official classes, a request each. */
record TraceSender(OtlpIngester ingester) {
    /** A span; its events are named {@code tick}. */
    record Sent(
            String trace,
            long id,
            long parent,
            String service,
            String name,
            long startNs,
            long endNs,
            boolean error,
            String route,
            List<Long> events) {
        long durationNs() {
            return endNs - startNs;
        }
    }

    /** A log record of the service {@code cart}. */
    record Said(String trace, long span, long timeNs, String text) {}

    private static ByteString id(String hex) {
        return ByteString.copyFrom(HexFormat.of().parseHex(hex));
    }

    private static ByteString id(long id) {
        return id == 0 ? ByteString.EMPTY : id(HexFormat.of().toHexDigits(id));
    }

    private static KeyValue pair(String key, AnyValue.Builder value) {
        return KeyValue.newBuilder().setKey(key).setValue(value).build();
    }

    private static AnyValue.Builder text(String text) {
        return AnyValue.newBuilder().setStringValue(text);
    }

    static Span message(Sent sent) {
        Span.Builder span = Span.newBuilder()
                .setTraceId(id(sent.trace))
                .setSpanId(id(sent.id))
                .setParentSpanId(id(sent.parent))
                .setName(sent.name)
                .setKindValue(2)
                .setStartTimeUnixNano(sent.startNs)
                .setEndTimeUnixNano(sent.endNs)
                .addAttributes(pair("http.route", text(sent.route)))
                .addAttributes(pair("number", AnyValue.newBuilder().setIntValue(sent.id)))
                .addAttributes(pair("number.low", AnyValue.newBuilder().setBoolValue(sent.id < 300)));
        if (sent.error) {
            span.setStatus(Status.newBuilder().setCodeValue(2).setMessage("refused"));
        }
        sent.events.forEach(time ->
                span.addEvents(Span.Event.newBuilder().setTimeUnixNano(time).setName("tick")));
        return span.build();
    }

    static LogRecord message(Said said) {
        return LogRecord.newBuilder()
                .setTraceId(id(said.trace))
                .setSpanId(id(said.span))
                .setTimeUnixNano(said.timeNs)
                .setSeverityNumberValue(17)
                .setBody(text(said.text))
                .build();
    }

    private static Resource resource(String service) {
        return Resource.newBuilder()
                .addAttributes(pair("service.name", text(service)))
                .build();
    }

    void send(Sent span) {
        send(
                Signal.TRACES,
                ExportTraceServiceRequest.newBuilder()
                        .addResourceSpans(ResourceSpans.newBuilder()
                                .setResource(resource(span.service))
                                .addScopeSpans(ScopeSpans.newBuilder().addSpans(message(span))))
                        .build());
    }

    void send(Said log) {
        send(
                Signal.LOGS,
                ExportLogsServiceRequest.newBuilder()
                        .addResourceLogs(ResourceLogs.newBuilder()
                                .setResource(resource("cart"))
                                .addScopeLogs(ScopeLogs.newBuilder().addLogRecords(message(log))))
                        .build());
    }

    private void send(Signal signal, MessageLite request) {
        ExportOutcome outcome = new ExportOutcome();
        byte[] bytes = request.toByteArray();
        ingester.export(signal, new UnsafeBuffer(bytes), 0, bytes.length, outcome);
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome::message);
    }
}
