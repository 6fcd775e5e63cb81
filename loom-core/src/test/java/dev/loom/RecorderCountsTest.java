package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import dev.loom.api.Pressure;
import dev.loom.api.RecorderClaim;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is offered to a recorder is in the store or counted as lost: once, and nowhere else. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RecorderCountsTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    @TempDir
    Path temp;

    private volatile boolean full;

    /** A disk that takes no pages while it is full. */
    private final HookedStorage storage = new HookedStorage() {
        @Override
        protected void onWrite(Path file, long position, boolean direct) {
            if (full && file.toString().endsWith(".seg")) {
                throw new StoreIoException("injected failure: no space left: file=" + file);
            }
        }
    };

    private static Source.Statistics statistics(Store store, int source) {
        try (Snapshot snapshot = store.snapshot()) {
            return snapshot.statistics(source);
        }
    }

    private Loom open(Pressure pressure) {
        return StoreAccess.open(temp.resolve("store"), storage, builder -> builder.pressure(pressure));
    }

    @Test
    void shouldPublishAClaimOnce() {
        try (Loom loom = open(Pressure.WAIT);
                Recorder recorder = Recorder.on(loom).start()) {
            int source = recorder.defineSource("source", Formats.bytes());
            try (RecorderClaim claim = recorder.newClaim()) {
                for (int i = 1; i <= 3; i++) {
                    assertEquals(0, claim.claim(source, 8));
                    claim.buffer().putLong(0, i);
                    assertEquals(0, claim.commit());
                    assertThrows(IllegalStateException.class, claim::commit);
                    assertThrows(IllegalStateException.class, claim::abort);
                    assertTrue(recorder.sync());
                    assertEquals(i, recorder.published(source));
                    assertEquals(i, statistics(recorder, source).records());
                }
                assertEquals(0, claim.claim(source, 8));
                claim.abort();
                assertThrows(IllegalStateException.class, claim::commit);
            }
            assertTrue(recorder.sync());
            assertEquals(3, recorder.published(source));
            assertEquals(3, statistics(recorder, source).records());
        }
    }

    @Test
    void shouldWaitForAnyLengthOfTime() {
        Duration forever = ChronoUnit.FOREVER.getDuration();
        try (Recorder recorder = Recorder.on(open(Pressure.WAIT)).start()) {
            int source = recorder.defineSource("source", Formats.bytes());
            assertEquals(0, recorder.offer(source, new byte[1]));
            assertTrue(recorder.sync(forever));
            assertTrue(recorder.force(forever));
            assertTrue(recorder.rebuildIndexes(forever));
        }
    }

    @Test
    void shouldCountOnceWhatTheStoreDrops() {
        Loom loom = open(Pressure.DROP_NEWEST);
        Recorder recorder = Recorder.on(loom).ringBytes(1 << 20).start();
        int source = recorder.defineSource("source", Formats.bytes(), Map.of(), DropPolicy.waitUpTo(LONG));
        full = true;
        int offered = 200;
        for (int i = 0; i < offered; i++) {
            assertEquals(0, recorder.offer(source, new byte[10_000]));
        }
        assertTrue(recorder.sync());
        long dropped = recorder.dropped(source, LossReason.STORE_FULL);
        assertTrue(dropped > 0);
        assertEquals(offered, recorder.published(source) + dropped);
        assertEquals(recorder.published(source), statistics(recorder, source).records());
        assertEquals(dropped, statistics(recorder, source).lost());
        full = false;
        recorder.close();
        assertLost(source, dropped);
    }

    @Test
    void shouldCountOnceWhatTheRingDrops() {
        Loom loom = open(Pressure.WAIT);
        Recorder recorder = Recorder.on(loom).ringBytes(1 << 16).start();
        int source = recorder.defineSource("source", Formats.bytes(), Map.of(), DropPolicy.refuse());
        full = true;
        long refused = 0;
        int offered = 0;
        while (refused < 10) {
            refused += recorder.offer(source, new byte[7_000]) < 0 ? 1 : 0;
            offered++;
        }
        full = false;
        assertTrue(recorder.sync());
        assertEquals(refused, recorder.dropped(source, LossReason.RECORDER_FULL));
        assertEquals(offered - refused, recorder.published(source));
        assertEquals(offered - refused, statistics(recorder, source).records());
        assertEquals(refused, statistics(recorder, source).lost());
        recorder.close();
        assertLost(source, refused);
    }

    /** By the log alone, as nothing of the session is left. */
    private void assertLost(int source, long lost) {
        try (LoomReader reader = LoomReader.attach(temp.resolve("store"))) {
            assertEquals(lost, statistics(reader, source).lost());
        }
        try (Loom loom = open(Pressure.WAIT)) {
            assertEquals(lost, statistics(loom, source).lost());
        }
    }
}
