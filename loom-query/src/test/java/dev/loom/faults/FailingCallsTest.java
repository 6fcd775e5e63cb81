package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StorageOption;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.faults.FaultyStorage.Call;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every call to the file system fails once, or from then on: errors are typed, nothing published is lost, nothing hangs.
 * {@code -Dloom.stride=1} fails each call of an opening in both ways, the default every 17th of those, other ones in each run.
 * {@code -Dloom.rounds=N} does so for {@code N} stores, all but the first of random sizes. {@code -Dloom.test.seed=S} repeats a run.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailingCallsTest {
    private static final long SEED = 7;
    private static final int SOURCES = 3;

    /** Odd, so that a sample has both ways to fail. */
    private static final int STRIDE = Integer.getInteger("loom.stride", 17);

    /** In which state a store is opened. */
    enum Before {
        ABSENT,
        CLOSED,
        ABANDONED
    }

    private final FaultyStorage storage = new FaultyStorage();
    private final StoreOracle oracle = new StoreOracle(SEED, SOURCES);
    private final long[] counts = new long[SOURCES];
    private final byte[][] pending = new byte[SOURCES][];
    private Pressure pressure = Pressure.WAIT;
    private int records = 600;
    private int injected;
    private long compared;

    @TempDir
    Path temp;

    private Loom open(Path directory) {
        LoomConfig.Builder builder = PushingProcess.config(directory)
                .stagingDirectory(temp.resolve("staging"))
                .pressure(pressure);
        return Loom.open(StorageOption.with(builder, storage).build());
    }

    private void push(Loom loom, int records) {
        int[] ids = oracle.define(loom);
        for (int i = 0; i < records; i++) {
            int source = i % SOURCES;
            assertTrue(loom.push(ids[source], CheckedPayload.make(SEED, source, counts[source])) >= 0);
            counts[source]++;
        }
    }

    /** Leaves the store as a killed process would: nothing more reaches the disk, staging stays. */
    private void abandon(Loom loom) {
        storage.fail(Call.WRITE, 1, true);
        assertThrows(StoreIoException.class, loom::close);
        storage.heal();
    }

    private Path prepare(Before before, String name) {
        Path directory = temp.resolve(name);
        java.util.Arrays.fill(counts, 0);
        storage.heal();
        if (before != Before.ABSENT) {
            Loom loom = open(directory);
            push(loom, records);
            if (before == Before.CLOSED) {
                loom.close();
            } else {
                abandon(loom);
            }
        }
        return directory;
    }

    @ParameterizedTest
    @EnumSource(Before.class)
    void shouldOpenAgainWhenOpeningFailed(Before before) throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("FailingCallsTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        int rounds = Integer.getInteger("loom.rounds", 1);
        for (int round = 0; round < rounds; round++) {
            openWithFailures(before, "round" + round, random);
            records = 1 + random.nextInt(2_000);
        }
        assertTrue(injected > 0, "no call failed: store=" + before);
        System.out.println("row=R14 faults=" + injected + " checked=" + compared + " seed=" + seed + " store=" + before
                + " rounds=" + rounds);
    }

    private void openWithFailures(Before before, String round, Random random) throws IOException {
        Path folder = Path.of(round);
        Path first = prepare(before, folder.resolve("measured").toString());
        Map<Call, Integer> calls = new EnumMap<>(Call.class);
        Loom measured = open(first);
        for (Call call : Call.values()) {
            calls.put(call, storage.calls(call));
        }
        measured.close();
        int[] turn = {random.nextInt(STRIDE)};
        calls.forEach((call, number) -> {
            for (int way = 0; way < 2 * number; way++) {
                if (turn[0]++ % STRIDE == 0) {
                    openWithFailure(before, folder, call, 1 + way / 2, way % 2 == 0);
                }
            }
        });
        PowerCutTest.delete(temp.resolve(round));
    }

    private void openWithFailure(Before before, Path folder, Call call, int nth, boolean sticky) {
        String what = before + "-" + call + "-" + nth + "-" + sticky;
        Path directory = prepare(before, folder.resolve(what).toString());
        storage.fail(call, nth, sticky);
        Loom opened = null;
        try {
            opened = open(directory);
        } catch (LoomException e) {
            assertTrue(storage.failures() > 0, () -> what + " failed by itself: " + e);
        }
        injected += storage.failures() > 0 ? 1 : 0;
        storage.heal();
        if (opened != null) {
            opened.close();
        }
        try (Loom loom = open(directory)) {
            assertArrayEquals(counts, oracle.count(loom), what);
            push(loom, 10);
        }
        assertArrayEquals(counts, oracle.count(directory), what);
        compared += LongStream.of(counts).sum();
        assertEquals(0, staged(), "staging left behind: " + what);
    }

    @Test
    void shouldLeaveNoStagingWhenItsDeletionFailedHalfWay() {
        for (int nth = 1; nth <= 10; nth++) {
            openWithFailure(Before.ABANDONED, Path.of("."), Call.DELETE, nth, false);
        }
        assertTrue(injected > 7, "each file of the staging, and its directory: failures=" + injected);
    }

    private long staged() {
        String[] entries = temp.resolve("staging").toFile().list();
        return entries == null ? 0 : entries.length;
    }

    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"OPEN_TO_WRITE", "WRITE", "FORCE", "SYNC_DIRECTORY"})
    void shouldFindAllAgainWhenClosingFailed(Call call) {
        for (int nth = 1; nth <= 3; nth++) {
            Path directory = prepare(Before.CLOSED, "close-" + nth);
            Loom loom = open(directory);
            push(loom, 900);
            storage.fail(call, nth, true);
            boolean failed = false;
            try {
                loom.close();
            } catch (StoreIoException e) {
                failed = true;
            }
            assertEquals(storage.failures() > 0, failed, "closing tells of a failure");
            storage.heal();
            assertArrayEquals(counts, oracle.count(directory), "attached");
            open(directory).close();
            assertArrayEquals(counts, oracle.count(directory), "recovered");
        }
    }

    @Test
    void shouldNeverCallDurableWhatFailedToSync() {
        Loom loom = open(temp.resolve("store"));
        push(loom, 300);
        loom.force();
        long durable = loom.info().records().durable();
        push(loom, 300);
        storage.fail(Call.FORCE, 1, true, file -> file.toString().endsWith(".seg"));
        assertThrows(StoreIoException.class, loom::force);
        push(loom, 300);
        assertThrows(StoreIoException.class, loom::force);
        assertEquals(durable, loom.info().records().durable());
        assertTrue(loom.info().session().orElseThrow().durabilityFailed());
        assertThrows(StoreIoException.class, loom::close);
        assertArrayEquals(counts, oracle.count(temp.resolve("store")));
        storage.heal();
        open(temp.resolve("store")).close();
        assertArrayEquals(counts, oracle.count(temp.resolve("store")));
    }

    @Test
    void shouldWriteAgainWhatFailedToSync() {
        Path directory = temp.resolve("store");
        Loom loom = open(directory);
        push(loom, 300);
        loom.force();
        long durable = loom.info().records().durable();
        push(loom, 2_000);
        storage.fail(Call.FORCE, 1, false, file -> file.toString().endsWith(".seg"));
        assertThrows(StoreIoException.class, loom::force);
        storage.fail(Call.TRUNCATE, Integer.MAX_VALUE, false, file -> isSegmentFrom(file, durable));
        loom.force();
        long evicted = loom.info().records().evicted();
        assertEquals(evicted, loom.info().records().durable());
        assertFalse(loom.info().session().orElseThrow().durabilityFailed());
        assertTrue(storage.calls(Call.WRITE) > 0, "nothing was written again");
        loom.close();
        assertArrayEquals(counts, oracle.count(directory));
    }

    @Test
    void shouldWriteAgainWhenRecoveringWhatFailedToSync() {
        Path directory = temp.resolve("store");
        Loom loom = open(directory);
        push(loom, 300);
        loom.force();
        push(loom, 2_000);
        storage.fail(Call.FORCE, 1, true, file -> file.toString().endsWith(".seg"));
        assertThrows(StoreIoException.class, loom::force);
        assertThrows(StoreIoException.class, loom::close);
        long durable = durable(directory);
        storage.heal();
        storage.fail(Call.TRUNCATE, Integer.MAX_VALUE, false, file -> isSegmentFrom(file, durable));
        Loom recovered = open(directory);
        assertTrue(storage.calls(Call.WRITE) > 0, "nothing was written again");
        assertTrue(storage.calls(Call.FORCE) > 0, "nothing was synced again");
        storage.heal();
        assertArrayEquals(counts, oracle.count(recovered));
        recovered.close();
    }

    private static long durable(Path directory) {
        try (LoomReader reader = LoomReader.attach(directory)) {
            return reader.info().records().durable();
        }
    }

    private static boolean isSegmentFrom(Path file, long address) {
        String name = file.getFileName().toString();
        return file.getParent().endsWith("record")
                && name.endsWith(".seg")
                && Long.parseLong(name.substring(0, 20)) >= address;
    }

    @Test
    void shouldWaitAndGoOnWhenWritesFailForAWhile() throws InterruptedException {
        Loom loom = open(temp.resolve("store"));
        int[] ids = oracle.define(loom);
        storage.fail(Call.WRITE, 1, true);
        offerUntilRefused(loom, ids);
        assertThrows(StoreIoException.class, loom::force);
        loom.releaseWriter();
        long before = LongStream.of(counts).sum();
        Thread pusher = new Thread(() -> push(loom, 3_000));
        pusher.start();
        while (pusher.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        pusher.interrupt();
        storage.heal();
        pusher.join();
        assertEquals(before + 3_000, LongStream.of(counts).sum(), "the pusher has ended early");
        assertTrue(loom.info().session().orElseThrow().waits() > 0);
        loom.force();
        assertArrayEquals(counts, oracle.count(loom));
        loom.close();
        assertArrayEquals(counts, oracle.count(temp.resolve("store")));
    }

    private void offerUntilRefused(Loom loom, int[] ids) {
        boolean refused = false;
        while (!refused) {
            byte[] payload = CheckedPayload.make(SEED, 0, counts[0]);
            long status = loom.offer(ids[0], new UnsafeBuffer(payload), 0, payload.length);
            refused = status == PushStatus.BACK_PRESSURED;
            counts[0] += refused ? 0 : 1;
        }
    }

    @Test
    void shouldCountAndMarkDropsWhenWritesFailForAWhile() {
        pressure = Pressure.DROP_NEWEST;
        Path directory = temp.resolve("store");
        Loom loom = open(directory);
        int[] ids = oracle.define(loom);
        long[] dropped = new long[SOURCES];
        for (int round = 0; round < 3; round++) {
            storage.fail(Call.WRITE, 1, true, file -> file.toString().endsWith(".seg"));
            for (int i = 0; i < 6_000; i++) {
                pushOrDrop(loom, ids, i % SOURCES, dropped);
            }
            storage.heal();
            loom.force();
            for (int i = 0; i < 300; i++) {
                pushOrDrop(loom, ids, i % SOURCES, dropped);
            }
            checkLosses(loom.snapshot(), dropped);
        }
        storage.fail(Call.WRITE, 1, true, file -> file.toString().endsWith(".seg"));
        for (int i = 0; i < 6_000; i++) {
            pushOrDrop(loom, ids, i % SOURCES, dropped);
        }
        assertThrows(StoreIoException.class, loom::close, "closing must not wait for a disk that fails");
        storage.heal();
        try (LoomReader reader = LoomReader.attach(directory)) {
            checkLosses(reader.snapshot(), dropped);
        }
        open(directory).close();
        try (LoomReader reader = LoomReader.attach(directory)) {
            checkLosses(reader.snapshot(), dropped);
        }
        assertTrue(dropped[0] > 0);
    }

    private void pushOrDrop(Loom loom, int[] ids, int source, long[] dropped) {
        // the same record is tried again until it is taken, so that the sequences have no hole
        byte[] payload = pending[source];
        pending[source] = payload == null ? CheckedPayload.make(SEED, source, counts[source]) : payload;
        long status = loom.push(ids[source], pending[source]);
        if (status >= 0) {
            counts[source]++;
            pending[source] = null;
        } else {
            assertEquals(PushStatus.DROPPED, status);
            dropped[source]++;
        }
    }

    private void checkLosses(Snapshot open, long[] dropped) {
        try (Snapshot snapshot = open) {
            for (int i = 0; i < SOURCES; i++) {
                Source source = snapshot.source(StoreOracle.name(i)).orElseThrow();
                assertEquals(counts[i], snapshot.statistics(source.id()).records());
                assertEquals(dropped[i], snapshot.statistics(source.id()).lost(), "lost by statistics");
                try (QueryCursor cursor = RawScan.of(snapshot, source).open()) {
                    assertEquals(dropped[i], cursor.completeness().lost(), "lost by markers");
                }
            }
        }
    }
}
