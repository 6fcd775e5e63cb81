package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.Recorder;
import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.api.RecorderClaim;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What goes into a recorder by many threads, and what comes out of its store. {@code -Dloom.rounds=N}, {@code -Dloom.test.seed=S}
 * and {@code -Dloom.records=N} make it longer.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecorderTest {
    private static final PayloadFormat BYTES = Formats.parse("bytes");
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int RING_BYTES = 1 << 16;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());

    @TempDir
    Path temp;

    private static long monotonicNs() {
        return 1_700_000_000_000_000_000L + System.nanoTime();
    }

    private Loom open(String name) {
        return Loom.open(PushingProcess.config(temp.resolve(name))
                .clock(RecorderTest::monotonicNs)
                .build());
    }

    private static Recorder.Builder recorder(Loom loom) {
        return Recorder.on(loom).ringBytes(RING_BYTES).closeTimeout(LONG);
    }

    @Test
    void shouldAccountForEveryRecordOfEveryThread() throws InterruptedException {
        int rounds = Integer.getInteger("loom.rounds", 3);
        int records = Integer.getInteger("loom.records", 20_000);
        System.out.println("RecorderTest: -Dloom.test.seed=" + seed + " rounds=" + rounds);
        for (int round = 0; round < rounds; round++) {
            Path store = temp.resolve("store-" + round);
            RecorderOracle oracle;
            int[] ids;
            try (Recorder recorder = recorder(open("store-" + round)).start()) {
                oracle = new RecorderOracle(recorder, seed + round, RecorderTest::monotonicNs);
                ids = defineOfEachPolicy(recorder);
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < 2 * ids.length; i++) {
                    threads.add(new Thread(oracle.producer(ids[i % ids.length], records)));
                }
                threads.forEach(Thread::start);
                for (Thread thread : threads) {
                    thread.join();
                }
                assertTrue(recorder.sync());
                try (Snapshot snapshot = recorder.snapshot()) {
                    for (int id : ids) {
                        assertEquals(oracle.told(id, 0), oracle.checkRecords(snapshot, id));
                        oracle.checkCounts(snapshot, id, 0);
                    }
                }
                assertEquals(2L * records, oracle.told(ids[1], 0), "of the source that waits");
                assertEquals(0, recorder.usedBytes());
            }
            try (LoomReader reader = LoomReader.attach(store);
                    Snapshot snapshot = reader.snapshot()) {
                for (int id : ids) {
                    oracle.checkRecords(snapshot, id);
                    oracle.checkCounts(snapshot, id, 0);
                }
            }
        }
    }

    private static int[] defineOfEachPolicy(Recorder recorder) {
        return new int[] {
            recorder.defineSource("refuses", BYTES),
            recorder.defineSource("waits", BYTES, Map.of(), DropPolicy.waitUpTo(Duration.ofHours(1))),
            recorder.defineSource("samples", BYTES, Map.of(), DropPolicy.sample(7, 0.3))
        };
    }

    @Test
    void shouldStoreAllThatWasTakenWhenItIsClosedMeanwhile() throws InterruptedException {
        long[] refusals = new long[3]; // in a round, a producer may have offered all before
        for (int round = 0; round < Integer.getInteger("loom.rounds", 3) * 5; round++) {
            Path store = temp.resolve("closed-" + round);
            Recorder recorder = recorder(open("closed-" + round)).start();
            RecorderOracle oracle = new RecorderOracle(recorder, seed + round, RecorderTest::monotonicNs);
            int[] ids = defineOfEachPolicy(recorder);
            List<Thread> threads = new ArrayList<>();
            for (int id : ids) {
                threads.add(new Thread(oracle.producer(id, 300_000)));
            }
            threads.forEach(Thread::start);
            while (recorder.published(ids[1]) < 50L * round) {
                Thread.onSpinWait();
            }
            recorder.close();
            recorder.close();
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(PushStatus.CLOSED, recorder.offer(ids[0], new byte[1]));
            try (LoomReader reader = LoomReader.attach(store);
                    Snapshot snapshot = reader.snapshot()) {
                assertFalse(snapshot.live());
                for (int i = 0; i < ids.length; i++) {
                    long refused = oracle.told(ids[i], PushStatus.CLOSED);
                    refusals[i] += refused;
                    assertEquals(i == 0 ? refused + 1 : refused, recorder.dropped(ids[i], LossReason.CLOSED));
                    oracle.checkRecords(snapshot, ids[i]);
                    oracle.checkCounts(snapshot, ids[i], 1);
                }
            }
        }
        for (long refused : refusals) {
            assertTrue(refused > 0);
        }
    }

    @Test
    void shouldRaiseATimeNoFurtherThanOrderDemands() {
        long[] times = {100, 70, 100, 130, 129};
        AtomicLong calls = new AtomicLong(-2); // opening takes two
        Loom loom = Loom.open(PushingProcess.config(temp.resolve("times"))
                .clock(() -> times[(int) Math.max(0, calls.getAndIncrement())])
                .build());
        try (Recorder recorder = recorder(loom).start()) {
            calls.set(0);
            int id = recorder.defineSource("source", BYTES);
            for (int i = 0; i < times.length; i++) {
                assertEquals(0, recorder.offer(id, new byte[] {(byte) i}));
            }
            assertTrue(recorder.sync());
            assertEquals(2, recorder.raised());
            assertEquals(Duration.ofNanos(30), recorder.raisedMax());
            try (Snapshot snapshot = recorder.snapshot()) {
                assertEquals(List.of(130L, 130L, 100L, 100L, 100L), times(snapshot, id));
            }
        }
    }

    private static List<Long> times(Snapshot snapshot, int id) {
        List<Long> times = new ArrayList<>();
        try (QueryCursor cursor = RawScan.of(snapshot, id).open()) {
            while (cursor.next()) {
                times.add(cursor.timeNs());
            }
        }
        return times;
    }

    @Test
    void shouldAllocateNothingForARecord() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Recorder recorder = recorder(open("allocation")).start();
                RecorderClaim claim = recorder.newClaim()) {
            int[] ids = defineOfEachPolicy(recorder);
            UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
            byte[] bytes = new byte[40];
            long allocated = 0;
            for (int round = 0; round < 30; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 10_000; i++) {
                    int id = ids[i % ids.length];
                    recorder.offer(id, payload, 0, 64);
                    recorder.offer(id, bytes);
                    if (claim.claim(id, 48) == 0) {
                        claim.buffer().putLong(claim.offset(), i);
                        claim.commit();
                    }
                }
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertTrue(recorder.dropped(ids[0], LossReason.RECORDER_FULL) > 0, "drops are measured too");
            assertTrue(recorder.dropped(ids[2], LossReason.SAMPLED) > 0, "and samples");
            assertTrue(allocated < 1_000, "allocated: bytes=" + allocated);
        }
    }

    @Test
    void shouldRefuseWhatCanNeverBeRight() {
        Recorder recorder = recorder(open("arguments")).start();
        int id = recorder.defineSource("source", BYTES);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[RING_BYTES]);
        assertEquals(RING_BYTES / 8 - 8, recorder.payloadLengthMax());
        assertThrows(IllegalArgumentException.class, () -> recorder.offer(id + 1, payload, 0, 8));
        assertThrows(IllegalArgumentException.class, () -> recorder.offer(0, new byte[8]));
        assertThrows(IllegalArgumentException.class, () -> recorder.offer(-1, new byte[8]));
        assertThrows(
                IllegalArgumentException.class, () -> recorder.offer(id, payload, 0, recorder.payloadLengthMax() + 1));
        assertThrows(IndexOutOfBoundsException.class, () -> recorder.offer(id, payload, RING_BYTES - 7, 8));
        assertThrows(IndexOutOfBoundsException.class, () -> recorder.offer(id, payload, 0, -1));
        assertThrows(IllegalArgumentException.class, () -> recorder.newClaim().claim(id, -1));
        assertThrows(IllegalStateException.class, () -> recorder.newClaim().commit());
        assertEquals(0, recorder.offer(id, payload, 8, recorder.payloadLengthMax()));
        assertEquals(0, recorder.offer(id, new byte[0]));
        assertTrue(recorder.sync(LONG));
        assertEquals(2, recorder.published(id));
        recorder.close();
        assertFalse(recorder.sync(), "closed");
        assertThrows(IllegalArgumentException.class, () -> recorder.offer(id + 1, payload, 0, 8));
    }

    @Test
    void shouldDefineAndCloseWhileRecordsCome() throws InterruptedException {
        Recorder recorder = recorder(open("schema")).start();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String name = "source-" + i;
            threads.add(new Thread(() -> defineAndClose(recorder, name)));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        try (Snapshot snapshot = recorder.snapshot()) {
            assertEquals(60, snapshot.sources().size());
            snapshot.sources().forEach(source -> {
                assertTrue(source.closed());
                assertEquals(500, snapshot.statistics(source.id()).records());
                assertEquals(500, recorder.published(source.id()));
                assertEquals(1, recorder.dropped(source.id(), LossReason.SOURCE_CLOSED));
                assertEquals(0, RecorderOracle.lost(snapshot, source.id()), "its caller was told");
            });
        }
        recorder.close();
    }

    private static void defineAndClose(Recorder recorder, String name) {
        for (int i = 0; i < 20; i++) {
            int id = recorder.defineSource(name, BYTES, Map.of(), DropPolicy.waitUpTo(LONG));
            int index = recorder.defineIndex(
                    id,
                    "first",
                    IndexFunction.of(
                            "first",
                            ValueType.I64,
                            ValueUnit.NONE,
                            (buffer, offset, length, value) -> value.setInteger(1)),
                    Bins.logLinear());
            for (int record = 0; record < 500; record++) {
                assertEquals(0, recorder.offer(id, new byte[100]));
            }
            recorder.closeIndex(index);
            recorder.closeSource(id);
            assertEquals(PushStatus.SOURCE_CLOSED, recorder.offer(id, new byte[1]));
        }
    }

    @Test
    void shouldTakeRecordsOfSourcesThatTheStoreHad() {
        int id;
        try (Loom loom = open("again")) {
            id = loom.defineSource("source", BYTES);
        }
        try (Recorder recorder = recorder(open("again")).start()) {
            recorder.dropPolicy(id, DropPolicy.waitUpTo(LONG));
            assertEquals(0, recorder.offer(id, new byte[5]));
            assertTrue(recorder.sync());
            assertEquals(1, recorder.published(id));
        }
    }
}
