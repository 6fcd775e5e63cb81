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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
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
}
