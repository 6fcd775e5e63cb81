package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.error.StoreIoException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.PayloadFormatProvider;
import dev.loom.format.ProvidingLoader;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.io.LoomFile;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Old segments are compressed beside the writer, and nobody notices but the disk. */
@Timeout(180)
final class CompressionTest {
    private static final int PAGE = 1 << 16;
    private static final long SEGMENT = 4 * PAGE;
    private static final long BEGIN_NS = 1_700_000_000_000_000_000L;
    private static final StructFormat FORMAT = Formats.struct("id:i64,latency_ns:i64,op:utf8?");

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<Pushed> requests = new ArrayList<>();
    private final List<Pushed> lines = new ArrayList<>();
    private final AtomicLong nowNs = new AtomicLong(BEGIN_NS);

    @TempDir
    Path temp;

    private record Pushed(long address, long timeNs, ByteBuffer payload) {}

    @BeforeEach
    void printSeed() {
        System.out.println("CompressionTest -Dloom.test.seed=" + seed);
    }

    private Path store() {
        return temp.resolve("store");
    }

    private LoomConfig.Builder config() {
        return StoreAccess.small(store())
                .segmentBytes(SEGMENT)
                .minFreeBytes(0)
                .clock(nowNs::get)
                .compressionShare(1);
    }

    private Loom open() {
        return Loom.open(config().compressAfter(Duration.ZERO).build());
    }

    private static int source(Loom loom, String name, PayloadFormat format) {
        return loom.source(name).map(Source::id).orElseGet(() -> loom.defineSource(name, format));
    }

