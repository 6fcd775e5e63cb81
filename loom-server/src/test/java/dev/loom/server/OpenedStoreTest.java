package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.error.LoomException;
import dev.loom.format.Formats;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A store that can't be opened for writing, or that a rebuild of its indexes has closed. */
final class OpenedStoreTest {
    @TempDir
    Path temp;

    @Test
    void shouldOpenTheStoreOnceThatIsPossibleAgain() throws Exception {
        Path directory = temp.resolve("store");
        Path aside = temp.resolve("aside");
        LoomConfig config = LoomConfig.at(directory).recordRingBytes(1 << 20).build();
        try (OpenedStore store = OpenedStore.open(config, Duration.ofMillis(1), writer -> {})) {
            store.writer().orElseThrow().close();
            Files.move(directory, aside);
            Files.createFile(directory); // neither a writer nor a reader can open that
            assertThrows(IllegalStateException.class, store::rebuildIndexes);
            assertTrue(store.readOnly());
            assertFalse(store.tryToWrite());
            assertThrows(LoomException.class, store::store);
            Files.delete(directory);
            Files.move(aside, directory);
            assertTrue(store.tryToWrite());
            assertTrue(store.writer().orElseThrow().isOpen());
            assertEquals(List.of(), store.store().sources());
        }
    }

    @Test
    void shouldSayThatItHasBecomeReadOnly() throws Exception {
        Path directory = temp.resolve("store");
        LoomConfig config = LoomConfig.at(directory).recordRingBytes(1 << 20).build();
        List<String> notices = new ArrayList<>();
        try (OpenedStore store = OpenedStore.open(config, Duration.ofMillis(1), writer -> {});
                StoreWatch watch = new StoreWatch(store, notices::add)) {
            watch.look();
            assertEquals(List.of(), notices);
            for (int i = 0; i < 2; i++) {
                store.writer().orElseThrow().close();
                Path aside = Files.move(directory, temp.resolve("aside"));
                Files.createFile(directory);
                assertThrows(IllegalStateException.class, store::rebuildIndexes);
                watch.look();
                watch.look();
                Files.delete(directory);
                Files.move(aside, directory);
                watch.look();
                watch.look();
                assertEquals(2, notices.size(), notices.toString());
                assertTrue(
                        notices.get(0).startsWith("store is not writable and is served read-only: "), notices.get(0));
                assertEquals("store is open for writing and accepts records", notices.get(1));
                notices.clear();
            }
        }
    }

    @Test
    void shouldReadTheStoreMeanwhile() throws Exception {
        Path directory = temp.resolve("store");
        Path staging = temp.resolve("staging");
        LoomConfig config = LoomConfig.at(directory)
                .recordRingBytes(1 << 20)
                .stagingDirectory(staging.resolve("rings"))
                .build();
        try (OpenedStore store = OpenedStore.open(config, Duration.ofMillis(1), writer -> {})) {
            store.writer().orElseThrow().close();
            Path mark = directory.resolve("loom.mark");
            Path aside = Files.move(mark, temp.resolve("aside"));
            Files.createDirectory(mark);
            assertThrows(IllegalStateException.class, store::rebuildIndexes);
            Files.delete(mark);
            Files.move(aside, mark);
            Files.move(staging, temp.resolve("stale"));
            Files.createFile(staging);
            assertFalse(store.tryToWrite());
            assertEquals(List.of(), store.store().sources());
            Files.delete(staging);
            assertTrue(store.tryToWrite());
        }
    }

    @Test
    void shouldReadWhatAnotherWriterHasWrittenMeanwhile() throws Exception {
        Path directory = temp.resolve("store");
        LoomConfig other = LoomConfig.at(directory).recordRingBytes(1 << 20).build();
        Loom.open(other).close();
        Path obstacle = Files.createFile(temp.resolve("obstacle"));
        LoomConfig config = LoomConfig.at(directory)
                .stagingDirectory(obstacle.resolve("rings"))
                .build();
        try (OpenedStore store = OpenedStore.open(config, Duration.ofMillis(1), writer -> {})) {
            try (Loom loom = Loom.open(other)) {
                loom.defineSource("lines", Formats.text());
            }
            assertFalse(store.tryToWrite());
            try (Snapshot snapshot = store.store().snapshot()) {
                assertEquals(1, snapshot.sources().size());
            }
        }
    }

    /** A process that ends while it has a store open, as a kill would end it. Its record is in its rings alone. */
    static final class KilledWriter {
        private KilledWriter() {}

        /** Arguments: the store, and where its staging goes. */
        public static void main(String[] args) {
            Loom loom = Loom.open(LoomConfig.at(Path.of(args[0]))
                    .stagingDirectory(Path.of(args[1]))
                    .recordRingBytes(1 << 20)
                    .durabilityInterval(Duration.ofHours(1))
                    .build());
            loom.push(loom.defineSource("lines", Formats.text()), new byte[] {'a'});
            Runtime.getRuntime().halt(0);
        }

        static void run(Path store, Path staging) throws Exception {
            List<String> command = List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    KilledWriter.class.getName(),
                    store.toString(),
                    staging.toString());
            Process process = new ProcessBuilder(command).inheritIO().start();
            try {
                assertTrue(process.waitFor(2, TimeUnit.MINUTES));
                assertEquals(0, process.exitValue());
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static boolean isMapped(Path folder) throws IOException {
        String mapped = Files.readString(Path.of("/proc/self/maps"), StandardCharsets.ISO_8859_1);
        return mapped.contains(folder.toString());
    }

    /** On tmpfs, what is mapped keeps its room though it was deleted. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldLeaveTheRingsOfAKilledWriterOnceTheyAreRecovered() throws Exception {
        Path directory = temp.resolve("store");
        Path rings = Files.createDirectory(temp.resolve("rings")).toRealPath();
        KilledWriter.run(directory, rings);
        // the recovery can't write the record there
        Path segment = Files.createDirectory(directory.resolve("record/00000000000000000000.seg"));
        Path obstacle = Files.createFile(temp.resolve("obstacle"));
        LoomConfig config = LoomConfig.at(directory)
                .recordRingBytes(1 << 20)
                .stagingDirectory(obstacle.resolve("rings"))
                .build();
        try (OpenedStore store = OpenedStore.open(config, Duration.ofMillis(1), writer -> {})) {
            assertEquals(1, store.store().sources().size());
            assertTrue(isMapped(rings));
            Files.delete(segment);
            assertFalse(store.tryToWrite(), "it is recovered, but has no place for staging");
            assertFalse(isMapped(rings));
            assertEquals(1, store.store().sources().size());
            Files.delete(obstacle);
            assertTrue(store.tryToWrite());
            try (Snapshot snapshot = store.store().snapshot()) {
                int id = snapshot.sources().get(0).id();
                assertEquals(1, snapshot.statistics(id).records());
            }
        }
    }
}
