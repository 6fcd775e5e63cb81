package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Pressure;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.proto.resource.v1.Resource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * When a store that drops the newest records drops those of a request. The test's clock says how long they have waited; the
 * disk takes nothing while the folder of segments is away.
 */
class RoomWaitTest {
    private static final int RING_BYTES = 1 << 20;
    private static final int RECORDS = 8_000; // of a kilobyte
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(60);
    private static final int CALLS = 20;

    @TempDir
    private Path folder;

    private SharedWriter writer;
    private OtlpIngester ingester;
    private LongSupplier clock;
    private final ExportOutcome outcome = new ExportOutcome();
    private long nowNs;
    private int calls;
    private int phase;
    private long storedBefore;
    private int ended;

    @BeforeEach
    void open() {
        writer = new SharedWriter(Loom.open(LoomConfig.at(folder.resolve("store"))
                .recordRingBytes(RING_BYTES)
                .timeRingBytes(1 << 20)
                .chunkRingBytes(1 << 20)
                .segmentBytes(256 << 10)
                .minFreeBytes(0)
                .pressure(Pressure.DROP_NEWEST)
                .build()));
        ingester = ingester(Duration.ofMinutes(2));
    }

    private OtlpIngester ingester(Duration timeout) {
        return new OtlpIngester(
                writer, IngestSettings.defaults().withTimes(timeout, Duration.ofSeconds(1)), () -> clock.getAsLong());
    }

    @AfterEach
    void close() {
        writer.close();
    }

