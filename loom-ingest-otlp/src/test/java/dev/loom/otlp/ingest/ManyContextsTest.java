package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Snapshot;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.metrics.v1.Gauge;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.ScopeMetrics;
import io.opentelemetry.proto.resource.v1.Resource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests of many scopes or metrics under one long resource, each of which makes a context with the resource in it. */
class ManyContextsTest {
    private static final int SCOPES = 1_000;
    private static final int METRICS = 2_000;
    private static final int EMPTY_METRICS = 131_072;
    private static final int CONTEXT_BYTES_MAX = 1 << 20;
    private static final IngestSettings PATIENT =
            IngestSettings.defaults().withTimes(Duration.ofMinutes(2), Duration.ofSeconds(1));

    @TempDir
    private Path folder;

    private final ExportOutcome outcome = new ExportOutcome();

    private Loom store() {
        return Loom.open(LoomConfig.at(folder.resolve("store"))
                .recordRingBytes(4 << 20)
                .timeRingBytes(1 << 20)
                .chunkRingBytes(1 << 20)
                .segmentBytes(64 << 20)
                .build());
    }

    private void export(OtlpIngester ingester, Signal signal, byte[] request) {
        outcome.reset();
        ingester.export(signal, new UnsafeBuffer(request), 0, request.length, outcome);
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome.message());
    }

    private static long contexts(Loom loom) {
        try (Snapshot snapshot = loom.snapshot()) {
            int source = snapshot.source(ContextLog.SOURCE).orElseThrow().id();
            return snapshot.statistics(source).records();
        }
    }

    private static Resource resource(int length) {
        return Resource.newBuilder()
                .addAttributes(KeyValue.newBuilder()
                        .setKey("process.command_line")
                        .setValue(AnyValue.newBuilder().setStringValue("x".repeat(length))))
                .build();
    }

    /** Logs of one resource, each in a scope of its own. */
    private static byte[] logs(int attributeLength) {
        ResourceLogs.Builder logs = ResourceLogs.newBuilder().setResource(resource(attributeLength));
        for (int i = 0; i < SCOPES; i++) {
            logs.addScopeLogsBuilder()
                    .addLogRecords(LogRecord.newBuilder().setTimeUnixNano(i))
                    .getScopeBuilder()
                    .setName("scope" + i);
        }
        return ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(logs)
                .build()
                .toByteArray();
    }

    @Test
    void shouldRejectRecordsWhoseContextsWouldTakeMoreThanARequestMay() {
        byte[] request = logs(60_000);
        try (Loom loom = store()) {
            OtlpIngester ingester =
                    new OtlpIngester(new SharedWriter(loom), PATIENT.withContexts(64 << 10, 16, CONTEXT_BYTES_MAX));
            export(ingester, Signal.LOGS, request);
            long fit = CONTEXT_BYTES_MAX / (60_000 + 64);
            assertEquals(fit, contexts(loom));
            assertEquals(fit, outcome.accepted());
            assertEquals(SCOPES - fit, outcome.rejected());
            assertEquals(
                    SCOPES - fit + " log records rejected: resources, scopes and metric descriptions of the request are"
                            + " too long together, as each scope and metric is stored with its resource",
                    outcome.message());
        }
    }

    @Test
    void shouldWriteMoreContextsForALongRequest() {
        byte[] request = logs(1_000);
        try (Loom loom = store()) {
            OtlpIngester ingester = new OtlpIngester(new SharedWriter(loom), PATIENT.withContexts(2_000, 16, 2_000));
            export(ingester, Signal.LOGS, request);
            assertTrue(contexts(loom) > 3L * request.length / 1_100, () -> "contexts=" + contexts(loom));
            assertTrue(contexts(loom) < 4L * request.length / 1_000, () -> "contexts=" + contexts(loom));
            assertEquals(SCOPES - contexts(loom), outcome.rejected());
        }
    }

    @Test
    void shouldWriteTheContextsOfManyMetricsOnce() {
        ResourceMetrics.Builder metrics = ResourceMetrics.newBuilder().setResource(resource(3_000));
        for (int i = 0; i < METRICS; i++) {
            metrics.addScopeMetricsBuilder()
                    .addMetrics(Metric.newBuilder()
                            .setName("metric" + i)
                            .setGauge(Gauge.newBuilder()
                                    .addDataPoints(NumberDataPoint.newBuilder().setAsInt(i))));
        }
        byte[] request = ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(metrics)
                .build()
                .toByteArray();
        try (Loom loom = store()) {
            OtlpIngester ingester = new OtlpIngester(new SharedWriter(loom), PATIENT);
            for (int round = 0; round < 3; round++) {
                export(ingester, Signal.METRICS, request);
                assertEquals(METRICS, outcome.accepted());
                assertEquals(METRICS, contexts(loom));
            }
        }
    }

    /** Two kilobytes of gzip, which must not keep other requests out for seconds. */
    @Test
    void shouldNotCopyALongScopeForEachOfItsMetrics() {
        ScopeMetrics.Builder scope = ScopeMetrics.newBuilder();
        scope.getScopeBuilder().addAttributes(resource(60_000).getAttributes(0));
        Metric empty = Metric.newBuilder()
                .setGauge(Gauge.newBuilder().addDataPoints(NumberDataPoint.getDefaultInstance()))
                .build();
        scope.addAllMetrics(Collections.nCopies(EMPTY_METRICS, empty));
        byte[] request = ExportMetricsServiceRequest.newBuilder()
                .addResourceMetrics(ResourceMetrics.newBuilder().addScopeMetrics(scope))
                .build()
                .toByteArray();
        ContextBytes context = new ContextBytes(64 << 10);
        ExportCursor cursor = new ExportCursor(context);
        cursor.wrap(Signal.METRICS, new UnsafeBuffer(request), 0, request.length);
        int records = 0;
        while (cursor.next()) {
            context.complete();
            assertFalse(context.tooLong());
            records++;
        }
        assertEquals(EMPTY_METRICS, records);
        long copied = context.copiedBytes();
        assertTrue(copied <= request.length, () -> "copied=" + copied + ", length=" + request.length);
        try (Loom loom = store()) {
            export(new OtlpIngester(new SharedWriter(loom), PATIENT), Signal.METRICS, request);
            assertEquals(EMPTY_METRICS, outcome.accepted());
            assertEquals(1, contexts(loom));
        }
    }

    /** The clock is read once for each turn. */
    @Test
    void shouldTakeTurnsWhileContextsAreWritten() {
        byte[] request = logs(60_000);
        AtomicLong reads = new AtomicLong();
        try (Loom loom = store()) {
            OtlpIngester ingester = new OtlpIngester(
                    new SharedWriter(loom), PATIENT.withContexts(64 << 10, 1_024, 3 << 20), reads::incrementAndGet);
            export(ingester, Signal.LOGS, request);
            assertEquals((3 << 20) / (60_000 + 64), contexts(loom));
            assertTrue(reads.get() >= 2 * 3, () -> "reads=" + reads);
        }
    }
}
