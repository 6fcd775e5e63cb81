package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.error.StoreIoException;
import dev.loom.log.FilePart;
import dev.loom.log.PageDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of damage, the list of them, and what counts as known because of it. */
final class SetAsideTest {
    private static final int PAGE = PageDescriptor.PAGE_LENGTH;
    private static final long TO_END = Long.MAX_VALUE;

    @TempDir
    Path store;

    private final SwitchedDisk disk = new SwitchedDisk();
    private final List<String> told = new ArrayList<>();
    private final byte[] bytes = new byte[3 * PAGE + 100];
    private Path segment = Path.of("");
    private Path index = Path.of("");
    private SetAside aside;

    private SetAside newSetAside() {
        return new SetAside(disk, store, (file, offset, reason, copy) -> {
            told.add(file.getFileName() + "@" + offset + " " + reason);
            disk.changes.add("told");
        });
    }

    @BeforeEach
    void write() throws IOException {
        new Random(1).nextBytes(bytes);
        segment = Files.write(Files.createDirectory(store.resolve("record")).resolve("0.seg"), bytes);
        index = Files.write(Files.createDirectory(store.resolve("time")).resolve("0.seg"), bytes);
        aside = newSetAside();
    }

    private Path directory() {
        return Objects.requireNonNull(aside.directory());
    }

    private List<SetAside.Line> lines() {
        return SetAside.lines(disk, directory());
    }

    private boolean known(Damage kind, Path file, long offset, FilePart... parts) {
        return new KnownDamage(disk, store).contains(kind, file, offset, List.of(parts));
    }

    @Test
    void shouldCopyPartsOfFiles() throws IOException {
        assertNull(aside.directory());
        aside.copy(Damage.PAGE, segment, PAGE + 10, PAGE, PAGE, "page");
        aside.copy(Damage.AFTER_END, segment, 5, 5, TO_END, "rest");
        aside.copy(Damage.CONTENTS, index, 0, 0, TO_END, "whole");
        aside.copy(Damage.PAGE, index, 3 * PAGE, 3 * PAGE, PAGE, "short");
        Path folder = directory().resolve("record");
        assertArrayEquals(Arrays.copyOfRange(bytes, PAGE, 2 * PAGE), Files.readAllBytes(folder.resolve("0.seg.65536")));
        assertArrayEquals(Arrays.copyOfRange(bytes, 5, bytes.length), Files.readAllBytes(folder.resolve("0.seg.5")));
        assertArrayEquals(bytes, Files.readAllBytes(directory().resolve("time").resolve("0.seg")));
        assertEquals(
                List.of(
                        new SetAside.Line("PAGE", "record/0.seg", PAGE + 10, PAGE, PAGE, "record/0.seg.65536"),
                        new SetAside.Line("AFTER_END", "record/0.seg", 5, 5, bytes.length - 5, "record/0.seg.5"),
                        new SetAside.Line("CONTENTS", "time/0.seg", 0, 0, bytes.length, "time/0.seg"),
                        new SetAside.Line("PAGE", "time/0.seg", 3 * PAGE, 3 * PAGE, 100, "time/0.seg.196608")),
                lines());
        assertEquals(List.of("0.seg@65546 page", "0.seg@5 rest", "0.seg@0 whole", "0.seg@196608 short"), told);
        assertEquals(List.of(directory()), SetAside.directories(disk, store));
        List<String> text = Files.readAllLines(directory().resolve(SetAside.LIST));
        assertEquals(3 + 4, text.size());
        assertTrue(text.subList(0, 3).stream().allMatch(line -> line.startsWith("#")), text::toString);
        assertTrue(text.get(3).endsWith("\tpage"), text::toString);
    }

