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
