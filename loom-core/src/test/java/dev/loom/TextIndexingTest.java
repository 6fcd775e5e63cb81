package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.api.TextIndexInfo;
import dev.loom.api.TextIndexParameters;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.format.IndexedText;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The thread that builds the text index: its files, and what it does while the disk fails, is full, or a definition is wrong. */
final class TextIndexingTest {
    @TempDir
    Path temp;

    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[256]);
    private int number;

    private Loom open(Storage storage, long maxBytes) {
        return StoreAccess.open(
                temp.resolve("store"),
                storage,
                config -> config.maxBytes(maxBytes).textIndexShare(1));
    }

    private Loom open() {
        return open(Storage.DISK, LoomConfig.UNLIMITED);
    }

    private void push(Loom loom, int source, int records) {
        for (int i = 0; i < records; i++) {
            byte[] line = ("request " + number++ + " took " + number % 97 + " ms at host" + number % 7)
                    .getBytes(StandardCharsets.US_ASCII);
            payload.putBytes(0, line);
            loom.push(source, payload, 0, line.length);
        }
    }

    private static TextIndexInfo index(Loom loom, int source) {
        try (Snapshot snapshot = loom.snapshot()) {
            return snapshot.textIndex(source).orElseThrow();
        }
    }

    private List<String> files() {
        Path folder = temp.resolve("store").resolve("text");
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean finish(Loom loom) {
        return loom.finishTextIndex((done, total) -> true);
    }

    @Test
    void shouldGoOnWhereItEndedAndPutFilesTogether() {
        int source;
        try (Loom loom = open()) {
            source = loom.defineSource("log", Formats.text());
            push(loom, source, 1_000);
        }
        for (int session = 0; session < 3; session++) {
            try (Loom loom = open()) {
                push(loom, source, 20_000);
                for (int i = 0; i < 12; i++) {
                    push(loom, source, 100);
                    assertTrue(finish(loom));
                    assertEquals(0, index(loom, source).recordsLeft());
                }
            }
        }
        try (Loom loom = open()) {
            TextIndexInfo index = index(loom, source);
            assertTrue(index.columnUnits() >= 16, index::toString);
            assertTrue(index.rowUnits() < 32, index::toString);
            assertEquals(number, index.records());
            // each record has its number, and the units share seven other words, 97 numbers and seven hosts
            int units = index.rowUnits() + index.columnUnits();
            assertTrue(index.words() > number && index.words() < number + 112L * units, index::toString);
            assertEquals("line:words", index.fields().toString());
        }
    }

    @Test
    void shouldSayWhyItCannotBeBuiltAndGoOnLater() {
        AtomicBoolean refusing = new AtomicBoolean(true);
        HookedStorage storage = new HookedStorage() {
            @Override
            public void rename(Path file, Path name) {
                if (refusing.get() && name.toString().endsWith(".units3")) {
                    throw new StoreIoException("injected failure: file=" + file);
                }
                super.rename(file, name);
            }
        };
        try (Loom loom = open(storage, LoomConfig.UNLIMITED)) {
            int source = loom.defineSource("log", Formats.text());
            push(loom, source, 3_000);
            assertFalse(finish(loom));
            String failure =
                    loom.info().writer().orElseThrow().textIndexFailure().orElseThrow();
            assertTrue(failure.contains("injected failure"), failure);
            refusing.set(false);
            assertTrue(finish(loom));
            assertEquals(0, index(loom, source).recordsLeft());
            assertTrue(loom.info().writer().orElseThrow().textIndexFailure().isEmpty());
        }
    }

    @Test
    void shouldLeaveNoFileOfAFailedAttempt() {
        HookedStorage storage = new HookedStorage() {
            @Override
            public void rename(Path file, Path name) {
                if (name.toString().endsWith(".units3")) {
                    throw new StoreIoException("injected failure: file=" + file);
                }
                super.rename(file, name);
            }
        };
        try (Loom loom = open(storage, LoomConfig.UNLIMITED)) {
            int source = loom.defineSource("log", Formats.text());
            push(loom, source, 3_000);
            assertFalse(finish(loom));
        }
        assertEquals(List.of(), files()); // once closed, as another attempt may be under way before
    }

    @Test
    void shouldNotTakeTheFailureOfAnEarlierAttemptForItsOwn() throws InterruptedException {
        Thread caller = Thread.currentThread();
        AtomicInteger attempts = new AtomicInteger();
        CountDownLatch second = new CountDownLatch(1);
        HookedStorage storage = new HookedStorage() {
            @Override
            public void rename(Path file, Path name) {
                if (name.toString().endsWith(".units3") && attempts.incrementAndGet() <= 2) {
                    if (attempts.get() == 2) {
                        second.countDown();
                        while (caller.getState()
                                != Thread.State.TIMED_WAITING) { // until the caller waits for the third
                            Thread.onSpinWait();
                        }
                    }
                    throw new StoreIoException("injected failure: file=" + file);
                }
                super.rename(file, name);
            }
        };
        try (Loom loom = open(storage, LoomConfig.UNLIMITED)) {
            int source = loom.defineSource("log", Formats.text());
            push(loom, source, 3_000);
            assertFalse(finish(loom));
            second.await();
            assertTrue(finish(loom));
            assertEquals(0, index(loom, source).recordsLeft());
        }
    }

    @Test
    void shouldLeaveTheLastRoomToRecords() {
        AtomicBoolean full = new AtomicBoolean(true);
        HookedStorage storage = new HookedStorage() {
            @Override
            public long usableSpace(Path directory) {
                return full.get() ? 100 << 10 : super.usableSpace(directory);
            }
        };
        try (Loom loom = StoreAccess.open(
                temp.resolve("store"), storage, config -> config.minFreeBytes(0).textIndexShare(1))) {
            int source = loom.defineSource("log", Formats.text());
            push(loom, source, 3_000);
            assertFalse(finish(loom));
            assertEquals(List.of(), files());
            full.set(false);
            assertTrue(finish(loom));
            assertEquals(0, index(loom, source).recordsLeft());
        }
    }

    @Test
    void shouldGoOnOnceThereIsRoomThoughNoRecordComes() {
        AtomicBoolean full = new AtomicBoolean(true);
        AtomicBoolean asked = new AtomicBoolean();
        HookedStorage storage = new HookedStorage() {
            @Override
            public long usableSpace(Path directory) {
                if (full.get() && Thread.currentThread().getName().startsWith("loom-text")) {
                    asked.set(true);
                    return 0;
                }
                return super.usableSpace(directory);
            }
        };
        try (Loom loom = StoreAccess.open(
                temp.resolve("store"), storage, config -> config.minFreeBytes(0).textIndexShare(1))) {
            int source = loom.defineSource("log", Formats.text());
            push(loom, source, 30_000); // more than a unit has
            loom.force();
            while (!asked.get()) {
                Thread.onSpinWait();
            }
            assertEquals(30_000, index(loom, source).recordsLeft());
            full.set(false);
            while (index(loom, source).recordsLeft() == 30_000) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldNotMakeTheStoreAgainThatWasMovedAway() throws IOException {
        Path store = temp.resolve("store");
        Path away = temp.resolve("away");
        HookedStorage roomy = new HookedStorage() {
            @Override
            public long usableSpace(Path directory) {
                return 1L << 40; // as it was a moment before
            }
        };
        try (Loom loom = open(roomy, LoomConfig.UNLIMITED)) {
            int source = loom.defineSource("log", Formats.text());
            push(loom, source, 30_000);
            loom.force();
            Files.move(store, away);
            assertFalse(finish(loom));
            assertFalse(Files.exists(store));
            Files.move(away, store);
            assertTrue(finish(loom));
            assertEquals(0, index(loom, source).recordsLeft());
        }
    }

    @Test
    void shouldSayWhichDefinitionIsWrong() {
        try (Loom loom = open()) {
            int wrong = loom.defineSource("wrong", Formats.text(), Map.of(IndexedText.ATTRIBUTE, "body:words"));
            int right =
                    loom.defineSource("right", Formats.text(), Map.of(IndexedText.ATTRIBUTE, "line:words,line:value"));
            int none = loom.defineSource("none", Formats.text(), Map.of(IndexedText.ATTRIBUTE, ""));
            for (int source : new int[] {wrong, right, none}) {
                push(loom, source, 2_000);
            }
            assertTrue(finish(loom));
            String failure =
                    loom.info().writer().orElseThrow().textIndexFailure().orElseThrow();
            assertTrue(failure.contains("source=wrong, reason=format has no such field"), failure);
            assertEquals(0, index(loom, right).recordsLeft());
            assertEquals(2_000, index(loom, wrong).recordsLeft());
            try (Snapshot snapshot = loom.snapshot()) {
                assertTrue(snapshot.textIndex(none).isEmpty());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fail", "overflow", "unlinked", "unconfigured", "unreadable", "unchecked", "cancelled"})
    void shouldGiveUpASourceWhoseFormatThrowsAndGoOnWithOthers(String field) {
        try (Loom loom = open()) {
            int throwing = loom.defineSource(
                    "throwing", Formats.parse("reversed:" + field), Map.of(IndexedText.ATTRIBUTE, field + ":words"));
            int log = loom.defineSource("log", Formats.text());
            for (int i = 0; i < 2; i++) {
                push(loom, throwing, 1_000);
                push(loom, log, 1_000);
                assertTrue(finish(loom));
                assertEquals(0, index(loom, log).recordsLeft());
                String failure =
                        loom.info().writer().orElseThrow().textIndexFailure().orElseThrow();
                assertTrue(failure.contains("source=throwing, reason="), failure);
                assertTrue(failure.endsWith("injected failure of a format"), failure);
            }
            assertEquals(2_000, index(loom, throwing).recordsLeft());
        }
    }

    /** One record whose value the heap does not hold would otherwise keep all sources' records behind it from the index. */
    @Test
    void shouldTakeAValueThatMemoryIsTooSmallForAsOneThatItDoesNotKnow() {
        try (Loom loom = open()) {
            int exhausted = loom.defineSource(
                    "exhausted", Formats.parse("reversed:exhausted"), Map.of(IndexedText.ATTRIBUTE, "exhausted:words"));
            int log = loom.defineSource("log", Formats.text());
            push(loom, exhausted, 1_000);
            push(loom, log, 1_000);
            assertTrue(finish(loom));
            assertEquals(1_000, index(loom, exhausted).recordsLeft(), "searches read them");
            assertEquals(0, index(loom, log).recordsLeft());
            assertTrue(loom.info().writer().orElseThrow().textIndexFailure().isEmpty());
        }
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(temp.resolve("store"), (file, offset, message) -> problems.add(message));
        assertEquals(List.of(), problems);
    }

    /** Nor may it keep the store from being opened again. */
    @ParameterizedTest
    @ValueSource(strings = {"fail", "overflow", "unlinked", "unconfigured", "unreadable", "unchecked", "cancelled"})
    void shouldMakeRecordsDurableThoughAFormatThrowsWhenAskedForItsText(String field) {
        for (int session = 1; session <= 2; session++) {
            try (Loom loom = open()) {
                int throwing = loom.source("throwing")
                        .map(Source::id)
                        .orElseGet(() -> loom.defineSource("throwing", Formats.parse("reversed:" + field)));
                push(loom, throwing, 1_000);
                loom.force();
                StoreInfo.LogInfo records = loom.info().records();
                assertTrue(records.sealed() > 0, records::toString);
                assertEquals(records.sealed(), records.durable());
                assertTrue(finish(loom));
                String failure =
                        loom.info().writer().orElseThrow().textIndexFailure().orElseThrow();
                assertTrue(failure.contains("source=throwing, reason="), failure);
                assertTrue(failure.endsWith("injected failure of a format"), failure);
                assertEquals(1_000L * session, index(loom, throwing).recordsLeft());
            }
        }
    }

    @Test
    void shouldTakeTurnsWhereMemoryIsForOneSource() {
        try (Loom loom = StoreAccess.open(
                temp.resolve("store"),
                Storage.DISK,
                config -> config.textIndexMemory(2 << 20).textIndexShare(1))) {
            int[] sources = new int[5];
            for (int i = 0; i < sources.length; i++) {
                sources[i] = loom.defineSource("log" + i, Formats.text());
            }
            for (int round = 0; round < 30; round++) {
                for (int source : sources) {
                    push(loom, source, 1_000);
                }
                loom.force();
            }
            // each comes to full units on its own, though others wait for its memory
            for (int source : sources) {
                while (index(loom, source).rowUnits() == 0) {
                    Thread.onSpinWait();
                }
            }
            assertTrue(finish(loom));
            for (int source : sources) {
                assertEquals(0, index(loom, source).recordsLeft());
            }
        }
    }

    @Test
    void shouldBuildLaterUnitsByOtherParameters() {
        int source;
        int unitsBefore;
        try (Loom loom = open()) {
            source = loom.defineSource("log", Formats.text());
            push(loom, source, 20_000);
            assertTrue(finish(loom));
            unitsBefore = index(loom, source).rowUnits() + index(loom, source).columnUnits();
        }
        List<String> before = files();
        TextIndexParameters fewRows =
                TextIndexParameters.DEFAULT.withUnitRows(1_024).withLists(3, 1_024);
        try (Loom loom = StoreAccess.open(
                temp.resolve("store"),
                Storage.DISK,
                config -> config.textIndexParameters(fewRows).textIndexShare(1))) {
            push(loom, source, 20_000);
            assertTrue(finish(loom));
            TextIndexInfo index = index(loom, source);
            assertEquals(40_000, index.records());
            // a chunk of 64 KiB has more than 1,024 of these records, so each is a unit; and no file has units of both
            // shapes
            assertTrue(
                    index.rowUnits() + index.columnUnits() - unitsBefore > 10,
                    () -> index + ", units before=" + unitsBefore);
            assertTrue(files().containsAll(before), () -> files() + " of " + before);
        }
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(temp.resolve("store"), (file, offset, message) -> problems.add(message));
        assertEquals(List.of(), problems);
    }

    @Test
    void shouldBeDescribedWhereItsFilesCanNotBeListed() throws IOException {
        Path folder = temp.resolve("store").resolve("text");
        try (Loom loom = open()) {
            int source = loom.defineSource("log", Formats.text());
            push(loom, source, 20_000);
            assertTrue(finish(loom));
            Files.move(folder, temp.resolve("away"));
            Files.createFile(folder);
            TextIndexInfo index = index(loom, source);
            assertEquals(20_000, index.recordsLeft());
            assertEquals(0, index.bytes());
            Files.delete(folder);
            Files.move(temp.resolve("away"), folder);
            assertEquals(0, index(loom, source).recordsLeft());
        }
    }

    @Test
    void shouldShowEveryProcessTheUnitsThatAreBeingBuilt() {
        try (Loom loom = open();
                LoomReader reader = LoomReader.attach(temp.resolve("store"))) {
            int[] sources = {loom.defineSource("a", Formats.text()), loom.defineSource("b", Formats.text())};
            assertEquals(0, openUnits(reader));
            for (int source : sources) {
                push(loom, source, 500);
            }
            loom.force();
            while (openUnits(reader) < sources.length) {
                Thread.onSpinWait();
            }
            assertEquals(500, index(loom, sources[0]).recordsLeft());
            assertTrue(finish(loom));
            assertEquals(0, openUnits(reader));
        }
    }

    private static int openUnits(Store store) {
        return store.info().session().orElseThrow().textOpenUnits();
    }

    @Test
    void shouldCountWithinTheBudgetAndGoWithItsRecords() throws IOException {
        long budget = 16 << 20;
        try (Loom loom = open(Storage.DISK, budget)) {
            int source = loom.defineSource("log", Formats.text());
            for (int i = 0; i < 40; i++) {
                push(loom, source, 20_000);
                finish(loom);
                long bytes = StoreAccess.bytes(temp.resolve("store"));
                assertTrue(bytes <= budget, "bytes=" + bytes);
            }
            // segments go for the units of those that stay
            while (!finish(loom)) {
                Thread.onSpinWait();
            }
            assertEquals(0, index(loom, source).recordsLeft());
            try (Snapshot snapshot = loom.snapshot()) {
                assertTrue(snapshot.beginAddress() > 0, "nothing was deleted");
                // retention deletes them right after it has moved the log's begin
                while (endOf(files().get(0)) <= snapshot.beginAddress()) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    @Test
    void shouldPutTogetherWhatRetentionHasLeft() {
        AtomicReference<String> deleted = new AtomicReference<>();
        AtomicBoolean merging = new AtomicBoolean();
        HookedStorage storage = new HookedStorage() {
            @Override
            public LoomFile openToRead(Path file) {
                String name = file.getFileName().toString();
                // as between the listing of the files and the opening of the first
                if (merging.get()
                        && name.equals(files().get(0))
                        && Thread.currentThread().getName().contains("text")
                        && deleted.compareAndSet(null, name)) {
                    DISK.delete(file);
                }
                return super.openToRead(file);
            }
        };
        try (Loom loom = open(storage, LoomConfig.UNLIMITED)) {
            int source = loom.defineSource("log", Formats.text());
            for (int i = 0; i < 15; i++) {
                push(loom, source, 100);
                assertTrue(finish(loom));
            }
            merging.set(true);
            push(loom, source, 100);
            assertTrue(finish(loom));
            assertNotNull(deleted.get());
            assertTrue(loom.info().writer().orElseThrow().textIndexFailure().isEmpty());
        }
    }

    /** As when little is imported again and again. */
    @Test
    void shouldPutUnitsTogetherThatSomebodyAskedFor() {
        try (Loom loom = open()) {
            int source = loom.defineSource("log", Formats.text());
            for (int i = 0; i < 40; i++) {
                push(loom, source, 100);
                assertTrue(finish(loom));
            }
            assertTrue(files().size() < 16, () -> String.join("\n", files()));
            assertTrue(
                    index(loom, source).columnUnits() > 24,
                    () -> index(loom, source).toString());
        }
    }

    @Test
    void shouldTakeANewDefinitionForLaterRecords() {
        try (Loom loom = open()) {
            int source = loom.defineSource("log", Formats.text());
            push(loom, source, 1_000);
            assertTrue(finish(loom));
            List<String> before = files();
            loom.setAttributes(source, Map.of(IndexedText.ATTRIBUTE, ""));
            push(loom, source, 1_000);
            assertTrue(finish(loom));
            assertEquals(before, files());
            int wrong = loom.defineSource("wrong", Formats.text(), Map.of(IndexedText.ATTRIBUTE, "body:words"));
            push(loom, wrong, 1_000);
            finish(loom);
            assertTrue(loom.info().writer().orElseThrow().textIndexFailure().isPresent());
            loom.setAttributes(wrong, Map.of(IndexedText.ATTRIBUTE, "line:words"));
            push(loom, wrong, 1_000);
            assertTrue(finish(loom));
            assertEquals(0, index(loom, wrong).recordsLeft());
            assertTrue(loom.info().writer().orElseThrow().textIndexFailure().isEmpty());
        }
    }

    private static long endOf(String name) {
        return Long.parseLong(name.substring(27, 47));
    }

    @Test
    void shouldVerifyAndBuildAgain() throws IOException {
        int source;
        Path directory = temp.resolve("store");
        try (Loom loom = open()) {
            source = loom.defineSource("log", Formats.text());
            for (int i = 0; i < 6; i++) {
                push(loom, source, 3_000);
                assertTrue(finish(loom));
            }
        }
        assertEquals(
                0,
                StoreVerifier.verify(directory, (file, offset, message) -> {}).problems());
        Path damaged = directory.resolve("text").resolve(files().get(2));
        byte[] bytes = Files.readAllBytes(damaged);
        bytes[bytes.length / 2] ^= 1;
        Files.write(damaged, bytes);
        List<Path> reported = new ArrayList<>();
        StoreVerifier.verify(directory, (file, offset, message) -> reported.add(file));
        assertEquals(
                List.of(damaged.getFileName()),
                reported.stream().map(Path::getFileName).toList());
        StoreVerifier.repair(directory, (file, offset, reason, copy) -> {}, (done, total) -> true);
        assertEquals(
                0,
                StoreVerifier.verify(directory, (file, offset, message) -> {}).problems());
        assertTrue(
                files().size() <= 2 || !files().contains(damaged.getFileName().toString()), files()::toString);
        try (Loom loom = open()) {
            assertTrue(finish(loom));
            assertEquals(0, index(loom, source).recordsLeft());
        }
    }

    @Test
    void shouldDeleteWhatACrashLeft() throws IOException {
        int source;
        try (Loom loom = open()) {
            source = loom.defineSource("log", Formats.text());
            push(loom, source, 3_000);
            assertTrue(finish(loom));
        }
        Path folder = temp.resolve("store").resolve("text");
        List<String> before = files();
        Files.write(folder.resolve(before.get(0) + ".tmp"), new byte[10]);
        open().close();
        assertEquals(before, files());
    }
}
