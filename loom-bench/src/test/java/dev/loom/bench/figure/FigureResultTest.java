package dev.loom.bench.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FigureResultTest {
    @TempDir
    private Path directory;

    @Test
    void shouldReadWhatWasWritten() throws IOException {
        final FigureResult result = result().row("rate", "loom", "8", 3, 1, 2, 8)
                .row("rate", "rocksdb", "8", 0.5)
                .note("lmdb", "skipped: one thread only");

        result.write(directory.resolve("new/folder").toString());
        final FigureResult read = FigureResult.read(directory.resolve("new/folder/figure-15.json"));

        assertEquals(List.of("15", "Ingest", "Some --a b"), List.of(read.figure(), read.title(), read.command()));
        assertEquals(Map.of("commit", "abc"), read.machine());
        assertEquals(result.panels(), read.panels());
        assertEquals(result.rows("rate"), read.rows("rate"));
        assertEquals(
                new FigureRow("rate", "loom", "8", 2.5, 1, 8, List.of(3.0, 1.0, 2.0, 8.0)),
                read.rows("rate").get(0));
        assertEquals(Map.of("lmdb", "skipped: one thread only"), read.notes());
    }

    @Test
    void shouldWriteNothingWithoutAFolder() throws IOException {
        result().write("");

        try (var files = Files.list(directory)) {
            assertEquals(List.of(), files.toList());
        }
    }

    @Test
    void shouldRefuseWhatCannotBeDrawn() {
        final FigureResult result = result();

        assertThrows(IllegalArgumentException.class, () -> result.row("other", "loom", "8", 1));
        assertThrows(IllegalArgumentException.class, () -> result.row("rate", "loom", "8"));
        assertThrows(IllegalArgumentException.class, () -> result.row("rate", "loom", "8", 1, Double.NaN));
    }

    private static FigureResult result() {
        return new FigureResult("15", "Ingest", "Some --a b", Map.of("commit", "abc"))
                .panel(FigurePanel.lines("rate", "Ingest", "payload, B", "M records/s")
                        .logX()
                        .logY()
                        .line(10, "interactive"));
    }
}