    /** Pushes whole segments of structs and texts, a jumbo record now and then, and makes them durable. */
    private void fill(Loom loom, int segments) {
        int struct = source(loom, "requests", FORMAT);
        int text = source(loom, "lines", Formats.text());
        StructWriter writer = new StructWriter(FORMAT);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[256]);
        long end = loom.info().records().tail() + segments * SEGMENT;
        while (loom.info().records().tail() < end) {
            for (int i = 0; i < 200; i++) {
                nowNs.addAndGet(random.nextInt(100_000));
                writer.begin(buffer, 0);
                writer.setLong(0, requests.size());
                writer.setLong(1, 50_000 + random.nextInt(100_000));
                writer.setUtf8(2, random.nextInt(3) == 0 ? "SET" : "GET");
                byte[] payload = new byte[writer.finish()];
                buffer.getBytes(0, payload);
                requests.add(new Pushed(loom.push(struct, payload), nowNs.get(), ByteBuffer.wrap(payload)));
            }
            String line = "request " + requests.size() + " done " + "x".repeat(random.nextInt(60));
            byte[] bytes = random.nextInt(50) == 0 ? new byte[100_000] : line.getBytes(StandardCharsets.UTF_8);
            lines.add(new Pushed(loom.push(text, bytes), nowNs.get(), ByteBuffer.wrap(bytes)));
        }
        loom.force();
    }

    private static List<File> segments(Path store) {
        File[] files = store.resolve("record").toFile().listFiles((folder, name) -> name.endsWith(".seg"));
        return Stream.of(Objects.requireNonNull(files)).sorted().toList();
    }

    private List<File> plain() {
        List<File> files = segments(store());
        return files.subList(0, files.size() - 1).stream()
                .filter(file -> file.length() == SEGMENT)
                .toList();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Waits until every segment but the last two is compressed; the next to last may end where the log does. */
    private void awaitCompressed() {
        await(() -> plain().size() <= 1);
    }

    private static List<Pushed> drain(RecordCursor opened) {
        List<Pushed> records = new ArrayList<>();
        try (RecordCursor cursor = opened) {
            while (cursor.next()) {
                byte[] payload = new byte[cursor.length()];
                cursor.buffer().getBytes(cursor.offset(), payload);
                records.add(new Pushed(cursor.address(), cursor.timeNs(), ByteBuffer.wrap(payload)));
            }
        }
        return records;
    }

    private static int id(Snapshot snapshot, String name) {
        return snapshot.source(name).orElseThrow().id();
    }

    private void assertAll(Store store) {
        try (Snapshot snapshot = store.snapshot()) {
            assertSame(requests, drain(snapshot.oldestFirst(id(snapshot, "requests"), Long.MIN_VALUE, Long.MAX_VALUE)));
            assertSame(lines, drain(snapshot.oldestFirst(id(snapshot, "lines"), Long.MIN_VALUE, Long.MAX_VALUE)));
            List<Pushed> backwards =
                    drain(snapshot.newestFirst(id(snapshot, "requests"), Long.MIN_VALUE, Long.MAX_VALUE));
            Collections.reverse(backwards);
            assertSame(requests, backwards);
        }
    }

    private static void assertSame(List<Pushed> expected, List<Pushed> found) {
        assertEquals(expected.size(), found.size());
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), found.get(i), "record " + i);
        }
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(
                store(), (file, offset, message) -> problems.add(file.getFileName() + "@" + offset + " " + message));
        return problems;
    }

    @Test
    void shouldReadTheSameFromCompressedSegments() {
        try (Loom loom = open();
                LoomReader reader = LoomReader.attach(store())) {
            fill(loom, 12);
            try (Snapshot before = loom.snapshot();
                    RecordCursor cursor = before.oldestFirst(id(before, "requests"), Long.MIN_VALUE, Long.MAX_VALUE)) {
                assertTrue(cursor.next());
                awaitCompressed();
                List<Pushed> rest = drain(cursor);
                assertSame(requests.subList(1, requests.size()), rest);
            }
            assertAll(loom);
            assertAll(reader);
            StoreInfo read = loom.info();
            long fileBytes = segments(store()).stream().mapToLong(File::length).sum();
            while (loom.info().records().savedBytes() != read.records().savedBytes()) { // compressed meanwhile
                read = loom.info();
                fileBytes = segments(store()).stream().mapToLong(File::length).sum();
            }
            StoreInfo info = read;
            assertEquals("2.1", info.formatVersion());
            assertEquals(info.records().evicted() - info.records().savedBytes(), fileBytes);
            assertTrue(
                    info.records().savedBytes() > info.records().evicted() / 2, () -> "saved bytes=" + info.records());
            assertEquals(info.records().savedBytes(), reader.info().records().savedBytes());
            fill(loom, 3);
        }
        assertEquals(List.of(), problems());
        try (Loom loom = Loom.open(config().build())) {
            assertAll(loom);
            assertEquals("2.1", loom.info().formatVersion());
        }
        try (Loom loom = Loom.open(config().rebuildIndexes(true).build())) {
            assertAll(loom);
        }
        try (LoomReader reader = LoomReader.attach(store())) {
            assertAll(reader);
        }
        assertFalse(Stream.of(Objects.requireNonNull(
                        store().resolve("record").toFile().list()))
                .anyMatch(name -> name.endsWith(".tmp")));
    }

    @Test
    void shouldKeepTheFirstVersionWithoutCompression() {
        try (Loom loom = Loom.open(config().build())) {
            fill(loom, 3);
            assertEquals("1.1", loom.info().formatVersion());
            assertEquals(0, loom.info().records().savedBytes());
        }
    }

    @Test
    void shouldWaitUntilRecordsAreOldEnough() {
        try (Loom loom = Loom.open(config().compressAfter(Duration.ofHours(1)).build())) {
            fill(loom, 4);
            nowNs.addAndGet(Duration.ofHours(1).toNanos());
            awaitCompressed();
            int oldSegments = segments(store()).size();
            fill(loom, 6);
            // the first new segment ends with records that are not old, and those behind it wait for it
            assertTrue(segments(store()).stream()
                            .filter(file -> file.length() < SEGMENT)
                            .count()
                    <= oldSegments + 1);
            assertAll(loom);
        }
    }

    /** The limit counts the bytes on the disk, so more records are kept; and the disk never holds more. */
    @Test
    void shouldKeepMoreWithinTheSameLimit() {
        long limit = 32 * SEGMENT;
        try (Loom loom =
                Loom.open(config().maxBytes(limit).compressAfter(Duration.ZERO).build())) {
            for (int i = 0; i < 20; i++) {
                fill(loom, 4);
                awaitCompressed();
                long used = Stream.of("record", "time", "chunk")
                        .mapToLong(folder -> size(store().resolve(folder)))
                        .sum();
                assertTrue(used <= limit, "bytes=" + used);
            }
            StoreInfo.LogInfo records = loom.info().records();
            assertTrue(records.tail() - records.begin() > 2 * limit, () -> "kept: " + records);
            fill(loom, 200);
            awaitCompressed();
            StoreInfo.LogInfo later = loom.info().records();
            assertTrue(later.begin() > 0, () -> "nothing was deleted: " + later);
            long expected = later.evicted() - later.begin() / SEGMENT * SEGMENT - later.savedBytes();
            long found = segments(store()).stream().mapToLong(File::length).sum();
            assertTrue(Math.abs(expected - found) <= SEGMENT, () -> "bytes=" + found + ", expected=" + expected);
        }
        assertEquals(List.of(), problems());
    }

    /** What files take of a disk whose blocks have 4 KiB, one of them for the map of each file. */
    private static long size(Path folder) {
        long block = 4 << 10;
        long size = 0;
        for (File file : Objects.requireNonNullElse(folder.toFile().listFiles(), new File[0])) {
            size += (file.length() + block - 1) / block * block + block;
        }
        return size;
    }

    private static void flip(File file, long offset) throws IOException {
        try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
            open.seek(offset);
            int value = open.read();
            open.seek(offset);
            open.write(value ^ 0x10);
        }
    }

    @Test
    void shouldSurviveDamageOfEitherHeaderAndLoseOnePageWithAnEntry() throws IOException {
        try (Loom loom = open()) {
            fill(loom, 4);
            awaitCompressed();
        }
        File first = segments(store()).get(0);
        long second = 64 + SEGMENT / PAGE * 8;
        for (long offset : new long[] {0, 5, 33, 62, second, second + 20, second + 63}) {
            flip(first, offset);
            String name = first.getName() + "@" + offset / second * second;
            assertEquals(List.of(name + " header of a compressed segment is invalid"), problems());
            try (LoomReader reader = LoomReader.attach(store())) {
                assertAll(reader);
            }
            flip(first, offset);
        }
        for (int page = 0; page < SEGMENT / PAGE; page++) {
            flip(first, 64 + page * 8L);
            List<String> problems = problems();
            long entry = 64 + page * 8L;
            String inEntry = first.getName() + "@" + entry;
            assertTrue(problems.stream().anyMatch(each -> each.startsWith(inEntry + " ")), problems::toString);
            String lost = " page is damaged: address=" + page * PAGE;
            assertTrue(problems.stream().anyMatch(each -> each.endsWith(lost)), problems::toString);
            flip(first, entry);
        }
        assertEquals(List.of(), problems());
    }

    /** Damage of a compressed segment is set aside once, and then known. */
    @Test
    void shouldSetDamageAside() throws IOException {
        try (Loom loom = open()) {
            fill(loom, 4);
            awaitCompressed();
        }
        File first = segments(store()).get(0);
        flip(first, 64 + 2 * 8);
        flip(first, first.length() - 100);
        List<String> before = problems();
        assertTrue(before.size() >= 3, before::toString);
        List<String> aside = new ArrayList<>();
        StoreVerifier.repair(store(), (file, offset, reason, copy) -> aside.add(reason), (done, total) -> true);
        assertFalse(aside.isEmpty());
        assertEquals(List.of(), problems());
        flip(first, first.length() - 100);
        flip(first, 64 + 2 * 8);
        try (LoomReader reader = LoomReader.attach(store())) {
            assertAll(reader);
        }
    }

    @Test
    void shouldCopyADamagedPageAsItIs() throws IOException {
        try (Loom loom = Loom.open(config().build())) {
            fill(loom, 4);
        }
        flip(segments(store()).get(0), PAGE + 1000);
        List<String> before = problems();
        assertEquals(1, before.size(), before::toString);
        try (Loom loom = open()) {
            fill(loom, 1);
            await(() -> segments(store()).get(0).length() < SEGMENT);
        }
        // elsewhere in a compressed file
        assertEquals(
                before.get(0).replaceFirst("@\\d+ ", " "), problems().get(0).replaceFirst("@\\d+ ", " "));
        assertEquals(1, problems().size());
    }

    @Test
    void shouldKnowDamageThatWasSetAsideBeforeItWasCompressed() throws IOException {
        try (Loom loom = Loom.open(config().build())) {
            fill(loom, 4);
        }
        flip(segments(store()).get(0), PAGE + 1000);
        StoreVerifier.repair(store(), (file, offset, reason, copy) -> {}, (done, total) -> true);
        assertEquals(List.of(), problems());
        try (Loom loom = open()) {
            fill(loom, 1);
            await(() -> segments(store()).get(0).length() < SEGMENT);
        }
        assertEquals(List.of(), problems());
        File first = segments(store()).get(0);
        long entry = 64 + 8; // of the page, which is stored as it is
        byte[] bytes = Files.readAllBytes(first.toPath());
        bytes[(int) entry + 7] ^= 0x10; // as a block
        Files.write(first.toPath(), bytes);
        assertEquals(1, problems().size());
    }

    @Test
    void shouldTryAgainWhenTheDiskRefuses() {
        AtomicBoolean refusing = new AtomicBoolean(true);
        HookedStorage storage = new HookedStorage() {
            @Override
            public void rename(Path file, Path name) {
                if (refusing.get()) {
                    throw new StoreIoException("injected failure: file=" + file);
                }
                super.rename(file, name);
            }
        };
        try (Loom loom =
                Loom.open(config().storage(storage).compressAfter(Duration.ZERO).build())) {
            fill(loom, 3);
            await(() -> loom.info()
                    .writer()
                    .orElseThrow()
                    .compressionFailure()
                    .filter(reason -> reason.contains("injected"))
                    .isPresent());
            assertAll(loom);
            refusing.set(false);
            awaitCompressed();
            await(() -> loom.info().writer().orElseThrow().compressionFailure().isEmpty());
            assertAll(loom);
        }
    }

    /** A program's format of texts, whose fields can't be told. */
    private record FieldlessFormat(String text) implements PayloadFormat {
        @Override
        public String name() {
            return text;
        }

        @Override
        public List<Field> fields() {
            throw new NoClassDefFoundError("not your format");
        }

        @Override
        public FieldReader field(String name) {
            throw new NoClassDefFoundError("not your format");
        }
    }

    public static final class FieldlessProvider implements PayloadFormatProvider {
        @Override
        public Set<String> names() {
            return Set.of("fieldless");
        }

        @Override
        public PayloadFormat parse(String text) {
            return new FieldlessFormat(text);
        }
    }

    @Test
    void shouldCompressRecordsWhoseFormatFails() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        ClassLoader providing = new ProvidingLoader(FieldlessProvider.class.getName());
        thread.setContextClassLoader(providing);
        try (Loom loom = open()) {
            thread.setContextClassLoader(before);
            int source = loom.defineSource("fieldless", Formats.parse("fieldless", providing));
            byte[] payload = new byte[1000];
            for (int i = 0; i < 3 * SEGMENT / 1000; i++) {
                loom.push(source, payload);
            }
            fill(loom, 3);
            awaitCompressed();
            assertEquals(Optional.empty(), loom.info().writer().orElseThrow().compressionFailure());
            assertAll(loom);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** The copy of a segment, and of random bytes it is as long, has room before it is written. */
    @Test
    void shouldStayWithinTheLimitWhileACopyIsMade() {
        long segment = 4 << 20;
        UnaryOperator<LoomConfig.Builder> large = builder -> builder.segmentBytes(segment);
        try (Loom loom = Loom.open(large.apply(config()).build())) {
            int bytes = source(loom, "bytes", Formats.bytes());
            byte[] payload = new byte[8_000];
            while (loom.info().records().tail() < 6 * segment) {
                random.nextBytes(payload);
                loom.push(bytes, payload);
            }
        }
        long limit = StoreAccess.bytes(store()) + (1 << 20);
        AtomicLong most = new AtomicLong();
        AtomicLong copies = new AtomicLong();
        HookedStorage disk = new HookedStorage() {
            @Override
            protected void onWrite(Path file, long position, boolean direct) {
                if (file.getParent().endsWith("record") && !file.toString().endsWith(".seg")) {
                    most.accumulateAndGet(StoreAccess.bytes(store()), Math::max);
                }
            }

            @Override
            public void delete(Path file) {
                super.delete(file);
                copies.addAndGet(
                        file.getParent().endsWith("record") && !file.toString().endsWith(".seg") ? 1 : 0);
            }
        };
        try (Loom loom = Loom.open(large.apply(config())
                .storage(disk)
                .maxBytes(limit)
                .compressAfter(Duration.ZERO)
                .build())) {
            await(() -> copies.get() >= 3);
            assertTrue(most.get() > 0);
            assertTrue(most.get() <= limit, () -> "bytes=" + most + ", limit=" + limit);
            assertTrue(loom.info().records().begin() > 0);
        }
    }

    /** On a disk that is nearly full, the room is for new records. */
    @Test
    void shouldLeaveTheLastRoomToNewRecords() {
        AtomicLong room = new AtomicLong(2 * SEGMENT - 1);
        AtomicLong looks = new AtomicLong();
        HookedStorage storage = new HookedStorage() {
            @Override
            public long usableSpace(Path directory) {
                looks.incrementAndGet();
                return room.get();
            }
        };
        try (Loom loom =
                Loom.open(config().storage(storage).compressAfter(Duration.ZERO).build())) {
            fill(loom, 4);
            long looked = looks.get();
            await(() -> looks.get() > looked + 1);
            assertEquals(0, loom.info().records().savedBytes());
            room.set(2 * SEGMENT);
            awaitCompressed();
            assertAll(loom);
        }
    }

    /** A copy that a kill has left is deleted; one that another session makes now is not taken for a segment. */
    @Test
    void shouldDeleteCopiesThatACrashHasLeft() throws IOException {
        try (Loom loom = Loom.open(config().build())) {
            fill(loom, 3);
        }
        Path left = store().resolve("record").resolve("00000000000000000000.seg.1f.tmp");
        Files.write(left, new byte[100]);
        assertEquals(List.of(), problems());
        try (Loom loom = Loom.open(config().build())) {
            assertFalse(Files.exists(left));
            assertAll(loom);
        }
    }

    @Test
    void shouldEndWithinASegment() {
        AtomicBoolean begun = new AtomicBoolean();
        HookedStorage storage = new HookedStorage() {
            @Override
            public LoomFile openToWrite(Path file, boolean direct) {
                begun.compareAndSet(false, file.toString().endsWith(".tmp"));
                return super.openToWrite(file, direct);
            }
        };
        try (Loom loom = Loom.open(config().storage(storage)
                .compressionShare(1e-9)
                .compressAfter(Duration.ZERO)
                .build())) {
            fill(loom, 8);
            await(begun::get);
        }
        assertFalse(Stream.of(Objects.requireNonNull(
                        store().resolve("record").toFile().list()))
                .anyMatch(name -> name.endsWith(".tmp")));
        try (LoomReader reader = LoomReader.attach(store())) {
            assertAll(reader);
        }
    }

    @Test
    void shouldRefuseBadSettings() {
        assertThrows(IllegalArgumentException.class, () -> config().compressAfter(Duration.ofNanos(-1)));
        assertThrows(IllegalArgumentException.class, () -> config().compressionShare(0));
        assertThrows(IllegalArgumentException.class, () -> config().compressionShare(1.01));
        assertThrows(IllegalArgumentException.class, () -> config().compressionShare(Double.NaN));
    }

    /** A program without the library reads other stores, and is told so of these before anything is read or changed. */
    @Test
    void shouldNameTheMissingLibrary() throws Exception {
        Path plain = temp.resolve("plain");
        try (Loom loom = Loom.open(StoreAccess.small(plain).build())) {
            loom.push(loom.defineSource("lines", Formats.text()), new byte[10]);
        }
        try (Loom loom = open()) {
            fill(loom, 1);
        }
        List<URL> others = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!entry.contains("aircompressor")) {
                others.add(Path.of(entry).toUri().toURL());
            }
        }
        try (URLClassLoader loader =
                new URLClassLoader(others.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Method attach = loader.loadClass("dev.loom.LoomReader").getMethod("attach", Path.class);
            Method take = loader.loadClass("dev.loom.api.Store").getMethod("snapshot");
            Method read = loader.loadClass("dev.loom.api.Snapshot")
                    .getMethod("oldestFirst", int.class, long.class, long.class);
            Method next = loader.loadClass("dev.loom.api.RecordCursor").getMethod("next");
            try (AutoCloseable store = (AutoCloseable) attach.invoke(null, plain);
                    AutoCloseable snapshot = (AutoCloseable) take.invoke(store);
                    AutoCloseable cursor = (AutoCloseable) read.invoke(snapshot, 1, Long.MIN_VALUE, Long.MAX_VALUE)) {
                assertEquals(true, next.invoke(cursor));
            }
            Throwable thrown = assertThrows(InvocationTargetException.class, () -> attach.invoke(null, store()))
                    .getCause();
            assertEquals(
                    UnsupportedStoreException.class.getName(), thrown.getClass().getName());
            assertTrue(
                    String.valueOf(thrown.getMessage()).contains("missing=io.airlift:aircompressor"), thrown::toString);
        }
    }
}