    private void diskTakes(boolean takes) {
        Path segments = folder.resolve("store/record");
        Path away = folder.resolve("away");
        try {
            if (takes) {
                Files.delete(segments);
                Files.move(away, segments);
            } else {
                Files.move(segments, away);
                Files.createFile(segments);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void export(LongSupplier time) {
        clock = time;
        send(outcome);
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome.message());
    }

    private void send(ExportOutcome answer) {
        LogRecord log =
                LogRecord.newBuilder().setSeverityText("x".repeat(1_000)).build();
        byte[] request = ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(ResourceLogs.newBuilder()
                        .addScopeLogs(ScopeLogs.newBuilder().addAllLogRecords(Collections.nCopies(RECORDS, log))))
                .build()
                .toByteArray();
        ingester.export(Signal.LOGS, new UnsafeBuffer(request), 0, request.length, answer);
    }

    private long stored() {
        try (Snapshot snapshot = writer.loom().snapshot()) {
            int source = snapshot.source("otlp.logs").orElseThrow().id();
            return snapshot.statistics(source).records();
        }
    }

    /** Two records wait for 60 ms each; what each call of the clock does follows from what came before. */
    @Test
    void shouldDropNoneThatFindsRoomInTimeHoweverLongTheRequestTakes() {
        diskTakes(false);
        export(() -> {
            calls++;
            if (phase == 1 && stored() > storedBefore) {
                diskTakes(false);
                next();
            } else if (phase != 1 && phase < 4 && calls == CALLS) {
                if (phase == 0) {
                    nowNs += WAIT_NS;
                    storedBefore = stored();
                    diskTakes(true);
                } else if (phase == 2) {
                    nowNs += WAIT_NS;
                } else if (phase == 3) {
                    diskTakes(true);
                }
                next();
            }
            return nowNs;
        });
        assertEquals(4, phase);
        assertEquals(0, outcome.rejected(), outcome.message());
        assertEquals(RECORDS, outcome.accepted());
    }

    private void next() {
        phase++;
        calls = 0;
    }

    @Test
    void shouldNotCountTheWaitForOthersThatWrite() throws Exception {
        diskTakes(false);
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch waiting = new CountDownLatch(1);
        Thread exporting = Thread.currentThread();
        ExecutorService other = Executors.newSingleThreadExecutor();
        Future<?> turn = other.submit(() -> {
            assertTrue(writer.acquire(Duration.ofMinutes(1)));
            int source = writer.loom().defineSource("other", Formats.bytes());
            while (writer.loom().offer(source, new UnsafeBuffer(new byte[1_000]), 0, 1_000) >= 0) {}
            held.countDown();
            waiting.await();
            while (exporting.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            nowNs = 2 * WAIT_NS;
            writer.release();
            return null;
        });
        held.await();
        export(() -> {
            long now = nowNs;
            calls++;
            if (calls == 3) { // the last before it waits for its turn
                waiting.countDown();
            } else if (calls == CALLS) {
                diskTakes(true);
            }
            return now;
        });
        turn.get();
        other.shutdown();
        assertEquals(0, outcome.rejected(), outcome.message());
        assertEquals(RECORDS, outcome.accepted());
    }

    /** Each record finds room after 60 ms, but the request can't wait for all of them. */
    @Test
    void shouldDropTheRestOfARequestThatWouldTakeTooLong() {
        ingester = ingester(Duration.ofNanos(5 * WAIT_NS));
        diskTakes(false);
        export(() -> {
            calls++;
            makeRoomNowAndThen(calls >= CALLS);
            return nowNs;
        });
        assertTrue(outcome.accepted() > 0 && outcome.rejected() > 0, outcome.message());
        assertEquals(RECORDS, outcome.accepted() + outcome.rejected());
        if (phase == 0) {
            diskTakes(true);
        }
    }

    /** Lets time pass while nothing finds room, then the disk take something. */
    private void makeRoomNowAndThen(boolean pressed) {
        if (phase == 1 && stored() > storedBefore) {
            diskTakes(false);
            phase = 0;
            calls = 0;
        } else if (phase == 0 && pressed) {
            nowNs += WAIT_NS;
            storedBefore = stored();
            diskTakes(true);
            phase = 1;
        }
    }

    /** Each has half of its time for its own waits; that others find the room meanwhile makes none fail. */
    @Test
    void shouldDropTheRestOfEachOfSeveralRequestsThatWouldTakeTooLong() throws Exception {
        int requests = 3;
        ingester = ingester(Duration.ofNanos(6 * WAIT_NS));
        diskTakes(false);
        Map<Thread, Integer> waiting = new HashMap<>();
        clock = () -> {
            synchronized (waiting) {
                waiting.merge(Thread.currentThread(), 1, Integer::sum);
                boolean pressed = waiting.values().stream().allMatch(read -> read >= CALLS);
                int before = phase;
                makeRoomNowAndThen(pressed && waiting.size() == requests - ended);
                if (phase != before) {
                    waiting.replaceAll((thread, read) -> 0);
                }
                return nowNs;
            }
        };
        List<ExportOutcome> outcomes =
                Stream.generate(ExportOutcome::new).limit(requests).toList();
        ExecutorService senders = Executors.newFixedThreadPool(requests);
        List<Future<?>> sent = new ArrayList<>();
        for (ExportOutcome each : outcomes) {
            sent.add(senders.submit(() -> {
                try {
                    send(each);
                } finally {
                    synchronized (waiting) {
                        waiting.remove(Thread.currentThread());
                        ended++;
                    }
                }
            }));
        }
        senders.shutdown();
        for (Future<?> each : sent) {
            each.get();
        }
        for (ExportOutcome each : outcomes) {
            assertEquals(ExportOutcome.Status.ACCEPTED, each.status(), each.message());
            assertEquals(RECORDS, each.accepted() + each.rejected());
        }
        assertTrue(outcomes.stream().anyMatch(each -> each.rejected() > 0));
        assertEquals(outcomes.stream().mapToLong(ExportOutcome::accepted).sum(), stored());
        if (phase == 0) {
            diskTakes(true);
        }
    }

    /** A little room is left, enough for the record alone. */
    @Test
    void shouldDropTheRecordWhoseContextFindsNoRoom() {
        diskTakes(false);
        assertTrue(writer.acquire(Duration.ofMinutes(1)));
        int source = writer.loom().defineSource("other", Formats.bytes());
        while (writer.loom().offer(source, new UnsafeBuffer(new byte[1_000]), 0, 1_000) >= 0) {}
        assertTrue(writer.loom().offer(source, new UnsafeBuffer(new byte[100]), 0, 100) >= 0, "room for a record");
        writer.release();
        byte[] request = ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(ResourceLogs.newBuilder()
                        .setResource(Resource.newBuilder()
                                .addAttributes(KeyValue.newBuilder()
                                        .setKey("k")
                                        .setValue(AnyValue.newBuilder().setStringValue("x".repeat(30_000)))))
                        .addScopeLogs(ScopeLogs.newBuilder()
                                .addLogRecords(LogRecord.newBuilder().setSeverityText("short"))))
                .build()
                .toByteArray();
        exportUntilDropped(request);
        diskTakes(true);
    }

    /** Exports a record while time passes. */
    private void exportUntilDropped(byte[] request) {
        clock = () -> {
            nowNs += ++calls % CALLS == 0 ? WAIT_NS : 0;
            return nowNs;
        };
        ingester.export(Signal.LOGS, new UnsafeBuffer(request), 0, request.length, outcome);
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), outcome.message());
        assertEquals(1, outcome.rejected());
    }

    /** A page is free, of three that the record takes. */
    @Test
    void shouldDropTheRecordOfSeveralPagesThatFindsNoRoom() {
        diskTakes(false);
        assertTrue(writer.acquire(Duration.ofMinutes(1)));
        int source = writer.loom().defineSource("other", Formats.bytes());
        int length = 150_000;
        while (writer.loom().offer(source, new UnsafeBuffer(new byte[length]), 0, length) >= 0) {}
        assertTrue(writer.loom().tryClaim(source, 40_000) >= 0, "room for a page");
        writer.loom().claimed().abort();
        writer.release();
        byte[] request = ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(ResourceLogs.newBuilder()
                        .addScopeLogs(ScopeLogs.newBuilder()
                                .addLogRecords(LogRecord.newBuilder().setSeverityText("x".repeat(length)))))
                .build()
                .toByteArray();
        exportUntilDropped(request);
        try (Snapshot snapshot = writer.loom().snapshot()) {
            Source logs = snapshot.source("otlp.logs").orElseThrow();
            assertEquals(1, snapshot.statistics(logs.id()).lost());
        }
        diskTakes(true);
    }

    @Test
    void shouldDropWhatFindsNoRoomInTime() {
        diskTakes(false);
        export(() -> {
            calls++;
            if (calls == CALLS) {
                nowNs += 2 * WAIT_NS;
            }
            return nowNs;
        });
        assertTrue(outcome.rejected() > RECORDS / 2, outcome.message());
        assertEquals(RECORDS, outcome.accepted() + outcome.rejected());
        diskTakes(true);
    }
}
