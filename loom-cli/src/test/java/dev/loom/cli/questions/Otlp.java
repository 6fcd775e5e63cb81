package dev.loom.cli.questions;

import com.google.protobuf.ByteString;
import dev.loom.cli.questions.Shop.Instance;
import dev.loom.cli.questions.Shop.Log;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** What happens in the shop as requests of OTLP, by the official classes. */
final class Otlp {
    private static final InstrumentationScope SCOPE =
            InstrumentationScope.newBuilder().setName("shop").build();
    private static final Map<Integer, String> SEVERITIES = Map.of(9, "INFO", 13, "WARN", 17, "ERROR");

    private Otlp() {}

    static ExportTraceServiceRequest spans(Shop.Span sent) {
        Span.Builder span = Span.newBuilder()
                .setTraceId(id(sent.trace()))
                .setSpanId(id(HexFormat.of().toHexDigits(sent.id())))
                .setName(sent.name())
                .setKind(Span.SpanKind.SPAN_KIND_SERVER)
                .setStartTimeUnixNano(sent.start())
                .setEndTimeUnixNano(sent.end())
                .addAllAttributes(pairs(sent.attributes()));
        if (sent.parent() != 0) {
            span.setParentSpanId(id(HexFormat.of().toHexDigits(sent.parent())));
        }
        if (sent.error() != null) {
            span.setStatus(Status.newBuilder()
                    .setCode(Status.StatusCode.STATUS_CODE_ERROR)
                    .setMessage(sent.error()));
        }
        return ExportTraceServiceRequest.newBuilder()
                .addResourceSpans(ResourceSpans.newBuilder()
                        .setResource(resource(sent.by()))
                        .addScopeSpans(ScopeSpans.newBuilder().setScope(SCOPE).addSpans(span)))
                .build();
    }

    static ExportLogsServiceRequest logs(Log sent) {
        LogRecord.Builder log = LogRecord.newBuilder()
                .setTimeUnixNano(sent.time())
                .setSeverityNumberValue(sent.severity())
                .setSeverityText(SEVERITIES.get(sent.severity()))
                .setBody(AnyValue.newBuilder().setStringValue(sent.body()))
                .addAllAttributes(pairs(sent.attributes()));
        if (sent.trace() != null) {
            log.setTraceId(id(sent.trace())).setSpanId(id(HexFormat.of().toHexDigits(sent.span())));
        }
        return ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(ResourceLogs.newBuilder()
                        .setResource(resource(sent.by()))
                        .addScopeLogs(ScopeLogs.newBuilder().setScope(SCOPE).addLogRecords(log)))
                .build();
    }

    static ExportMetricsServiceRequest metrics(Instance by, List<Metric> metrics) {
        return ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder()
                        .setResource(resource(by))
                        .addScopeMetrics(
                                ScopeMetrics.newBuilder().setScope(SCOPE).addAllMetrics(metrics)))
                .build();
    }

    static KeyValue pair(String key, Object value) {
        AnyValue.Builder any = AnyValue.newBuilder();
        if (value instanceof Integer number) {
            any.setIntValue(number);
        } else {
            any.setStringValue(value.toString());
        }
        return KeyValue.newBuilder().setKey(key).setValue(any).build();
    }

    private static List<KeyValue> pairs(Map<String, Object> attributes) {
        List<KeyValue> pairs = new ArrayList<>();
        attributes.forEach((key, value) -> pairs.add(pair(key, value)));
        return pairs;
    }

    private static Resource resource(Instance by) {
        Resource.Builder resource = Resource.newBuilder()
                .addAttributes(pair("service.name", by.service()))
                .addAttributes(pair("service.version", by.version()))
                .addAttributes(pair("host.name", by.host()));
        if (by.pod() != null) {
            resource.addAttributes(pair("k8s.pod.name", by.pod()));
        }
        return resource.build();
    }

    private static ByteString id(String hex) {
        return ByteString.copyFrom(HexFormat.of().parseHex(hex));
    }
}
