package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.loom.api.StagedStore;
import dev.loom.api.StagedStore.State;
import dev.loom.io.FileId;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which staging is left over. The stores lie on a small file system, which can be searched. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StagedStoresTest {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int RECORDS = 1_000;

    @TempDir
    Path staging;

    private Path stores = Path.of("");

    @BeforeEach
    void place() throws IOException {
        assumeTrue(Files.isDirectory(MEMORY), "left out without " + MEMORY);
        // an opening searches no more than 2,000 files for a store that was moved
        assumeTrue(hasFewFiles(MEMORY.toFile()), "left out where " + MEMORY + " has many files");
        stores = Files.createTempDirectory(MEMORY, "staged-stores");
    }

    private static boolean hasFewFiles(File directory) {
        Deque<File> folders = new ArrayDeque<>(List.of(directory));
        int files = 0;
        while (!folders.isEmpty() && files < 1_500) {
            // null if another process deletes it meanwhile
            for (File each : Objects.requireNonNullElse(folders.pop().listFiles(), new File[0])) {
                files++;
                if (each.isDirectory()) {
                    folders.push(each);
                }
            }
        }
        return folders.isEmpty();
    }

    @AfterEach
    void clean() throws IOException {
        // relative, and so the working directory, where the test was left out
        if (stores.isAbsolute() && Files.exists(stores)) {
            delete(stores);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private Path store() {
        return stores.resolve("store");
    }

    private JavaProcess writer() throws IOException {
        JavaProcess writer = JavaProcess.start(WriterProcess.class, store(), staging);
        assertEquals("ok", writer.ask("open"));
        assertEquals("ok", writer.ask("push " + RECORDS));
        return writer;
    }

    private void killedWriter() throws IOException {
        try (JavaProcess writer = writer()) {
            writer.kill();
        }
    }

    private void openAnother() {
        open(stores.resolve("another"));
    }

    private void open(Path store) {
        Loom.open(WriterProcess.config(store).stagingDirectory(staging).build()).close();
    }

    private List<StagedStore> find() {
        return StagedStores.find(staging, Long.MAX_VALUE);
    }

    private StagedStore only() {
        List<StagedStore> found = find();
        assertEquals(1, found.size(), found::toString);
        return found.get(0);
    }

    private StagedStore only(State state) {
        StagedStore only = only();
        assertEquals(state, only.state(), only::toString);
        return only;
    }

    private static long records(Path store) {
        try (LoomReader reader = LoomReader.attach(store)) {
            return reader.snapshot()
                    .statistics(reader.source("written").orElseThrow().id())
                    .records();
        }
    }

    @Test
    void shouldRemoveWhatADeletedStoreLeftWhenTheNextOneIsOpened() throws IOException {
        killedWriter();
        StagedStore dead = only(State.DEAD);
        assertEquals(Optional.of(store()), dead.directory());
        assertTrue(dead.bytes() >= 3L * LoomConfig.RING_BYTES_MIN, dead::toString);
        assertThrows(IllegalArgumentException.class, () -> StagedStores.remove(dead));
        openAnother();
        assertEquals(dead, only(), "staging that its store needs");
        delete(store());
        assertEquals("its store was deleted", only(State.ORPHANED).reason());
        openAnother();
        assertEquals(List.of(), find());
    }

    @Test
    void shouldKeepWhatAMovedStoreNeeds() throws IOException {
        killedWriter();
        Path moved = Files.createDirectories(stores.resolve("deep/er")).resolve("moved");
        Files.move(store(), moved);
        assertEquals(Optional.of(moved), only(State.DEAD).directory());
        openAnother();
        open(store());
        assertEquals(State.DEAD, only().state(), "with another store in its place");
        open(moved);
        assertEquals(RECORDS, records(moved));
        assertEquals(List.of(), find());
    }

    @Test
    void shouldKeepWhatAStoreNeedsWhoseFilesWereMoved() throws IOException {
        killedWriter();
        Path moved = Files.createDirectory(stores.resolve("moved"));
        try (Stream<Path> files = Files.list(store())) {
            for (Path each : files.toList()) {
                Files.move(each, moved.resolve(each.getFileName()));
            }
        }
        openAnother();
        assertEquals(Optional.of(moved), only(State.DEAD).directory());
        Files.move(moved.resolve("loom.mark"), moved.resolve("aside"));
        openAnother();
        only(State.DEAD);
        Files.move(moved.resolve("aside"), moved.resolve("loom.mark"));
        open(moved);
        assertEquals(RECORDS, records(moved));
    }

    @Test
    void shouldNotRemoveWhatAWriterHasWhoseStoreIsDeleted() throws IOException {
        try (JavaProcess writer = writer()) {
            delete(store());
            only(State.LIVE);
            writer.signal("STOP");
            openAnother();
            only(State.LIVE);
        }
        only(State.ORPHANED);
        openAnother();
        assertEquals(List.of(), find());
    }

    @Test
    void shouldBeOrphanedWhenItsStoreHasHadAnotherSession() throws IOException {
        killedWriter();
        Path left = only().staging();
        Path aside = staging.resolve("aside");
        Files.move(left, aside);
        open(store());
        Files.move(aside, left);
        assertEquals(
                "its store has had another session, or was closed",
                only(State.ORPHANED).reason());
        openAnother();
        assertEquals(List.of(), find());
    }

    /** A file system on a disk gives the numbers of deleted files to new ones. */
    private void giveTheMarksIdentityTo(Path file) throws IOException {
        Path home = only().staging().resolve("home");
        String[] lines = Files.readString(home).split("\n", 2);
        String[] words = lines[0].split(" ", -1);
        FileId id = FileId.of(file);
        words[4] = Long.toString(id.device());
        words[5] = Long.toString(id.inode());
        Files.writeString(home, String.join(" ", words) + '\n' + lines[1]);
    }

    @Test
    void shouldRemoveWhatADeletedStoreLeftWhoseMarksIdentityAnotherFileHas() throws IOException {
        killedWriter();
        delete(store());
        Path other = Files.createDirectory(stores.resolve("other"));
        giveTheMarksIdentityTo(Files.writeString(other.resolve("file"), "no mark"));
        StagedStore orphaned = only(State.ORPHANED);
        assertEquals("its store was deleted", orphaned.reason());
        assertEquals(Optional.of(store()), orphaned.directory());
        openAnother();
        assertEquals(List.of(), find());
    }

    @Test
    void shouldRemoveWhatADeletedStoreLeftWhoseMarksIdentityAnotherStoreHas() throws IOException {
        killedWriter();
        openAnother();
        delete(store());
        giveTheMarksIdentityTo(stores.resolve("another/loom.mark"));
        assertEquals(Optional.of(store()), only(State.ORPHANED).directory());
        openAnother();
        assertEquals(List.of(), find());
    }

    @Test
    void shouldKeepWhatAMovedStoreNeedsWhoseMarkIsDamaged() throws IOException {
        killedWriter();
        Path moved = Files.move(store(), stores.resolve("moved")).resolve("loom.mark");
        byte[] mark = Files.readAllBytes(moved);
        for (int i = Long.BYTES; i < mark.length; i += Long.BYTES) {
            mark[i] ^= 1; // what tells a mark from other files stays in the first slot
        }
        Files.write(moved, mark);
        assertEquals("its store's mark can't be read", only(State.UNKNOWN).reason());
        openAnother();
        only(State.UNKNOWN);
    }

    @Test
    void shouldKeepWhatCanNotBeProvenToBeLeftOver() throws IOException {
        killedWriter();
        delete(store());
        StagedStore missing = StagedStores.find(staging, 1).get(0);
        assertEquals(State.MISSING, missing.state());
        assertEquals("its store was deleted or moved: its file system has more than 1 files", missing.reason());
        assertTrue(StagedStores.remove(missing), "what the user decides");
        assertFalse(StagedStores.remove(missing), "what is gone");
        assertEquals(List.of(), find());
    }

    @Test
    void shouldTellHowManyFilesItHasSearchedAndEndIfAsked() throws IOException {
        killedWriter();
        delete(store());
        List<Long> heard = new ArrayList<>();
        StagedStores.find(staging, Long.MAX_VALUE, heard::add);
        assertEquals(LongStream.range(0, heard.size()).boxed().toList(), heard);
        assertTrue(heard.size() > 1, heard::toString);
        StagedStore missing =
                StagedStores.find(staging, Long.MAX_VALUE, files -> files < 1).get(0);
        assertEquals(State.MISSING, missing.state());
        assertEquals("its store was deleted or moved: the search of its file system was ended", missing.reason());
    }

    @Test
    void shouldKeepWhatAStoreNeedsThatIsNotMountedNow() throws Exception {
        Path point = Files.createDirectory(stores.resolve("mounted"));
        assumeTrue(run("mount", "-t", "tmpfs", "tmpfs", point), "left out, as this user can't mount");
        try {
            try (JavaProcess writer = JavaProcess.start(WriterProcess.class, point.resolve("store"), staging)) {
                assertEquals("ok", writer.ask("open"));
            }
            only(State.DEAD);
            assertTrue(run("mount", "-t", "tmpfs", "tmpfs", point));
            assertEquals(
                    "its store is not there: its file system is not mounted here",
                    only(State.MISSING).reason());
            assertTrue(run("umount", point));
            only(State.DEAD);
        } finally {
            boolean mounted = run("umount", point);
            while (mounted) {
                mounted = run("umount", point); // one more only if the test failed in between
            }
        }
        only(State.MISSING);
        Files.delete(point);
        only(State.MISSING);
        openAnother();
        only(State.MISSING);
    }

    private static boolean run(Object... command) throws Exception {
        List<String> words = Stream.of(command).map(Object::toString).toList();
        return new ProcessBuilder(words).start().waitFor() == 0;
    }

    @Test
    void shouldNotTouchWhatItDoesNotUnderstand() throws Exception {
        killedWriter();
        Path dead = only().staging();
        delete(store());
        Path other = Files.createDirectory(staging.resolve("loom-1-1"));
        Files.createSymbolicLink(staging.resolve("loom-1-2"), dead);
        Files.createDirectory(staging.resolve("loom-1-x"));
        Files.createFile(staging.resolve("loom-1-3"));
        assertEquals(State.UNKNOWN, find().get(0).state(), "empty");
        assertTrue(run("mkfifo", other.resolve("owner")));
        assertTrue(run("mkfifo", other.resolve("home")));
        assertEquals(State.UNKNOWN, find().get(0).state(), "of pipes");
        Files.delete(other.resolve("owner"));
        Files.delete(other.resolve("home"));
        Files.copy(dead.resolve("home"), other.resolve("home"));
        Files.copy(dead.resolve("owner"), other.resolve("owner"));
        assertEquals(State.UNKNOWN, find().get(0).state(), "a copy");
        for (String home :
                List.of("", "tmpfs 0 0 0 0 0\nrelative", "tmpfs 9 1 1 1 1\n/a", "tmpfs 1 1 1 1\n/a/b", "\0")) {
            Files.writeString(dead.resolve("home"), home);
            openAnother();
            List<StagedStore> found = find();
            assertEquals(2, found.size(), home);
            assertEquals(State.UNKNOWN, found.get(1).state(), home);
        }
    }

    @Test
    void shouldLeaveTheStagingOfOthersToThem() throws Exception {
        killedWriter();
        delete(store());
        assumeTrue(run("chown", "-R", "65534", only().staging()), "left out, as this user can't give files away");
        StagedStore orphaned = only(State.ORPHANED);
        assertFalse(orphaned.own());
        assertFalse(StagedStores.remove(orphaned));
        openAnother();
        only(State.ORPHANED);
    }

    /** What is opened, written, killed and recovered while somebody else removes orphans all the time loses nothing. */
    @Test
    void shouldDisturbNobodyWhoOpensMeanwhile() throws Exception {
        Thread remover = new Thread(() -> {
            while (!Thread.interrupted()) {
                find().stream().filter(each -> each.state() == State.ORPHANED).forEach(StagedStores::remove);
            }
        });
        remover.start();
        try {
            for (int i = 1; i <= 8; i++) {
                killedWriter();
                assertEquals((long) i * RECORDS, records(store()));
            }
        } finally {
            remover.interrupt();
            remover.join();
        }
        open(store());
        assertEquals(8L * RECORDS, records(store()));
        assertEquals(List.of(), find());
    }
}