    /** Before the caller changes anything, and is told. */
    @Test
    void shouldBeDurableStepByStep() {
        aside.copy(Damage.PAGE, segment, PAGE, PAGE, PAGE, "page");
        String name = directory().getFileName().toString();
        assertEquals(
                List.of(
                        "sync set-aside",
                        "sync " + store.getFileName(),
                        "sync " + name,
                        "write record/0.seg.65536",
                        "sync record/0.seg.65536",
                        "sync record",
                        "write " + name + "/contents.txt",
                        "sync " + name + "/contents.txt",
                        "sync " + name,
                        "told"),
                disk.changes);
        disk.changes.clear();
        aside.note(Damage.MISSING, segment, 7, "gone");
        assertEquals(
                List.of("write " + name + "/contents.txt", "sync " + name + "/contents.txt", "sync " + name, "told"),
                disk.changes);
    }

    @Test
    void shouldCopyNothingBehindTheFilesEnd() throws IOException {
        aside.copy(Damage.AFTER_END, segment, 0, bytes.length, TO_END, "nothing");
        aside.copy(Damage.AFTER_END, segment, 0, bytes.length + 9, PAGE, "nothing");
        assertEquals(
                List.of(0L, 0L), lines().stream().map(SetAside.Line::length).toList());
        assertEquals(0, Files.size(directory().resolve(lines().get(1).copy())));
    }

    @Test
    void shouldLeaveNothingOfACopyThatTheDiskHasNoRoomFor() throws IOException {
        disk.refuseWrites("record");
        StoreIoException thrown =
                assertThrows(StoreIoException.class, () -> aside.copy(Damage.PAGE, segment, 0, 0, PAGE, "page"));
        assertTrue(thrown.getMessage().startsWith("can't be set aside, and stays as it is: "), thrown::getMessage);
        assertFalse(Files.exists(directory().resolve("record").resolve("0.seg.0")));
        assertEquals(List.of(), lines());
        assertEquals(List.of(), told);
        disk.allow();
        aside.copy(Damage.PAGE, segment, 0, 0, PAGE, "page");
        assertEquals(1, lines().size());
    }

    /** A second repair within a second has a directory of its own. */
    @Test
    void shouldNotTouchEarlierDirectories() {
        for (int i = 0; i < 3; i++) {
            aside = newSetAside();
            aside.note(Damage.MISSING, segment, i, "gone");
            assertEquals(i, lines().get(0).offset());
            assertEquals(1, lines().size());
            assertEquals(i + 1, SetAside.directories(disk, store).size());
        }
    }

    @Test
    void shouldReadNoLineThatIsNotWhole() throws IOException {
        aside.note(Damage.MISSING, segment, 1, "gone");
        aside.note(Damage.MISSING, segment, 2, "tab\tand\nline");
        Path list = directory().resolve(SetAside.LIST);
        String text = Files.readString(list);
        assertEquals(2, lines().size());
        Files.writeString(list, text.substring(0, text.length() - 1));
        assertEquals(List.of(1L), lines().stream().map(SetAside.Line::offset).toList());
        Files.writeString(
                list, text + "PAGE\tfile\tx\t0\t0\tcopy\treason\nPAGE\tfile\t0\t0\t0\nPAGE\tfile\t5\t6\t7\tcopy\n");
        assertEquals(new SetAside.Line("PAGE", "file", 5, 6, 7, "copy"), lines().get(2));
        assertEquals(3, lines().size());
        Files.writeString(list, "no line ends here");
        assertEquals(List.of(), lines());
        Files.delete(list);
        assertEquals(List.of(), lines());
    }

