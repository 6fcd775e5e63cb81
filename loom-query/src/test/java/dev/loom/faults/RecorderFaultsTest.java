package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.Recorder;
import dev.loom.StorageOption;
import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.api.RecorderClaim;
import dev.loom.api.Snapshot;
import dev.loom.api.StoreInfo;
import dev.loom.error.StoreIoException;
import dev.loom.faults.FaultyStorage.Call;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.TimeRange;
import dev.loom.record.OwnRecord;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A recorder whose disk fails, or whose threads end. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecorderFaultsTest {
    private static final PayloadFormat BYTES = Formats.parse("bytes");
    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int RING_BYTES = 1 << 16;

    private final FaultyStorage storage = new FaultyStorage();
    private final AtomicLong clock = new AtomicLong(1_000_000);
    private final byte[] payload = new byte[100];

    @TempDir
    Path temp;

    private Path store() {
        return temp.resolve("store");
    }

    /** Its clock counts its readings. */
    private Loom open(Storage access, Pressure pressure) {
        return Loom.open(StorageOption.with(
                        PushingProcess.config(store())
                                .clock(clock::incrementAndGet)
                                .pressure(pressure),
                        access)
                .build());
    }

    private Recorder start(Duration closeTimeout) {
        return Recorder.on(open(storage, Pressure.WAIT))
                .ringBytes(RING_BYTES)
                .closeTimeout(closeTimeout)
                .start();
    }

    /** Fills the store's ring and then the recorder's, as the disk takes nothing. Returns how many records they took. */
    private int fill(Recorder recorder, int id) {
        storage.fail(Call.WRITE, 1, true);
        int taken = 0;
        long waits = 0;
        // the writer may make room for some more, until it waits itself
        while (waits == 0 || recorder.usedBytes() < RING_BYTES - 1_000) {
            taken += recorder.offer(id, payload) == 0 ? 1 : 0;
            waits = recorder.waits();
        }
        return taken;
    }

    private static long dropped(Recorder recorder, int id) {
        long dropped = 0;
        for (LossReason reason : LossReason.values()) {
            dropped += recorder.dropped(id, reason);
        }
        return dropped;
    }

    private static long lost(Snapshot snapshot, int id, TimeRange range) {
        try (QueryCursor cursor = RawScan.of(snapshot, id).range(range).open()) {
            while (cursor.next()) {
                // to the end
            }
            return cursor.completeness().lost();
        }
    }

    private static long lostNow(Recorder recorder, int id) {
        try (Snapshot snapshot = recorder.snapshot()) {
            return lost(snapshot, id, TimeRange.ALL);
        }
    }

    @Test
    void shouldFollowEachPolicyWhileTheDiskFailsAndGoOnWhenItIsWell() {
        Recorder recorder = start(LONG);
        int refuses = recorder.defineSource("refuses", BYTES);
        int waits = recorder.defineSource("waits", BYTES, Map.of(), DropPolicy.waitUpTo(Duration.ofMillis(2)));
        int samples = recorder.defineSource("samples", BYTES, Map.of(), DropPolicy.sample(10, 0));
        long taken = fill(recorder, refuses);
        long droppedBefore = dropped(recorder, refuses);

        long fromNs = clock.get() + 1;
        for (int i = 0; i < 20; i++) {
            assertEquals(PushStatus.DROPPED, recorder.offer(refuses, new byte[1_000]));
        }
        long toNs = clock.get() + 1;
        long waitingFromNs = System.nanoTime();
        assertEquals(PushStatus.DROPPED, recorder.offer(waits, new byte[1_000]));
        assertTrue(System.nanoTime() - waitingFromNs >= 2_000_000);
        recorder.dropPolicy(waits, DropPolicy.waitUpTo(Duration.ofHours(1)));
        Thread.currentThread().interrupt();
        assertEquals(PushStatus.DROPPED, recorder.offer(waits, new byte[1_000]), "interrupted");
        assertTrue(Thread.interrupted());
        List<Long> told = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            told.add(recorder.offer(samples, new byte[1_000]));
        }
        assertEquals(
                27, told.stream().filter(status -> status == PushStatus.SAMPLED).count());
        assertEquals(
                3, told.stream().filter(status -> status == PushStatus.DROPPED).count());
        for (int i = 0; i < 3; i++) {
            assertEquals(PushStatus.DROPPED, told.get(i * 10), "every tenth is to be taken, and finds it full");
        }

        // though the log can't take a marker, readers know
        while (lostNow(recorder, samples) < 30 || lostNow(recorder, refuses) < droppedBefore + 20) {
            Thread.onSpinWait();
        }
        assertFalse(recorder.sync(Duration.ZERO));
        assertNull(recorder.failure());

        storage.heal();
        assertTrue(recorder.sync());
        assertEquals(0, recorder.offer(samples, payload), "none are left out when it is not filling");
        assertTrue(recorder.sync());
        assertEquals(taken, recorder.published(refuses));
        assertEquals(droppedBefore + 20, recorder.dropped(refuses, LossReason.RECORDER_FULL));
        assertEquals(2, recorder.dropped(waits, LossReason.RECORDER_FULL));
        assertEquals(27, recorder.dropped(samples, LossReason.SAMPLED));
        assertEquals(3, recorder.dropped(samples, LossReason.RECORDER_FULL));
        recorder.close();

        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot()) {
            assertEquals(taken, snapshot.statistics(refuses).records());
            assertEquals(droppedBefore + 20, lost(snapshot, refuses, TimeRange.ALL));
            // markers are found by their own times, which therefore can't be before the losses
            assertTrue(lost(snapshot, refuses, new TimeRange(fromNs, toNs)) >= 20);
            assertEquals(0, lost(snapshot, refuses, new TimeRange(toNs, Long.MAX_VALUE)));
            assertEquals(0, lost(snapshot, samples, new TimeRange(0, toNs)));
            assertEquals(2, lost(snapshot, waits, TimeRange.ALL));
            assertEquals(Map.of(LossReason.RECORDER_FULL, 3L, LossReason.SAMPLED, 27L), marked(snapshot, samples));
            assertEquals(Map.of(LossReason.RECORDER_FULL, droppedBefore + 20), marked(snapshot, refuses));
        }
    }

    /** What the log's markers say of a source. */
    private static Map<LossReason, Long> marked(Snapshot snapshot, int sourceId) {
        Map<LossReason, Long> marked = new java.util.EnumMap<>(LossReason.class);
        try (QueryCursor cursor = RawScan.of(snapshot, 0).open()) {
            while (cursor.next()) {
                DirectBuffer buffer = cursor.buffer();
                int offset = cursor.offset();
                if (OwnRecord.kind(buffer, offset) == OwnRecord.LOSS && OwnRecord.source(buffer, offset) == sourceId) {
                    assertTrue(OwnRecord.lossFirstNs(buffer, offset) <= OwnRecord.lossLastNs(buffer, offset));
                    assertTrue(OwnRecord.lossLastNs(buffer, offset) <= cursor.timeNs());
                    marked.merge(
                            LossReason.ofCode(OwnRecord.reason(buffer, offset)),
                            OwnRecord.lost(buffer, offset),
                            Long::sum);
                }
            }
        }
        return marked;
    }

    @Test
    void shouldForceWhatWasOfferedOrSayWhyNot() {
        try (Recorder recorder = start(LONG)) {
            int id = recorder.defineSource("a", BYTES);
            assertEquals(0, recorder.offer(id, payload));
            assertTrue(recorder.force(LONG));
            assertDurable(recorder);
            for (Call call : new Call[] {Call.FORCE, Call.WRITE}) {
                storage.fail(call, 1, true);
                assertEquals(0, recorder.offer(id, payload));
                StoreIoException refused = assertThrows(StoreIoException.class, () -> recorder.force(LONG));
                assertTrue(String.valueOf(refused.getMessage()).contains("injected failure"), refused::toString);
                assertEquals(0, recorder.offer(id, payload), "it goes on");
                storage.heal();
                assertTrue(recorder.force(LONG));
                assertDurable(recorder);
            }
            assertEquals(5, recorder.published(id));
            assertTrue(recorder.force(LONG), "with nothing new");
        }
    }

    @Test
    void shouldSayWhatTheDiskSaysWhenItLeavesNoRoom() {
        try (Recorder recorder = start(LONG)) {
            int id = recorder.defineSource("a", BYTES);
            storage.fail(Call.WRITE, 1, true, file -> file.toString().endsWith(".seg"));
            while (recorder.waits() == 0 || recorder.info().failure().isEmpty()) {
                recorder.offer(id, payload);
            }
            StoreIoException refused =
                    assertThrows(StoreIoException.class, () -> recorder.force(Duration.ofMillis(100)));
            assertTrue(String.valueOf(refused.getMessage()).contains("injected failure"), refused::toString);
            storage.heal();
            assertTrue(recorder.force(LONG));
        }
    }

    private static void assertDurable(Recorder recorder) {
        StoreInfo info = recorder.info();
        assertEquals(info.records().tail(), info.records().durable());
    }

    @Test
    void shouldReportWhatItCouldNotStoreWhenClosedOnAFailingDisk() {
        Recorder recorder = start(Duration.ofMillis(50));
        int id = recorder.defineSource("source", BYTES);
        long taken = fill(recorder, id);
        StoreIoException failure = assertThrows(StoreIoException.class, recorder::close);
        recorder.close();
        long lost = recorder.dropped(id, LossReason.CLOSED);
        assertTrue(lost > 0);
        assertTrue(failure.getMessage().contains("lost=" + lost), failure.getMessage());
        assertEquals(taken, recorder.published(id) + lost);
        assertEquals(PushStatus.CLOSED, recorder.offer(id, payload));
        storage.heal();
        try (Loom loom = open(storage, Pressure.WAIT);
                Snapshot snapshot = loom.snapshot()) {
            assertEquals(recorder.published(id), snapshot.statistics(id).records());
        }
    }

    @Test
    void shouldCountWhatAStoreDropsThatDoesNotWait() {
        Recorder recorder = Recorder.on(open(storage, Pressure.DROP_NEWEST))
                .ringBytes(RING_BYTES)
                .start();
        int id = recorder.defineSource("source", BYTES, Map.of(), DropPolicy.waitUpTo(LONG));
        storage.fail(Call.WRITE, 1, true);
        int offered = 0;
        while (recorder.dropped(id, LossReason.STORE_FULL) < 100) {
            assertEquals(0, recorder.offer(id, payload));
            offered++;
        }
        assertTrue(recorder.sync());
        assertEquals(offered, recorder.published(id) + recorder.dropped(id, LossReason.STORE_FULL));
        assertEquals(recorder.dropped(id, LossReason.STORE_FULL), lostNow(recorder, id));
        storage.heal();
        recorder.close();
    }

    /** Storage whose writes fail as nobody expects. */
    private static Storage failing(AtomicBoolean armed) {
        Storage disk = new FaultyStorage();
        return (Storage) Proxy.newProxyInstance(
                Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, (proxy, method, arguments) -> {
                    Object result = invoke(disk, method, arguments);
                    return result instanceof LoomFile file ? failingFile(file, armed) : result;
                });
    }

    private static LoomFile failingFile(LoomFile file, AtomicBoolean armed) {
        return (LoomFile) Proxy.newProxyInstance(
                LoomFile.class.getClassLoader(), new Class<?>[] {LoomFile.class}, (proxy, method, arguments) -> {
                    if (armed.get() && method.getName().equals("write")) {
                        throw new IllegalStateException("injected failure");
                    }
                    return invoke(file, method, arguments);
                });
    }

    private static Object invoke(Object target, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Test
    void shouldGoOnWhenWritesFailedAsNobodyExpects() {
        AtomicBoolean armed = new AtomicBoolean();
        Recorder recorder = Recorder.on(open(failing(armed), Pressure.WAIT))
                .ringBytes(RING_BYTES)
                .closeTimeout(LONG)
                .start();
        int id = recorder.defineSource("source", BYTES, Map.of(), DropPolicy.refuse());
        armed.set(true);
        int taken = 100; // which the store's ring has room for: a recorder that waits for room answers no force
        for (int i = 0; i < taken; i++) {
            assertEquals(0, recorder.offer(id, payload));
        }
        assertThrows(StoreIoException.class, () -> recorder.force(Duration.ofMinutes(1)));
        String error = recorder.info().failure().orElseThrow();
        assertTrue(error.contains("injected failure"), error);
        armed.set(false);
        assertTrue(recorder.force(LONG), error);
        assertNull(recorder.failure());
        assertEquals(0, recorder.dropped(id, LossReason.FAILED));
        assertEquals(taken, recorder.published(id));
        recorder.close();
    }

    @Test
    void shouldGoOnWithoutAThreadThatEndsWithAnOpenClaim() throws InterruptedException {
        Recorder recorder = start(LONG);
        int id = recorder.defineSource("source", BYTES, Map.of(), DropPolicy.waitUpTo(LONG));
        for (int i = 1; i <= 20; i++) {
            Thread dies = new Thread(() -> assertEquals(0, recorder.newClaim().claim(id, 1_000)));
            dies.start();
            dies.join();
            for (int record = 0; record < 500; record++) {
                assertEquals(0, recorder.offer(id, payload), "the ring goes on");
            }
            assertTrue(recorder.sync());
            assertEquals(i, recorder.dropped(id, LossReason.ABANDONED));
            assertEquals(i, lostNow(recorder, id));
        }
        assertEquals(20 * 500, recorder.published(id));
        recorder.close();
        try (LoomReader reader = LoomReader.attach(store());
                Snapshot snapshot = reader.snapshot()) {
            assertEquals(Map.of(LossReason.ABANDONED, 20L), marked(snapshot, id));
        }
    }

    /** It may still be writing into it. */
    @Test
    void shouldLeaveAClaimToAThreadThatLives() {
        Recorder recorder = start(Duration.ofMillis(20));
        int id = recorder.defineSource("source", BYTES);
        RecorderClaim claim = recorder.newClaim();
        assertEquals(0, claim.claim(id, 100));
        for (int i = 0; i < 10; i++) {
            assertEquals(0, recorder.offer(id, payload));
        }
        assertFalse(recorder.sync(Duration.ofMillis(20)));
        assertEquals(0, recorder.published(id));
        claim.buffer().setMemory(0, 100, (byte) 1);
        assertEquals(0, claim.commit());
        assertThrows(IndexOutOfBoundsException.class, () -> claim.buffer().putByte(0, (byte) 2), "after its commit");
        assertTrue(recorder.sync());
        assertEquals(11, recorder.published(id));

        assertEquals(0, claim.claim(id, 100));
        for (int i = 0; i < 10; i++) {
            assertEquals(0, recorder.offer(id, payload));
        }
        StoreIoException failure = assertThrows(StoreIoException.class, recorder::close);
        assertTrue(failure.getMessage().contains("lost=1"), failure.getMessage());
        assertEquals(21, recorder.published(id), "those behind it are stored");
        assertEquals(PushStatus.CLOSED, claim.commit());
        claim.close();
        claim.close();
        assertEquals(PushStatus.CLOSED, recorder.newClaim().claim(id, 1));
    }

    @Test
    void shouldGiveBackItsRoomWhenAPayloadCanNotBeRead() {
        try (Recorder recorder = start(LONG)) {
            int id = recorder.defineSource("source", BYTES);
            UnsafeBuffer bytes = new UnsafeBuffer(payload);
            AtomicInteger checks = new AtomicInteger();
            DirectBuffer failing = (DirectBuffer) Proxy.newProxyInstance(
                    DirectBuffer.class.getClassLoader(),
                    new Class<?>[] {DirectBuffer.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("boundsCheck") && checks.getAndIncrement() > 0) {
                            throw new InternalError("a fault in mapped memory");
                        }
                        return method.invoke(bytes, arguments);
                    });
            assertThrows(InternalError.class, () -> recorder.offer(id, failing, 0, 100));
            assertEquals(0, recorder.offer(id, payload));
            assertTrue(recorder.sync());
            assertEquals(1, recorder.published(id));
            assertEquals(0, dropped(recorder, id));
        }
    }
}
