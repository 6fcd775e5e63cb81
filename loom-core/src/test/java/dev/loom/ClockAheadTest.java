package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.format.Formats;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that was written while the machine's clock was a century ahead. */
final class ClockAheadTest {
    private static final long YEARS_100 = TimeUnit.DAYS.toNanos(36_525);
    private static final long SLACK = TimeUnit.MINUTES.toNanos(10);

    @TempDir
    Path store;

    private static long nowNs() {
        return TimeUnit.MILLISECONDS.toNanos(Instant.now().toEpochMilli());
    }

    private static void ahead(Store store) {
        Duration ahead = store.info().clockAhead();
        assertTrue(
                Math.abs(ahead.toNanos() - YEARS_100) < SLACK,
                () -> "ahead=" + ahead + ", expected about " + Duration.ofNanos(YEARS_100));
    }

    @Test
    void shouldSayHowFarTheStoreIsAheadAndGoOnFromThere() {
        long wrongNs = nowNs() + YEARS_100;
        try (Loom loom = Loom.open(LoomConfig.at(store).clock(() -> wrongNs).build())) {
            loom.push(loom.defineSource("events", Formats.bytes()), new byte[8]);
            assertEquals(Duration.ZERO, loom.info().clockAhead(), "a clock of one's own is what it is");
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            ahead(reader);
        }
        try (Loom loom = Loom.open(LoomConfig.at(store).build());
                LoomReader reader = LoomReader.attach(store)) {
            ahead(loom);
            ahead(reader);
            int source = loom.source("events").orElseThrow().id();
            loom.push(source, new byte[8]);
            long first;
            try (Snapshot snapshot = loom.snapshot()) {
                first = snapshot.lastTimeNs();
            }
            assertTrue(first > wrongNs, "times never decrease");
            loom.push(source, new byte[8]);
            try (Snapshot snapshot = loom.snapshot()) {
                assertTrue(snapshot.lastTimeNs() > first, "and go on");
                assertEquals(3, snapshot.statistics(source).records());
            }
        }
    }

    @Test
    void shouldSayNothingWhenTheStoreIsNotAhead() {
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            assertEquals(Duration.ZERO, loom.info().clockAhead());
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            assertEquals(Duration.ZERO, reader.info().clockAhead());
        }
    }
}
