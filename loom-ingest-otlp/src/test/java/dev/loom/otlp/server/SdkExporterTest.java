package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.logs.OtlpGrpcLogRecordExporter;
import io.opentelemetry.exporter.otlp.metrics.OtlpGrpcMetricExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exporters of the OpenTelemetry SDK for Java, with both of its ways to send, lose nothing. */
class SdkExporterTest {
    private static final String SENDERS = "io.opentelemetry.sdk.common.export.HttpSenderProvider";
    private static final int COUNT = 1500;

    private static final RetryPolicy SOON = RetryPolicy.builder()
            .setInitialBackoff(Duration.ofMillis(10))
            .setMaxBackoff(Duration.ofMillis(50))
            .setMaxAttempts(5)
            .build();

    private final Exported exported = new Exported();
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(exported);
    }

    @AfterEach
    void stop() throws IOException {
        System.clearProperty(SENDERS);
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "grpc, none, ",
        "grpc, gzip, ",
        "http, none, io.opentelemetry.exporter.sender.jdk.internal.JdkHttpSenderProvider",
        "http, gzip, io.opentelemetry.exporter.sender.jdk.internal.JdkHttpSenderProvider",
        "http, none, io.opentelemetry.exporter.sender.okhttp.internal.OkHttpHttpSenderProvider",
        "http, gzip, io.opentelemetry.exporter.sender.okhttp.internal.OkHttpHttpSenderProvider"
    })
    void shouldReceiveAllThatIsSent(String protocol, String compression, String sender) {
        if (sender != null) {
            System.setProperty(SENDERS, sender);
        }
        boolean grpc = protocol.equals("grpc");
        String endpoint = "http://localhost:" + (grpc ? server.grpcPort() : server.httpPort());
        // Now and then the answer asks for the request again.
        AtomicInteger requests = new AtomicInteger();
        Set<String> stored = new HashSet<>();
        exported.answer = outcome -> {
            if (requests.incrementAndGet() % 3 == 2) {
                outcome.unavailable(Duration.ofMillis(20), "not now");
            }
        };
        sendLogs(logExporter(grpc, endpoint, compression));
        stored.addAll(exported.logs.stream()
                .flatMap(request -> request.getResourceLogsList().stream())
                .flatMap(resource -> resource.getScopeLogsList().stream())
                .flatMap(scope -> scope.getLogRecordsList().stream())
                .map(SdkExporterTest::text)
                .collect(Collectors.toSet()));
        assertEquals(COUNT, stored.size());
        assertTrue(requests.get() > 3);

        sendSpans(spanExporter(grpc, endpoint, compression));
        assertEquals(
                COUNT,
                exported.traces.stream()
                        .flatMap(request -> request.getResourceSpansList().stream())
                        .flatMap(resource -> resource.getScopeSpansList().stream())
                        .flatMap(scope -> scope.getSpansList().stream())
                        .map(span -> span.getName())
                        .distinct()
                        .count());
        sendMetrics(metricExporter(grpc, endpoint, compression));
        assertEquals(
                Set.of(1L, 2L, 3L),
                exported.metrics.stream()
                        .flatMap(request -> request.getResourceMetricsList().stream())
                        .flatMap(resource -> resource.getScopeMetricsList().stream())
                        .flatMap(scope -> scope.getMetricsList().stream())
                        .flatMap(metric -> metric.getSum().getDataPointsList().stream())
                        .map(point -> point.getAsInt())
                        .collect(Collectors.toSet()));
    }

    private static String text(LogRecord logRecord) {
        assertEquals(17, logRecord.getSeverityNumberValue());
        assertEquals("n", logRecord.getAttributes(0).getKey());
        String text = logRecord.getBody().getStringValue();
        assertEquals("log " + logRecord.getAttributes(0).getValue().getIntValue(), text);
        return text;
    }

    private static void sendLogs(LogRecordExporter exporter) {
        try (SdkLoggerProvider provider = SdkLoggerProvider.builder()
                .addLogRecordProcessor(BatchLogRecordProcessor.builder(exporter)
                        .setMaxQueueSize(COUNT)
                        .build())
                .build()) {
            for (int i = 0; i < COUNT; i++) {
                provider.get("test")
                        .logRecordBuilder()
                        .setSeverity(Severity.ERROR)
                        .setBody("log " + i)
                        .setAllAttributes(Attributes.of(AttributeKey.longKey("n"), (long) i))
                        .emit();
            }
            finish(provider.forceFlush());
        }
    }

    private static void sendSpans(SpanExporter exporter) {
        try (SdkTracerProvider provider = SdkTracerProvider.builder()
                .addSpanProcessor(BatchSpanProcessor.builder(exporter)
                        .setMaxQueueSize(COUNT)
                        .build())
                .build()) {
            for (int i = 0; i < COUNT; i++) {
                Span span = provider.get("test").spanBuilder("span " + i).startSpan();
                span.setAttribute("n", i);
                span.end();
            }
            finish(provider.forceFlush());
        }
    }

    private static void sendMetrics(MetricExporter exporter) {
        try (SdkMeterProvider provider = SdkMeterProvider.builder()
                .registerMetricReader(PeriodicMetricReader.create(exporter))
                .build()) {
            for (int i = 1; i <= 3; i++) {
                provider.get("test")
                        .counterBuilder("counter")
                        .build()
                        .add(i, Attributes.of(AttributeKey.longKey("n"), (long) i));
            }
            finish(provider.forceFlush());
        }
    }

    private static void finish(CompletableResultCode result) {
        assertTrue(result.join(60, TimeUnit.SECONDS).isSuccess());
    }

    private static LogRecordExporter logExporter(boolean grpc, String endpoint, String compression) {
        return grpc
                ? OtlpGrpcLogRecordExporter.builder()
                        .setEndpoint(endpoint)
                        .setCompression(compression)
                        .setRetryPolicy(SOON)
                        .build()
                : OtlpHttpLogRecordExporter.builder()
                        .setEndpoint(endpoint + "/v1/logs")
                        .setCompression(compression)
                        .setRetryPolicy(SOON)
                        .build();
    }

    private static SpanExporter spanExporter(boolean grpc, String endpoint, String compression) {
        return grpc
                ? OtlpGrpcSpanExporter.builder()
                        .setEndpoint(endpoint)
                        .setCompression(compression)
                        .setRetryPolicy(SOON)
                        .build()
                : OtlpHttpSpanExporter.builder()
                        .setEndpoint(endpoint + "/v1/traces")
                        .setCompression(compression)
                        .setRetryPolicy(SOON)
                        .build();
    }

    private static MetricExporter metricExporter(boolean grpc, String endpoint, String compression) {
        return grpc
                ? OtlpGrpcMetricExporter.builder()
                        .setEndpoint(endpoint)
                        .setCompression(compression)
                        .setRetryPolicy(SOON)
                        .build()
                : OtlpHttpMetricExporter.builder()
                        .setEndpoint(endpoint + "/v1/metrics")
                        .setCompression(compression)
                        .setRetryPolicy(SOON)
                        .build();
    }
}
