package dev.loom.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TablesTest {
    private static final Path DOCS = Path.of("..", "docs");

    private static List<String> tables(Path results) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Tables.run(new PrintStream(out, true, StandardCharsets.UTF_8), "--results", results.toString());
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void shouldPrintWhatTheEvaluationTells() throws Exception {
        Set<String> printed = Set.copyOf(tables(DOCS.resolve(Path.of("pictures", "evaluation"))));
        List<String> told = Files.readAllLines(DOCS.resolve("evaluation.md")).stream()
                .dropWhile(line -> !line.startsWith("## "))
                .takeWhile(line -> !line.startsWith("## Other runs"))
                .filter(line -> line.matches("\\| [^|]+ \\| .*\\[.*"))
                .toList();
        assertTrue(told.size() > 80, "rows=" + told.size());
        assertEquals(
                List.of(), told.stream().filter(row -> !printed.contains(row)).collect(Collectors.toList()));
    }

    @Test
    void shouldLeaveOutWhatWasNotMeasured(@TempDir Path empty) {
        assertEquals(List.of(), tables(empty));
    }
}