    @Test
    void shouldKnowDamageThatIsAsItWas() throws IOException {
        FilePart part = new FilePart(PAGE, PAGE + 50);
        assertFalse(known(Damage.PAGE, segment, PAGE + 10, part));
        // of more than a page, and not of whole pages
        aside.copy(Damage.PAGE, segment, PAGE + 10, PAGE, PAGE + 50, "page");
        assertTrue(known(Damage.PAGE, segment, PAGE + 10, part));
        assertFalse(known(Damage.PAGE, segment, PAGE + 11, part), "another place");
        assertFalse(known(Damage.PAGE, segment, PAGE + 10), "no part");
        assertFalse(known(Damage.PAGE, segment, PAGE + 10, new FilePart(PAGE + 1, PAGE + 49)), "a part of the part");
        assertFalse(known(Damage.PAGE, segment, PAGE + 10, new FilePart(PAGE, PAGE + 49)), "a shorter part");
        assertFalse(known(Damage.PAGE, segment, PAGE + 10, new FilePart(PAGE, PAGE + 51)), "a longer part");
        assertFalse(known(Damage.PAGE, segment, PAGE + 10, part, new FilePart(0, 8)), "a part more");
        aside.copy(Damage.PAGE, segment, PAGE + 10, PAGE, 8, "page");
        aside.copy(Damage.PAGE, segment, PAGE + 10, PAGE, PAGE + 50, "page");
        assertFalse(known(Damage.CONTENTS, segment, PAGE + 10, part), "another kind");
        assertFalse(known(Damage.PAGE, index, PAGE + 10, part), "another file");
        for (int at : new int[] {PAGE, 2 * PAGE, 2 * PAGE + 49}) {
            byte[] changed = bytes.clone();
            changed[at]++;
            Files.write(segment, changed);
            assertFalse(known(Damage.PAGE, segment, PAGE + 10, part), "byte=" + at);
        }
        byte[] changed = bytes.clone();
        changed[PAGE - 1]++;
        changed[2 * PAGE + 50]++;
        Files.write(segment, changed);
        assertTrue(known(Damage.PAGE, segment, PAGE + 10, part), "its neighbours do not matter");
        Files.write(segment, Arrays.copyOf(bytes, 2 * PAGE + 49));
        assertFalse(known(Damage.PAGE, segment, PAGE + 10, part), "its file ends in it");
        Files.delete(segment);
        assertFalse(known(Damage.PAGE, segment, PAGE + 10, part), "its file is missing");
        Files.write(segment, bytes);
        Path copy = directory().resolve("record").resolve("0.seg.65536-65586");
        byte[] copied = Files.readAllBytes(copy);
        Files.write(copy, Arrays.copyOf(copied, copied.length + 1));
        assertFalse(known(Damage.PAGE, segment, PAGE + 10, part), "the copy is longer");
        Files.write(copy, Arrays.copyOf(copied, copied.length - 1));
        assertFalse(known(Damage.PAGE, segment, PAGE + 10, part), "the copy is shorter");
        Files.write(copy, copied);
        assertTrue(known(Damage.PAGE, segment, PAGE + 10, part));
        Files.delete(copy);
        assertFalse(known(Damage.PAGE, segment, PAGE + 10, part), "the copy is gone");
    }

    @Test
    void shouldKnowWhatIsMissing() throws IOException {
        aside.note(Damage.MISSING, segment, 0, "missing");
        aside.note(Damage.SHORT, segment, 100, "ends early");
        assertFalse(known(Damage.MISSING, segment, 0), "it is there again");
        assertFalse(known(Damage.SHORT, segment, 100), "it is longer now");
        Files.write(segment, Arrays.copyOf(bytes, 100));
        assertTrue(known(Damage.SHORT, segment, 100));
        Files.delete(segment);
        assertTrue(known(Damage.MISSING, segment, 0));
        assertFalse(known(Damage.SHORT, segment, 100));
    }

    /** What a repair moves or rebuilds is no longer where it was, and new damage there is news. */
    @Test
    void shouldKnowOnlyWhatARepairLeavesInPlace() throws IOException {
        Path schema = Files.write(store.resolve("schema.log"), bytes);
        for (Damage kind : Damage.values()) {
            for (Path file : List.of(segment, index, schema)) {
                aside.copy(kind, file, 0, 0, 10, "damage");
            }
        }
        for (Damage kind : Damage.values()) {
            boolean ofRecords =
                    kind == Damage.PAGE || kind == Damage.CONTENTS || kind == Damage.MISSING || kind == Damage.SHORT;
            assertEquals(ofRecords || kind == Damage.SCHEMA, known(kind, segment, 0, new FilePart(0, 10)), "" + kind);
            assertEquals(kind == Damage.SCHEMA, known(kind, schema, 0, new FilePart(0, 10)), "" + kind);
            assertEquals(kind == Damage.SCHEMA, known(kind, index, 0, new FilePart(0, 10)), "" + kind);
        }
    }
}
