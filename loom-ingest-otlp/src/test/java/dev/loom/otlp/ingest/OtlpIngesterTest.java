package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.loom.Loom;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Contexts, sources, long records, pressure and threads. */
class OtlpIngesterTest {
    private static final IngestSettings PATIENT =
            IngestSettings.defaults().withTimes(Duration.ofMinutes(2), Duration.ofSeconds(1));

    @TempDir
    Path folder;

    @Test
    void shouldWriteAContextOnceInEachSegment() {
        try (IngestedStore store = new IngestedStore(folder, PATIENT)) {
            byte[] request = logs("checkout", "x".repeat(1_000));
            for (int i = 0; i < 10; i++) {
                store.export(Signal.LOGS, request);
            }
            assertEquals(1, store.contextsWritten());
            for (int i = 0; i < 2_000; i++) {
                store.export(Signal.LOGS, request);
            }
            List<IngestedStore.Stored> stored = store.unread("otlp.logs");
            assertEquals(2_010, stored.size());
            long segments = stored.get(2_009).address() / IngestedStore.SEGMENT_BYTES + 1;
            assertTrue(segments > 7, "segments=" + segments);
            assertEquals(segments, store.contextsWritten());
        }
    }

    @Test
    void shouldWriteContextsAgainThatItCouldNotRemember() {
        IngestSettings settings = PATIENT.withContexts(1_000, 4, 4_000);
        try (IngestedStore store = new IngestedStore(folder, settings)) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 5; i++) {
                    store.export(Signal.LOGS, logs("service" + i, "x"));
                }
            }
            assertEquals(15, store.unread("otlp.logs").size());
            assertTrue(store.contextsWritten() > 5, "contexts=" + store.contextsWritten());
        }
    }

    @Test
    void shouldRejectRecordsWhoseContextIsTooLong() {
        try (IngestedStore store = new IngestedStore(folder, PATIENT.withContexts(1_000, 4, 4_000))) {
            ExportOutcome outcome = store.export(Signal.LOGS, logs("x".repeat(1_000), "a", "b"));
            assertEquals(2, outcome.rejected());
            assertEquals(
                    "2 log records rejected: resource, scope and metric description are longer than the limit",
                    outcome.message());
            assertEquals(0, store.contextsWritten());
            assertEquals(
                    1, store.export(Signal.LOGS, logs("x".repeat(900), "a")).accepted());
        }
    }

    @Test
    void shouldStoreRecordsOfEveryLengthUpToTheLimit() throws InvalidProtocolBufferException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("OtlpIngesterTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        try (IngestedStore store = new IngestedStore(folder, PATIENT)) {
            int max = store.writer().loom().payloadLengthMax() - Long.BYTES;
            int claim = store.writer().loom().claimLengthMax() - Long.BYTES;
            List<Integer> lengths = new ArrayList<>(List.of(claim, claim + 1, max, max + 1, max - 1, claim - 1));
            lengths.addAll(List.of(129, 130, 131, 132, 16_386, 16_387, 16_388, 16_389));
            for (int i = 0; i < 60; i++) {
                lengths.add(100 + random.nextInt(random.nextInt(6) == 0 ? 300_000 : 70_000));
            }
            for (int length : lengths) {
                LogRecord log = logOfLength(length);
                assertEquals(length, log.getSerializedSize());
                ExportOutcome outcome = store.export(Signal.LOGS, request("s" + random.nextInt(3), List.of(log)));
                assertEquals(length > max ? 1 : 0, outcome.rejected(), () -> "seed=" + seed + ", length=" + length);
                List<IngestedStore.Stored> stored = store.unread("otlp.logs");
                assertEquals(length > max ? 0 : 1, stored.size());
                if (length <= max) {
                    assertEquals(log, LogRecord.parseFrom(stored.get(0).message()));
                }
            }
        }
    }

    @Test
    void shouldRejectARecordThatDoesNotFitASegmentWithItsContext() {
        IngestSettings settings = PATIENT.withContexts(200_000, 4, 800_000);
        try (IngestedStore store = new IngestedStore(folder, settings)) {
            byte[] request = request("x".repeat(190_000), List.of(logOfLength(65_000)));
            ExportOutcome outcome = store.export(Signal.LOGS, request);
            assertEquals(1, outcome.accepted() + outcome.rejected());
            outcome = store.export(Signal.LOGS, logs("fine", "x"));
            assertEquals(1, outcome.accepted());
        }
    }

    @Test
    void shouldStoreARequestLongerThanTheRing() {
        try (IngestedStore store = new IngestedStore(folder, PATIENT)) {
            int count = 12_000;
            LogRecord log = logOfLength(1_000);
            byte[] request =
                    request("bulk", IntStream.range(0, count).mapToObj(i -> log).toList());
            assertTrue(request.length > 2 * IngestedStore.RING_BYTES);
            assertEquals(count, store.export(Signal.LOGS, request).accepted());
            assertEquals(count, store.unread("otlp.logs").size());
        }
    }

    @Test
    void shouldTakeRequestsOfManyThreads() throws Exception {
        try (IngestedStore store = new IngestedStore(folder, PATIENT.withConcurrency(2))) {
            ExecutorService threads = Executors.newFixedThreadPool(4);
            List<Callable<Long>> tasks = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                byte[] request = logs("service" + i, "a".repeat(i + 1), "b".repeat(200), "c");
                tasks.add(() -> {
                    ExportOutcome outcome = new ExportOutcome();
                    long accepted = 0;
                    for (int j = 0; j < 500; j++) {
                        store.ingester.export(Signal.LOGS, new UnsafeBuffer(request), 0, request.length, outcome);
                        accepted += outcome.accepted();
                    }
                    return accepted;
                });
            }
            for (Future<Long> accepted : threads.invokeAll(tasks)) {
                assertEquals(1_500, accepted.get());
            }
            threads.shutdown();
            assertEquals(6_000, store.unread("otlp.logs").size());
        }
    }

    @Test
    void shouldBeUnavailableWhileAnotherHasTheTurn() throws Exception {
        IngestSettings settings = IngestSettings.defaults().withTimes(Duration.ofMillis(1), Duration.ofMillis(250));
        try (IngestedStore store = new IngestedStore(folder, settings)) {
            ExecutorService other = Executors.newSingleThreadExecutor();
            assertTrue(other.submit(() -> store.writer().acquire(Duration.ofSeconds(60)))
                    .get());
            ExportOutcome outcome = store.export(Signal.LOGS, logs("a", "b"));
            assertEquals(ExportOutcome.Status.UNAVAILABLE, outcome.status());
            assertEquals(Duration.ofMillis(250), outcome.retryDelay());
            assertEquals("the store is busy", outcome.message());
            assertEquals(1, store.ingester.counters(Signal.LOGS).unavailable());
            other.submit(() -> store.writer().release()).get();
            other.shutdown();
            assertEquals(0, store.unread("otlp.logs").size());
        }
    }

    @Test
    void shouldBeUnavailableOnceTheStoreIsClosed() {
        IngestedStore store = new IngestedStore(folder, PATIENT);
        store.close();
        assertEquals(
                ExportOutcome.Status.UNAVAILABLE,
                store.export(Signal.LOGS, logs("a", "b")).status());
    }

    @Test
    void shouldGiveEachTextOfAnAttributeASourceUpToTheLimit() {
        IngestSettings settings = PATIENT.withSourceAttribute("service.name", 2);
        try (IngestedStore store = new IngestedStore(folder, settings)) {
            store.export(Signal.LOGS, logs("check out", "1", "2"));
            store.export(Signal.LOGS, logs("b", "3"));
            store.export(Signal.LOGS, logs("over", "4", "5", "6"));
            store.export(Signal.LOGS, logs("check out", "7"));
            store.export(Signal.LOGS, request(null, List.of(LogRecord.getDefaultInstance())));
            assertEquals(3, store.unread("otlp.logs.check_out").size());
            assertEquals(1, store.unread("otlp.logs.b").size());
            assertEquals(4, store.unread("otlp.logs").size());
            assertEquals(3, store.ingester.counters(Signal.LOGS).overflowed());
            assertEquals(8, store.ingester.counters(Signal.LOGS).accepted());
            assertFalse(store.writer().loom().source("otlp.logs.over").isPresent());
        }
    }

    @Test
    void shouldKeepToTheLimitOnSourcesWhenTheStoreIsOpenedAgain() {
        IngestSettings settings = PATIENT.withSourceAttribute("service.name", 2);
        for (int start = 0; start < 3; start++) {
            try (IngestedStore store = new IngestedStore(folder, settings)) {
                boolean again = start > 0;
                assertEquals(again, isFed(store, "otlp.logs.new0"));
                assertEquals(again, isFed(store, "otlp.logs.newer0"));
                store.export(Signal.LOGS, logs("new" + start, "1"));
                store.export(Signal.LOGS, logs("newer" + start, "2"));
                store.export(Signal.LOGS, logs("new0", "3"));
                assertEquals(
                        start == 0 ? 0 : 2, store.ingester.counters(Signal.LOGS).overflowed());
                assertEquals(start + 2, recordsOf(store, "otlp.logs.new0"));
                assertEquals(1, recordsOf(store, "otlp.logs.newer0"));
                assertEquals(2 * start, recordsOf(store, "otlp.logs"));
                assertFalse(store.writer().loom().source("otlp.logs.new1").isPresent());
            }
        }
        try (IngestedStore store = new IngestedStore(folder, PATIENT.withSourceAttribute("service.name", 1))) {
            int text = store.writer().loom().defineSource("otlp.logs.text", Formats.parse("text"));
            assertFalse(new OtlpIngester(store.writer(), PATIENT.withSourceAttribute("service.name", 1)).feeds(text));
            assertFalse(new OtlpIngester(store.writer(), PATIENT).feeds(id(store, "otlp.logs.new0")));
            store.writer().loom().closeSource(text);
            store.export(Signal.LOGS, logs("newer0", "4"));
            store.export(Signal.LOGS, logs("new0", "5"));
            assertEquals(0, store.ingester.counters(Signal.LOGS).overflowed());
            Loom loom = store.writer().loom();
            loom.closeSource(loom.source("otlp.logs.new0").orElseThrow().id());
            loom.closeSource(loom.source("otlp.logs.newer0").orElseThrow().id());
            store.export(Signal.LOGS, logs("new0", "6"));
            store.export(Signal.LOGS, logs("newer0", "7"));
            assertEquals(1, store.ingester.counters(Signal.LOGS).overflowed());
        }
    }

    private static int id(IngestedStore store, String source) {
        return store.writer().loom().source(source).orElseThrow().id();
    }

    /** Whether there is such a source that can't be closed. */
    private static boolean isFed(IngestedStore store, String source) {
        return store.writer()
                .loom()
                .source(source)
                .filter(found -> store.ingester.feeds(found.id()))
                .isPresent();
    }

    private static int recordsOf(IngestedStore store, String source) {
        return store.unread(source).size();
    }

    /** As the record's fields have it. */
    @Test
    void shouldTakeTheFirstOfSeveralTextsOfAnAttribute() throws InvalidProtocolBufferException {
        try (IngestedStore store = new IngestedStore(folder, PATIENT.withSourceAttribute("service.name", 2))) {
            ExportLogsServiceRequest.Builder twice = ExportLogsServiceRequest.parseFrom(logs("a", "1")).toBuilder();
            twice.getResourceLogsBuilder(0)
                    .getResourceBuilder()
                    .addAttributes(KeyValue.newBuilder()
                            .setKey("service.name")
                            .setValue(AnyValue.newBuilder().setStringValue("b")));
            store.export(Signal.LOGS, twice.build().toByteArray());
            assertEquals(1, store.unread("otlp.logs.a").size());
            assertFalse(store.writer().loom().source("otlp.logs.b").isPresent());
        }
    }

    @Test
    void shouldGoOnWithTheSourcesOfAStoreThatIsOpenedAgain() {
        try (IngestedStore store = new IngestedStore(folder, PATIENT)) {
            store.export(Signal.LOGS, logs("a", "b"));
        }
        try (IngestedStore store = new IngestedStore(folder, PATIENT)) {
            store.export(Signal.LOGS, logs("a", "b"));
            assertEquals(2, store.unread("otlp.logs").size());
            assertEquals(
                    4,
                    store.writer().loom().sources().stream()
                            .map(Source::name)
                            .distinct()
                            .count());
        }
    }

    @Test
    void shouldTakeRecordsWithoutTheIndexesThatTheStoreHasNoRoomFor() {
        try (IngestedStore store = new IngestedStore(folder, PATIENT)) {
            Loom loom = store.writer().loom();
            int spans = loom.source("otlp.spans").orElseThrow().id();
            loom.closeSource(spans);
            PayloadFormat format = Formats.struct("value:i64");
            int other = loom.defineSource("other", format);
            IllegalArgumentException full = assertThrows(IllegalArgumentException.class, () -> {
                for (int i = 0; i < 100_000; i++) {
                    loom.defineIndex(other, "i" + i, IndexFunction.field(format, "value"), Bins.logLinear());
                }
            });
            assertTrue(full.getMessage().startsWith("too many open indexes"), full.getMessage());
            OtlpIngester another = new OtlpIngester(store.writer(), PATIENT);
            assertEquals(Optional.empty(), another.problem());
            int defined = loom.source("otlp.spans").orElseThrow().id();
            assertNotEquals(spans, defined);
            assertTrue(loom.indexes().stream().noneMatch(index -> index.sourceId() == defined));
            assertEquals(
                    1,
                    store.export(Signal.TRACES, oneSpan()).accepted(),
                    store.outcome.message() + store.outcome.status());
            assertEquals(1, store.unread("otlp.spans").size());
        }
    }

    @Test
    void shouldDefineASourceAgainWhenItWasClosed() {
        IngestSettings byService = PATIENT.withSourceAttribute("service.name", 4);
        try (IngestedStore store = new IngestedStore(folder, byService)) {
            Loom loom = store.writer().loom();
            store.export(Signal.LOGS, logs("a", "b"));
            for (String name : List.of("otlp.logs.a", "otlp.contexts", "otlp.logs")) {
                int id = loom.source(name).orElseThrow().id();
                assertTrue(store.ingester.feeds(id), name);
                loom.closeSource(id);
                ExportOutcome outcome = store.export(Signal.LOGS, logs("a", "c"));
                assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), name);
                assertEquals(1, outcome.accepted(), name);
                assertEquals(0, outcome.rejected(), name);
            }
            store.export(Signal.LOGS, logs("new context", "d"));
            store.export(Signal.LOGS, request(null, List.of(LogRecord.getDefaultInstance())));
            for (String name : List.of("otlp.logs.a", "otlp.contexts", "otlp.logs")) {
                assertFalse(loom.source(name).orElseThrow().closed(), name);
            }
            try (Snapshot snapshot = loom.snapshot()) {
                int open = snapshot.source("otlp.logs.a").orElseThrow().id();
                // the first is in the one that was closed
                assertEquals(3, snapshot.statistics(open).records());
            }
            assertEquals(Optional.empty(), store.ingester.problem());
        }
    }

    @Test
    void shouldAskToBeSentAgainWhenAClosedSourceCannotBeDefinedAgain() {
        try (IngestedStore store = new IngestedStore(folder, PATIENT)) {
            Loom loom = store.writer().loom();
            loom.closeSource(loom.source("otlp.logs").orElseThrow().id());
            int other = loom.defineSource("otlp.logs", Formats.parse("text"));
            ExportOutcome outcome = store.export(Signal.LOGS, logs("a", "b"));
            assertEquals(ExportOutcome.Status.UNAVAILABLE, outcome.status());
            assertTrue(outcome.message().contains("otlp.logs"), outcome.message());
            String reason = outcome.message();
            assertEquals(reason, store.ingester.problem().orElseThrow());
            // requests of other signals, which are served, say nothing of it
            loom.closeSource(loom.source("otlp.spans").orElseThrow().id());
            assertEquals(1, store.export(Signal.TRACES, oneSpan()).accepted());
            assertEquals(reason, store.ingester.problem().orElseThrow());
            loom.closeSource(other);
            assertEquals(1, store.export(Signal.LOGS, logs("a", "b")).accepted());
            assertEquals(Optional.empty(), store.ingester.problem());
        }
    }

    @Test
    void shouldRefuseAStoreWhoseNamesAreTaken() {
        try (IngestedStore store = new IngestedStore(folder, PATIENT)) {
            int id = store.writer().loom().source("otlp.logs").orElseThrow().id();
            store.writer().loom().closeSource(id);
            store.writer().loom().defineSource("otlp.logs", Formats.parse("text"));
            assertThrows(IllegalArgumentException.class, () -> new OtlpIngester(store.writer(), PATIENT));
        }
    }

    @Test
    void shouldRefuseHostileRequestsInConstantMemory() {
        try (IngestedStore store = new IngestedStore(folder, PATIENT)) {
            byte[] groups = new byte[1 << 20];
            Arrays.fill(groups, (byte) 0x0B);
            malformed(store, groups);
            byte[] tags = new byte[1 << 20];
            Arrays.fill(tags, (byte) 0xFF);
            malformed(store, tags);
            malformed(store, new byte[] {0x0A, -1, -1, -1, -1, 0x07});
            malformed(store, new byte[] {0x0A, -1, -1, -1, -1, 0x0F});
            byte[] empty = new byte[1 << 20];
            for (int i = 0; i < empty.length; i += 2) {
                empty[i] = 0x0A; // half a million empty ResourceLogs
            }
            assertEquals(
                    ExportOutcome.Status.ACCEPTED,
                    store.export(Signal.LOGS, empty).status());
            AnyValue deep = AnyValue.getDefaultInstance();
            for (int i = 0; i < 40; i++) {
                AnyValue inner = deep;
                deep = AnyValue.newBuilder()
                        .setArrayValue(io.opentelemetry.proto.common.v1.ArrayValue.newBuilder()
                                .addValues(inner))
                        .build();
            }
            assertEquals(
                    1,
                    store.export(
                                    Signal.LOGS,
                                    request(
                                            "a",
                                            List.of(LogRecord.newBuilder()
                                                    .setBody(deep)
                                                    .build())))
                            .accepted());
        }
    }

    private static void malformed(IngestedStore store, byte[] request) {
        for (Signal signal : Signal.values()) {
            assertEquals(
                    ExportOutcome.Status.MALFORMED,
                    store.export(signal, request).status());
        }
    }

    /** A text alone can't have every length: where the prefix grows by a byte, one is left out. The flags shift that. */
    private static LogRecord logOfLength(int length) {
        return IntStream.range(0, 2)
                .boxed()
                .flatMap(flags -> IntStream.rangeClosed(length - 12, length - 2)
                        .mapToObj(text -> LogRecord.newBuilder()
                                .setFlags(flags)
                                .setSeverityText("x".repeat(text))
                                .build()))
                .filter(log -> log.getSerializedSize() == length)
                .findFirst()
                .orElseThrow();
    }

    private static byte[] logs(String service, String... texts) {
        return request(
                service,
                Arrays.stream(texts)
                        .map(text ->
                                LogRecord.newBuilder().setSeverityText(text).build())
                        .toList());
    }

    private static byte[] request(String service, List<LogRecord> logs) {
        ResourceLogs.Builder resource =
                ResourceLogs.newBuilder().addScopeLogs(ScopeLogs.newBuilder().addAllLogRecords(logs));
        if (service != null) {
            resource.getResourceBuilder()
                    .addAttributes(KeyValue.newBuilder()
                            .setKey("service.name")
                            .setValue(AnyValue.newBuilder().setStringValue(service)));
        }
        return ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(resource)
                .build()
                .toByteArray();
    }

    private static byte[] oneSpan() {
        Span span = Span.newBuilder()
                .setTraceId(ByteString.copyFromUtf8("sixteen bytes id"))
                .setSpanId(ByteString.copyFromUtf8("eight by"))
                .build();
        return ExportTraceServiceRequest.newBuilder()
                .addResourceSpans(ResourceSpans.newBuilder()
                        .addScopeSpans(ScopeSpans.newBuilder().addSpans(span)))
                .build()
                .toByteArray();
    }
}
