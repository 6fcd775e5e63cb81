package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.RebuildGate;
import dev.loom.Recorder;
import dev.loom.SharedWriter;
import dev.loom.StorageOption;
import dev.loom.StoreVerifier;
import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.Eviction;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo.IndexState;
import dev.loom.api.StoreInfo.RebuildProgress;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.error.SecondWriterException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.where.Where;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Indexes that are thrown away and rewritten from the records cover all of them, and go on with those that come. */
class RebuiltIndexTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:value:i64,rest:bytes");
    private static final IndexFunction VALUE = IndexFunction.field(FORMAT, "value");
    private static final IndexFunction OWN = IndexFunction.of(
            "own",
            ValueType.I64,
            ValueUnit.NONE,
            (buffer, offset, length, value) -> value.setInteger(-buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN)));
    private static final int SOURCES = 2;
    private static final int RECORDS = 20_000;
    private static final long BACKGROUND_BYTES = 1 << 20;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    /** Of the active chunk, which no index has yet; with a payload of several pages. */
    private static final int ACTIVE_PAGES_MAX = 3;

    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[100_000]);
    private final List<List<Long>> values = List.of(new ArrayList<>(), new ArrayList<>());
    private final int[] ids = new int[SOURCES];

    @TempDir
    Path temp;

    private Path store = Path.of("");

    private Loom open(boolean rebuild) {
        return Loom.open(config(rebuild).build());
    }

    private LoomConfig.Builder config(boolean rebuild) {
        return LoomConfig.at(store)
                .recordRingBytes(1 << 20)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(1 << 20)
                .eviction(Eviction.PAGE_CACHE)
                .rebuildIndexes(rebuild);
    }

    private Loom openGated(RebuildGate gate) {
        gate.reset();
        return Loom.open(StorageOption.with(config(false), gate)
                .backgroundRebuildBytes(BACKGROUND_BYTES)
                .build());
    }

    @Test
    void shouldCoverAllRecordsAndGoOn() throws IOException {
        System.out.println("RebuiltIndexTest -Dloom.test.seed=" + seed);
        store = temp.resolve("store");
        fillAndClose();
        damageIndexes();
        Path old = temp.resolve("old");
        copyIndexes(store, old);
        assertTrue(problems() > 0);
        try (Loom loom = open(true)) {
            check(loom);
            push(loom);
            check(loom);
        }
        assertEquals(0, problems());
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader);
        }
        // as if it had been killed before it deleted the old ones
        copyIndexes(old, store);
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader);
        }
        try (Loom loom = open(false)) {
            push(loom);
            check(loom);
        }
        try (Loom loom = open(true)) {
            check(loom);
        }
        assertEquals(0, problems());
    }

    @Test
    void shouldRebuildLostIndexesInTheBackgroundWhileTheWriterGoesOn() throws IOException {
        System.out.println("RebuiltIndexTest -Dloom.test.seed=" + seed);
        store = temp.resolve("store");
        fillAndClose();
        deleteIndexes();
        long rebuilt = 0;
        long to = 0;
        RebuildGate gate = new RebuildGate();
        for (int session = 0; session == 0 || rebuilt < to; session++) {
            try (Loom loom = openGated(gate)) {
                to = to == 0 ? rebuildTo(loom, 0) : to;
                assertEquals(to, rebuildTo(loom, to));
                // it goes on where it was, and is done when it was to do no more than opening does at once
                assertEquals(to - rebuilt <= BACKGROUND_BYTES ? to : rebuilt, rebuilt(loom, to));
                rebuilt = rebuilt(loom, to);
                check(loom, false);
                push(loom);
                check(loom, false);
                gate.pass(random.nextInt(200), () -> loom.info().rebuild().isPresent());
                rebuilt = rebuilt(loom, to);
                try (LoomReader reader = LoomReader.attach(store)) {
                    assertEquals(rebuilt, rebuilt(reader, to));
                    check(reader, rebuilt == to);
                }
                assertEquals(0, problems());
                assertEquals(
                        Optional.empty(), loom.info().writer().orElseThrow().rebuildFailure());
                gate.close();
            }
            assertEquals(0, problems());
            try (LoomReader reader = LoomReader.attach(store)) {
                assertEquals(rebuilt, rebuilt(reader, to));
                check(reader, rebuilt == to);
            }
        }
        assertTrue(to > 0);
        try (Loom loom = open(false)) {
            check(loom, true);
        }
        assertEquals(0, problems());
    }

    @Test
    void shouldCountEachRecordOnceWhileIndexesAreRebuilt() throws IOException {
        System.out.println("RebuiltIndexTest -Dloom.test.seed=" + seed);
        store = temp.resolve("store");
        fillAndClose();
        deleteIndexes();
        RebuildGate gate = new RebuildGate();
        try (Loom loom = openGated(gate)) {
            boolean rebuilding = true;
            while (rebuilding) {
                rebuilding = loom.info().rebuild().isPresent();
                try (Snapshot snapshot = loom.snapshot()) {
                    ProgressiveCount.Counts counts = ProgressiveCount.of(snapshot, ids[0])
                            .where(Where.parse("value is not null"))
                            .use(QueryIndex.CHUNK, random.nextBoolean())
                            .firstSample(1)
                            .run(round -> {
                                gate.pass(
                                        20 + random.nextInt(200),
                                        () -> loom.info().rebuild().isPresent());
                                return true;
                            });
                    assertTrue(counts.isExact());
                    assertEquals(values.get(0).size(), counts.count(), "seed=" + seed);
                }
                gate.pass(random.nextInt(100), () -> loom.info().rebuild().isPresent());
            }
            gate.close();
        }
    }

    @Test
    void shouldGoOnRebuildingWhenThereIsMemoryAgain() throws IOException {
        System.out.println("RebuiltIndexTest -Dloom.test.seed=" + seed);
        store = temp.resolve("store");
        fillAndClose();
        deleteIndexes();
        RebuildGate gate = new RebuildGate();
        try (Loom loom = openGated(gate)) {
            assertTrue(rebuildTo(loom, 0) > 0);
            gate.pass(random.nextInt(200), () -> loom.info().rebuild().isPresent());
            gate.failNext(3);
            push(loom);
            gate.pass(1_000_000, () -> loom.info().rebuild().isPresent());
            assertEquals(Optional.empty(), loom.info().writer().orElseThrow().rebuildFailure());
            assertEquals(Optional.empty(), loom.info().rebuild());
            check(loom, true);
        }
        assertEquals(0, problems());
    }

    @Test
    void shouldRebuildIndexesInTheBackgroundWhileTheStoreIsWritten() throws IOException {
        System.out.println("RebuiltIndexTest -Dloom.test.seed=" + seed);
        store = temp.resolve("store");
        RebuildGate gate = new RebuildGate();
        try (Loom loom = openGated(gate)) {
            defineSources(loom);
            push(loom);
            loom.defineIndex(ids[0], "value", VALUE, Bins.logLinear());
            loom.defineIndex(ids[0], "own", OWN, Bins.logLinear());
            push(loom);
            for (int again = 0; again < 2; again++) {
                try (Snapshot before = loom.snapshot();
                        LoomReader attached = LoomReader.attach(store);
                        Snapshot attachedBefore = attached.snapshot()) {
                    gate.reset();
                    loom.rebuildIndexes();
                    assertTrue(rebuilt(loom, -1) < rebuildTo(loom, -1), "" + loom.info());
                    check(before, false);
                    check(attachedBefore, false);
                    check(loom, false);
                    push(loom);
                    gate.pass(random.nextInt(100), () -> loom.info().rebuild().isPresent());
                    check(loom, false);
                    push(loom);
                    gate.pass(1_000_000, () -> loom.info().rebuild().isPresent());
                }
                assertEquals(
                        Optional.empty(), loom.info().writer().orElseThrow().rebuildFailure());
                check(loom);
                checkOwn(loom, true);
                try (LoomReader reader = LoomReader.attach(store)) {
                    check(reader);
                }
                assertEquals(0, problems());
            }
        }
        try (Loom loom = open(false)) {
            check(loom);
            push(loom);
            check(loom);
        }
        assertEquals(0, problems());
    }

    @Test
    void shouldRefuseToRebuildWhereTheWriterIsAnotherOrHasAClaim() throws Exception {
        store = temp.resolve("store");
        try (Loom loom = open(false)) {
            defineSources(loom);
            assertTrue(loom.claim(ids[0], 8) >= 0);
            assertThrows(IllegalStateException.class, loom::rebuildIndexes);
            loom.claimed().abort();
            loom.defineIndex(ids[0], "value", VALUE, Bins.logLinear());
            AtomicReference<Throwable> refused = new AtomicReference<>();
            Thread other = new Thread(() -> refused.set(assertThrows(Throwable.class, loom::rebuildIndexes)));
            other.start();
            other.join();
            assertInstanceOf(SecondWriterException.class, refused.get());
            push(loom);
            check(loom, false);
        }
        Loom closed = open(false);
        closed.close();
        assertThrows(IllegalStateException.class, closed::rebuildIndexes);
    }

    @Test
    void shouldGiveTurnsOnWhenASharedWriterRebuilds() {
        store = temp.resolve("store");
        try (SharedWriter shared = new SharedWriter(open(false))) {
            Loom loom = shared.loom();
            assertTrue(shared.acquire(Duration.ZERO));
            defineSources(loom);
            push(loom);
            loom.defineIndex(ids[0], "value", VALUE, Bins.logLinear());
            shared.release();
            shared.rebuildIndexes();
            check(loom);
            assertThrows(SecondWriterException.class, () -> loom.push(ids[0], new byte[8]));
            assertTrue(shared.acquire(Duration.ZERO));
            push(loom);
            shared.release();
            check(loom);
        }
    }

    @Test
    void shouldLoseNothingThatARecorderTakesWhileItRebuilds() throws InterruptedException {
        System.out.println("RebuiltIndexTest -Dloom.test.seed=" + seed);
        store = temp.resolve("store");
        try (Recorder recorder = Recorder.on(open(false))
                .dropPolicy(DropPolicy.waitUpTo(Duration.ofMinutes(10)))
                .start()) {
            for (int i = 0; i < SOURCES; i++) {
                ids[i] = recorder.defineSource("source-" + i, FORMAT);
            }
            offer(recorder);
            recorder.sync();
            recorder.defineIndex(ids[0], "value", VALUE, Bins.logLinear());
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread producer = new Thread(() -> offer(recorder));
            producer.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
            producer.start();
            assertTrue(recorder.rebuildIndexes(Duration.ofMinutes(10)));
            producer.join();
            assertNull(failure.get());
            offer(recorder);
            assertTrue(recorder.sync());
            check(recorder);
            assertTrue(recorder.rebuildIndexes(Duration.ofMinutes(10)));
            check(recorder);
            assertNull(recorder.failure());
        }
        assertEquals(0, problems());
    }

    private void offer(Recorder recorder) {
        for (int i = 0; i < RECORDS; i++) {
            int source = random.nextInt(SOURCES);
            long value = (long) Math.exp(12 * random.nextDouble());
            payload.putLong(0, value, ByteOrder.LITTLE_ENDIAN);
            assertEquals(0, recorder.offer(ids[source], payload, 0, 8 + random.nextInt(200)));
            values.get(source).add(value);
        }
    }

    @Test
    void shouldRebuildDamagedIndexesWhenItRecovers() throws IOException {
        System.out.println("RebuiltIndexTest -Dloom.test.seed=" + seed);
        leaveUnclosed();
        damageIndexes();
        try (Loom loom = Loom.open(config(false).adoptCopy(true).build())) {
            check(loom);
        }
        assertEquals(0, problems());
    }

    /** A store as it is after a crash. */
    private void leaveUnclosed() throws IOException {
        store = temp.resolve("store");
        try (Loom loom = open(false)) {
            defineSources(loom);
            loom.defineIndex(ids[0], "value", VALUE, Bins.logLinear());
            push(loom);
            loom.force();
            Path copy = temp.resolve("copy");
            try (Stream<Path> files = Files.walk(store)) {
                for (Path file : files.toList()) {
                    Files.copy(file, copy.resolve(store.relativize(file).toString()));
                }
            }
            store = copy;
        }
    }

    @Test
    void shouldReadThroughLargeIndexesInTheBackgroundAfterACrash() throws IOException {
        System.out.println("RebuiltIndexTest -Dloom.test.seed=" + seed);
        leaveUnclosed();
        RebuildGate gate = new RebuildGate();
        try (Loom loom = openUnchecked(gate)) {
            assertEquals(IndexState.UNCHECKED, loom.info().indexState());
            check(loom);
            passAll(gate, loom);
            assertEquals(IndexState.WHOLE, loom.info().indexState());
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            assertEquals(IndexState.WHOLE, reader.info().indexState());
        }
    }

    @Test
    void shouldRebuildAtTheNextOpeningWhatItFoundDamagedInTheBackground() throws IOException {
        System.out.println("RebuiltIndexTest -Dloom.test.seed=" + seed);
        leaveUnclosed();
        damageIndexes();
        RebuildGate gate = new RebuildGate();
        try (Loom loom = openUnchecked(gate)) {
            check(loom, false);
            passAll(gate, loom);
            assertEquals(IndexState.DAMAGED, loom.info().indexState());
            check(loom, false);
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            assertEquals(IndexState.DAMAGED, reader.info().indexState());
            check(reader, false);
        }
        try (Loom loom = open(false)) {
            assertEquals(IndexState.WHOLE, loom.info().indexState());
            check(loom);
        }
        assertEquals(0, problems());
    }

    @Test
    void shouldReadThroughIndexesAtTheNextOpeningWhenItWasClosedBefore() throws IOException {
        System.out.println("RebuiltIndexTest -Dloom.test.seed=" + seed);
        leaveUnclosed();
        damageIndexes();
        RebuildGate gate = new RebuildGate();
        try (Loom loom = openUnchecked(gate)) {
            check(loom, false);
            gate.close();
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            assertEquals(IndexState.UNCHECKED, reader.info().indexState());
        }
        try (Loom loom = open(false)) {
            check(loom);
        }
        assertEquals(0, problems());
    }

    private Loom openUnchecked(RebuildGate gate) {
        gate.reset();
        LoomConfig.Builder config = StorageOption.indexCheckBytes(config(false).adoptCopy(true), 0);
        return Loom.open(StorageOption.with(config, gate).build());
    }

    private static void passAll(RebuildGate gate, Loom loom) {
        gate.pass(1_000_000, () -> loom.info().indexState() == IndexState.UNCHECKED);
    }

    @Test
    void shouldRebuildIndexesWhoseFunctionsAreAtHand() throws IOException {
        System.out.println("RebuiltIndexTest -Dloom.test.seed=" + seed);
        store = temp.resolve("store");
        int own;
        try (Loom loom = open(false)) {
            defineSources(loom);
            loom.defineIndex(ids[0], "value", VALUE, Bins.logLinear());
            own = loom.defineIndex(ids[0], "own", OWN, Bins.logLinear());
            push(loom);
            check(loom);
            checkOwn(loom, true);
        }
        deleteIndexes();
        // one that is not at hand does not keep the others from being rewritten
        try (Loom loom = open(false)) {
            check(loom);
            assertEquals(own, loom.defineIndex(ids[0], "own", OWN, Bins.logLinear()), "its function is supplied");
            checkOwn(loom, false);
        }
        deleteIndexes();
        try (Loom loom = Loom.open(config(false).indexFunction(OWN).build())) {
            check(loom);
            checkOwn(loom, true);
            push(loom);
            checkOwn(loom, true);
        }
    }

    @Test
    void shouldRefuseAFunctionWithoutValues() {
        IndexFunction named = IndexFunction.parse("lambda:i64:1:own", FORMAT);
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> config(false).indexFunction(named));
        assertEquals("index function has no reader: function=lambda:i64:1:own", refused.getMessage());
    }

    private void checkOwn(Store attached, boolean indexed) {
        try (Snapshot snapshot = attached.snapshot()) {
            IndexedAggregate.Result totals = IndexedAggregate.of(
                            snapshot,
                            snapshot.index(ids[0], "own").orElseThrow().supply(OWN))
                    .run();
            assertEquals(values.get(0).size(), totals.count());
            assertEquals(indexed, totals.statistics().chunksRead() <= ACTIVE_PAGES_MAX, () -> "" + totals.statistics());
        }
    }

    private static long rebuilt(Store attached, long otherwise) {
        return attached.info().rebuild().map(RebuildProgress::done).orElse(otherwise);
    }

    private static long rebuildTo(Store attached, long otherwise) {
        return attached.info().rebuild().map(RebuildProgress::to).orElse(otherwise);
    }

    private void deleteIndexes() throws IOException {
        for (String log : List.of("time", "chunk")) {
            try (Stream<Path> files = Files.list(store.resolve(log))) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    private void push(Loom loom) {
        for (int i = 0; i < RECORDS; i++) {
            int source = loom.source("source-1").orElseThrow().closed() ? 0 : random.nextInt(SOURCES);
            long value = (long) Math.exp(12 * random.nextDouble());
            payload.putLong(0, value, ByteOrder.LITTLE_ENDIAN);
            loom.push(ids[source], payload, 0, i % 5_000 == 4_999 ? payload.capacity() : 8 + random.nextInt(200));
            values.get(source).add(value);
        }
    }

    private void defineSources(Loom loom) {
        for (int i = 0; i < SOURCES; i++) {
            ids[i] = loom.defineSource("source-" + i, FORMAT);
        }
    }

    /** With records from before the index was defined, and a source that is closed. */
    private void fillAndClose() {
        try (Loom loom = open(false)) {
            defineSources(loom);
            push(loom);
            loom.defineIndex(ids[0], "value", VALUE, Bins.logLinear());
            push(loom);
            loom.closeSource(ids[1]);
        }
    }

    private void damageIndexes() throws IOException {
        for (String log : List.of("time", "chunk")) {
            try (Stream<Path> files = Files.list(store.resolve(log))) {
                Path file = files.findFirst().orElseThrow();
                byte[] bytes = Files.readAllBytes(file);
                bytes[100] ^= 1;
                Files.write(file, bytes);
            }
        }
    }

    private static void copyIndexes(Path from, Path to) throws IOException {
        for (String log : List.of("time", "chunk")) {
            Files.createDirectories(to.resolve(log));
            try (Stream<Path> files = Files.list(from.resolve(log))) {
                for (Path file : files.toList()) {
                    Files.copy(file, to.resolve(log).resolve(file.getFileName().toString()));
                }
            }
        }
    }

    private long problems() {
        return StoreVerifier.verify(store, (file, offset, message) -> {}, (done, total) -> true)
                .problems();
    }

    private void check(Store attached) {
        check(attached, true);
    }

    private void check(Store attached, boolean indexed) {
        try (Snapshot snapshot = attached.snapshot()) {
            check(snapshot, indexed);
        }
    }

    private void check(Snapshot snapshot, boolean indexed) {
        for (int i = 0; i < SOURCES; i++) {
            List<Long> sorted = new ArrayList<>(values.get(i));
            Collections.sort(sorted);
            assertEquals(sorted.size(), snapshot.statistics(ids[i]).records());
            assertScan(snapshot, i);
            IndexedAggregate.Result answer = IndexedAggregate.of(snapshot, ids[i], VALUE)
                    .percentiles(50, 99.9)
                    .run();
            assertTrue(answer.completeness().complete());
            assertEquals(sorted.size(), answer.count());
            for (double percent : new double[] {50, 99.9}) {
                int rank = (int) Math.ceil(sorted.size() * percent / 100);
                assertEquals(
                        sorted.get(rank - 1),
                        answer.percentile(percent).orElseThrow().longValue());
            }
        }
        Index index = snapshot.index(ids[0], "value").orElseThrow();
        IndexedAggregate.Result totals = IndexedAggregate.of(snapshot, index).run();
        assertEquals(values.get(0).size(), totals.count());
        assertTrue(
                !indexed || totals.statistics().chunksRead() <= ACTIVE_PAGES_MAX,
                () -> "chunks without index: " + totals.statistics());
    }

    private void assertScan(Snapshot snapshot, int source) {
        for (Order order : Order.values()) {
            List<Long> expected = new ArrayList<>(values.get(source));
            if (order == Order.NEWEST_FIRST) {
                Collections.reverse(expected);
            }
            List<Long> found = new ArrayList<>();
            try (QueryCursor cursor =
                    RawScan.of(snapshot, ids[source]).order(order).open()) {
                while (cursor.next()) {
                    found.add(cursor.buffer().getLong(cursor.offset(), ByteOrder.LITTLE_ENDIAN));
                }
            }
            assertEquals(expected, found, "seed=" + seed + ", order=" + order);
        }
    }
}
