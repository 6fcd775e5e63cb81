package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.query.RawScan;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class CaptureTest {
    private static final int REQUESTS = 2_000;
    private static final Duration TIMEOUT = Duration.ofMillis(100);

    @TempDir
    private Path directory;

    private final StoryFixture story = new StoryFixture();

    @Test
    void shouldStoreEveryRecordThatTheWorkloadHandedOver() throws IOException, InterruptedException {
        Capture.Captured captured = capture(WorkloadPlan.counted(3, 2, 2, TIMEOUT, REQUESTS), () -> false);

        assertEquals(REQUESTS, captured.recorded().get(DemoSource.REQUESTS));
        Set<Long> ids = new HashSet<>();
        Set<Long> slowIds = new HashSet<>();
        try (LoomReader reader = LoomReader.attach(directory);
                Snapshot snapshot = reader.snapshot()) {
            captured.recorded()
                    .forEach((source, records) -> assertEquals(
                            records,
                            snapshot.statistics(source(snapshot, source).id()).records()));
            Source requests = source(snapshot, DemoSource.REQUESTS);
            FieldReader id = Objects.requireNonNull(requests.format().field("id"));
            FieldReader latency = Objects.requireNonNull(requests.format().field("latency_ns"));
            FieldValue value = new FieldValue();
            RawScan.of(snapshot, requests).forEach((timeNs, buffer, offset, length) -> {
                id.read(buffer, offset, length, value);
                long requestId = value.longValue();
                assertTrue(ids.add(requestId));
                latency.read(buffer, offset, length, value);
                if (value.longValue() >= TIMEOUT.toNanos() / 2) {
                    slowIds.add(requestId);
                }
            });
        }
        assertEquals(LongStream.range(0, REQUESTS).boxed().collect(Collectors.toSet()), ids);
        assertEquals(captured.ledger().slowIds(), slowIds);
    }

    @Test
    void shouldEndEarlyWithNothingLostWhenInterrupted() throws IOException, InterruptedException {
        AtomicInteger asked = new AtomicInteger();
        WorkloadPlan endless = WorkloadPlan.timed(3, 2, 2, TIMEOUT, Duration.ofDays(1));
        Capture.Captured captured = capture(endless, () -> asked.incrementAndGet() > 2);

        assertEquals(captured.ledger().requests(), captured.recorded().get(DemoSource.REQUESTS));
    }

    private Capture.Captured capture(WorkloadPlan plan, BooleanSupplier interrupted)
            throws IOException, InterruptedException {
        CliSession session = new CliSession((out, err, args) -> 0, story.narrator, directory);
        return new Capture(plan, directory, session, story.narrator, interrupted).run();
    }

    private static Source source(Snapshot snapshot, DemoSource source) {
        return snapshot.source(source.sourceName()).orElseThrow();
    }
}
