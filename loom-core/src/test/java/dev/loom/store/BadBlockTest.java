package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.BadDisk;
import dev.loom.Loom;
import dev.loom.StoreAccess;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.error.StoreIoException;
import dev.loom.io.LenientStorage;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.Segments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A block that the disk does not deliver, after a power cut, where recovery looks for the ends of the logs. The oracle is the list of what
 * was pushed.
 */
final class BadBlockTest extends StoreFixture {
    private static final int BLOCK = 4096;
    private static final int USED_OFFSET = 32;

    private final BadDisk bad = new BadDisk();
    private StoreImage image;
    /** The end of what the mark calls durable. */
    private long durable;
    /** The end of what is in segment files. */
    private long end;

    private Path mark() {
        return store().resolve("loom.mark");
    }

    private Path openPage() {
        return store().resolve("open.page");
    }

    private Segments records() {
        return new StoreFiles(store()).segments(LogKind.RECORD, SEGMENT);
    }

    private static byte[] content(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void cutPower() {
        image = kill();
        image.cutPower();
        markEarlierBoot();
        image = StoreImage.of(store());
    }

    /** A store whose mark is older than the last pages of all its logs. */
    private void writeBeyondTheMark() throws IOException {
        openFirst();
        push(300);
        loom.force();
        durable = loom.info().records().durable();
        byte[] mark = content(mark());
        push(500);
        loom.force();
        end = loom.info().records().durable();
        assertTrue(end >= durable + 4 * PAGE);
        disk.refuseChanges();
        image = StoreImage.of(store());
        assertThrows(StoreIoException.class, loom::close);
        image.restore();
        image.cutPower();
        Files.write(mark(), mark);
        markEarlierBoot();
        image = StoreImage.of(store());
    }

    private void spoil(long address, int length) {
        bad.spoil(records().file(address), address % SEGMENT, length);
    }

    private List<Pushed> below(long address) {
        return pushed.stream().filter(record -> record.address() < address).toList();
    }

    private void assertRefused(Path file, long offset) {
        assertRefused(() -> open(bad, builder -> builder), file, offset, "loom verify --repair");
    }

    private static void assertRefused(Executable call, Path file, long offset, String why) {
        String message = assertThrows(StoreIoException.class, call).getMessage();
        assertTrue(message.contains("file=" + file + ", offset=" + offset), message);
        assertTrue(message.contains(why), message);
    }

    /** What is there still, once the disk delivers everything. */
    private void assertRecovers(List<Pushed> expected) {
        bad.recover();
        clockNs = FIRST_TIME + 1_000_000;
        open(bad, builder -> builder).close();
        assertWhole(expected);
    }

    private List<String> problems(Storage storage) {
        List<String> problems = new ArrayList<>();
        StoreVerification.run(
                storage,
                store(),
                (file, offset, message, known) ->
                        problems.add(file.getFileName() + "@" + offset + " " + message + (known ? " (known)" : "")),
                (done, total) -> true);
        return problems;
    }

    private Path repair() {
        List<Path> before = SetAside.directories(Storage.DISK, store());
        StoreAccess.repair(store(), bad, builder -> builder.segmentBytes(SEGMENT));
        List<Path> directories = new ArrayList<>(SetAside.directories(Storage.DISK, store()));
        directories.removeAll(before);
        assertEquals(1, directories.size());
        return directories.get(0);
    }

    private List<Long> read(Snapshot snapshot, Predicate<RecordCursor> damaged) {
        List<Long> values = new ArrayList<>();
        for (int source = 1; source <= 2; source++) {
            try (RecordCursor cursor = snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
                while (cursor.next()) {
                    values.add(cursor.buffer().getLong(cursor.offset(), ByteOrder.LITTLE_ENDIAN));
                }
                assertTrue(damaged.test(cursor));
            }
        }
        return values;
    }

    private static List<Long> values(List<Pushed> records) {
        return IntStream.of(1, 2)
                .boxed()
                .flatMap(source -> records.stream().filter(record -> record.source() == source))
                .map(Pushed::value)
                .toList();
    }

    /** Whatever the disk delivers later: what follows is not known to the reader. */
    private void assertReadersMissSomethingBehind(List<Pushed> expected) {
        try (AttachedStore attached = AttachedStore.attach(store(), bad)) {
            bad.recover();
            try (Snapshot snapshot = attached.snapshot()) {
                assertEquals(values(expected), read(snapshot, cursor -> cursor.damaged() == 1));
                assertEquals(expected.get(expected.size() - 1).timeNs(), snapshot.lastTimeNs());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 15})
    void shouldEndTheLogForReadersAtABadBlockAndSayThatSomethingIsMissing(int block) throws IOException {
        writeBeyondTheMark();
        for (long page = durable; page < end; page += PAGE) {
            spoil(page + (long) block * BLOCK, BLOCK);
            assertReadersMissSomethingBehind(below(page));
        }
        try (AttachedStore attached = AttachedStore.attach(store(), bad);
                Snapshot snapshot = attached.snapshot()) {
            assertEquals(values(pushed), read(snapshot, cursor -> cursor.damaged() == 0));
        }
    }

    /** The disk may deliver it again, and then nothing is lost. */
    @Test
    void shouldRefuseToWriteWhereTheLogMayGoOnAndLoseNothing() throws IOException {
        writeBeyondTheMark();
        for (LogKind kind : LogKind.values()) {
            long ended = new MarkFile(Storage.DISK, mark()).read().durable(kind);
            Path file = new StoreFiles(store()).segments(kind, SEGMENT).file(ended);
            bad.spoil(file, ended % SEGMENT + BLOCK, BLOCK);
            for (int i = 0; i < 2; i++) {
                assertRefused(file, ended % SEGMENT);
            }
            bad.recover();
        }
        assertRecovers(pushed);
    }

    @Test
    void shouldNameABadBlockAtTheLogsEnd() throws IOException {
        writeBeyondTheMark();
        spoil(durable, BLOCK);
        List<String> problems = problems(bad);
        String name = records().file(durable).getFileName() + "@" + durable % SEGMENT + " ";
        assertTrue(
                problems.contains(name + "at the record log's end the disk does not deliver bytes=" + durable % SEGMENT
                        + "-" + (durable % SEGMENT + BLOCK - 1)),
                problems::toString);
    }

    /** What is behind the bad block is cut off, as behind a damaged page, except for what can't be copied. */
    @ParameterizedTest
    @ValueSource(ints = {1, 16})
    void shouldRepairWithoutABadBlock(int blocks) throws IOException {
        writeBeyondTheMark();
        long page = durable + PAGE;
        spoil(page, blocks * BLOCK);
        Path aside = repair();
        Path file = records().file(page);
        byte[] expected = Arrays.copyOfRange(image.content(file), (int) (page % SEGMENT), image.content(file).length);
        Arrays.fill(expected, 0, blocks * BLOCK, LenientStorage.FILLER);
        Path copy =
                aside.resolve("record").resolve(file.getFileName() + (page % SEGMENT == 0 ? "" : "." + page % SEGMENT));
        assertArrayEquals(expected, content(copy));
        for (Path later : image.files("record/")) {
            if (Segments.firstOf(later) > Segments.firstOf(file)) {
                assertArrayEquals(
                        image.content(later), content(aside.resolve("record").resolve(later.getFileName())));
            }
        }
        String list = Files.readString(aside.resolve(SetAside.LIST));
        assertTrue(
                list.contains("bytes=[" + page % SEGMENT + "-" + (page % SEGMENT + (long) blocks * BLOCK - 1) + "]"),
                list);
        assertRecovers(below(page));
    }

    /** Repaired with all that does not depend on it, and cut off nowhere. */
    @Test
    void shouldRepairAStoreWithABadBlockBelowItsEnd() throws IOException {
        writeBeyondTheMark();
        long page = durable - PAGE;
        spoil(page + BLOCK, BLOCK);
        Path file = records().file(page);
        Path aside = repair();
        byte[] expected =
                Arrays.copyOfRange(image.content(file), (int) (page % SEGMENT), (int) (page % SEGMENT) + PAGE);
        Arrays.fill(expected, BLOCK, 2 * BLOCK, LenientStorage.FILLER);
        assertArrayEquals(
                expected, content(aside.resolve("record").resolve(file.getFileName() + "." + page % SEGMENT)));
        List<Pushed> rest = pushed.stream()
                .filter(record -> record.address() < page || record.address() >= page + PAGE)
                .toList();
        try (Loom loom = open(bad, builder -> builder);
                Snapshot snapshot = loom.snapshot()) {
            assertEquals(values(rest), read(snapshot, cursor -> cursor.damaged() == 1));
        }
        assertEquals(
                List.of(file.getFileName() + "@" + page % SEGMENT + " page is damaged: address=" + page + " (known)"),
                problems(bad));
    }

    /** A store whose last records are in the two copies of its open page alone. */
    private List<Pushed> writeCopies() {
        loom = open(disk, builder -> builder.durabilityInterval(Duration.ofMillis(1)));
        loom.defineSource("first", FORMAT);
        loom.defineSource("second", FORMAT);
        List<Pushed> earlier = List.of();
        for (int i = 0; i < 5; i++) {
            earlier = List.copyOf(pushed);
            push(2);
            while (loom.info().records().durable() < loom.info().records().tail()) {
                Thread.onSpinWait();
            }
        }
        cutPower();
        return earlier;
    }

    private int later() {
        ByteBuffer slots = ByteBuffer.wrap(content(openPage())).order(ByteOrder.LITTLE_ENDIAN);
        return slots.getInt(USED_OFFSET) > slots.getInt(PAGE + USED_OFFSET) ? 0 : 1;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReadTheCopyOfTheOpenPageThatIsDelivered(boolean laterIsBad) {
        List<Pushed> earlier = writeCopies();
        List<Pushed> expected = laterIsBad ? earlier : pushed;
        int slot = laterIsBad ? later() : 1 - later();
        bad.spoil(openPage(), (long) slot * PAGE, PAGE);
        assertReadersMissSomethingBehind(expected);
        bad.spoil(openPage(), (long) slot * PAGE, PAGE);
        assertEquals(1, problems(bad).size(), problems(bad)::toString);
        assertRefused(openPage(), (long) slot * PAGE);
        image.restore();
        assertRecovers(pushed);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRepairWithTheCopyThatIsDelivered(boolean laterIsBad) {
        List<Pushed> earlier = writeCopies();
        int slot = laterIsBad ? later() : 1 - later();
        bad.spoil(openPage(), slot * PAGE + BLOCK / 2, 1);
        byte[] expected = image.content(openPage()).clone();
        Arrays.fill(expected, slot * PAGE, slot * PAGE + BLOCK, LenientStorage.FILLER);
        assertArrayEquals(expected, content(repair().resolve("open.page")));
        assertFalse(Files.exists(openPage()));
        assertRecovers(laterIsBad ? earlier : pushed);
    }

    @Test
    void shouldRepairWithoutEitherCopy() {
        writeCopies();
        bad.spoil(openPage(), 0, 2 * PAGE);
        assertTrue(Files.exists(repair().resolve("open.page")));
        assertEquals(List.of(), problems(bad));
    }

    @Test
    void shouldReadAndRepairWithOneSlotOfTheMark() throws IOException {
        writeBeyondTheMark();
        for (int slot = 0; slot < 2; slot++) {
            long offset = (long) slot * MarkFile.SLOT_LENGTH;
            bad.spoil(mark(), offset, MarkFile.SLOT_LENGTH);
            assertRefused(mark(), offset);
            try (AttachedStore attached = AttachedStore.attach(store(), bad);
                    Snapshot snapshot = attached.snapshot()) {
                assertEquals(values(pushed), read(snapshot, cursor -> cursor.damaged() == 0));
            }
            assertTrue(problems(bad).contains("loom.mark@" + offset + " slot of the mark is invalid"));
            bad.recover();
        }
        bad.spoil(mark(), 0, MarkFile.SLOT_LENGTH);
        StoreAccess.repair(store(), bad, builder -> builder.segmentBytes(SEGMENT));
        assertRecovers(pushed);
    }

    /** The other slot says that the store was closed, and so that nobody needs the rings. */
    @Test
    void shouldNotGoOnWithoutTheLaterSlotOfTheMark() {
        openFirst();
        loom.close();
        disk = new SwitchedDisk();
        loom = open(disk, builder -> builder);
        push(100);
        kill();
        long sequence = new MarkFile(Storage.DISK, mark()).read().sequence();
        long offset = (sequence & 1) * MarkFile.SLOT_LENGTH;
        bad.spoil(mark(), offset, MarkFile.SLOT_LENGTH);
        List<Executable> calls = List.of(
                () -> open(bad, builder -> builder),
                () -> AttachedStore.attach(store(), bad).close(),
                () -> problems(bad),
                () -> StoreAccess.repair(store(), bad, builder -> builder.segmentBytes(SEGMENT)));
        for (Executable call : calls) {
            assertRefused(call, mark(), offset, "the other says that the store was closed");
        }
        bad.recover();
        StoreAccess.repair(store(), bad, builder -> builder.segmentBytes(SEGMENT));
        assertRecovers(pushed);
    }

    /** A session that has begun, whose mark's other slot is of the one before. */
    @Test
    void shouldNotTakeALiveStoreForAClosedOneForOneFailure() {
        openFirst();
        loom.close();
        try (Loom live = open()) {
            loom = live;
            push(100);
            bad.spoil(mark(), 0, 2 * MarkFile.SLOT_LENGTH);
            bad.failuresMax = 4;
            try (AttachedStore attached = AttachedStore.attach(store(), bad);
                    Snapshot snapshot = attached.snapshot()) {
                assertTrue(attached.live());
                assertEquals(values(pushed), read(snapshot, cursor -> cursor.damaged() == 0));
            }
        }
    }
}
