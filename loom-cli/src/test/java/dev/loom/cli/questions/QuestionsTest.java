package dev.loom.cli.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Guide;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Asks the questions of {@code docs/questions.md} about the {@linkplain Shop shop}, and compares the answers. {@code -Dloom.guide=write}
 * writes them into the guide. {@code -Dloom.shop=DIRECTORY} leaves the store there, for questions of one's own.
 */
class QuestionsTest {
    private static final Shop SHOP = new Shop();
    private static final String CHARTS = "(hist|diff|trace) .*|.* --step .*";
    /** A command and what it prints. */
    private static final Pattern EXAMPLE = Pattern.compile("```console\n\\$ \\./loom [^\n]+\n(.*?)```", Pattern.DOTALL);
    /** A line of a chart. */
    private static final Pattern CHART = Pattern.compile("[│└]");

    private static final Pattern SPACES = Pattern.compile(" +");
    /** How long an export took. */
    private static final Pattern DURATION = Pattern.compile("in [0-9.]+ s to");

    @TempDir
    static Path directory;

    private final Path root = Path.of("").toAbsolutePath().resolve("..").normalize();
    private final Path guide = root.resolve("docs/questions.md");

    private static Path store() {
        String kept = System.getProperty("loom.shop");
        return kept == null ? directory.resolve("shop") : Path.of(kept);
    }

    @BeforeAll
    static void fill() {
        assertFalse(Files.exists(store()), () -> "is there already: " + store());
        ShopStore.write(SHOP, store());
    }

    @Test
    void shouldAnswerWhatTheGuideSays() throws Exception {
        List<String> written = Files.readAllLines(guide);
        List<String> run =
                new Guide(root, "/tmp/shop", store()).run(written, command -> command.matches(CHARTS) ? "" : "150");
        if ("write".equals(System.getProperty("loom.guide"))) {
            Files.write(guide, run);
        }
        assertEquals(masked(written), masked(run));
    }

    @Test
    void shouldAnswerEachQuestionByOneCommand() throws Exception {
        List<String> questions = List.of(Files.readString(guide).split("\n### "));
        for (String question : questions.subList(1, questions.size())) {
            Matcher example = EXAMPLE.matcher(question);
            assertTrue(example.find(), question);
            assertTrue(question.lines().findFirst().orElseThrow().endsWith("?"), question);
            assertFalse(example.group(1).isBlank(), () -> "no answer: " + question);
            assertFalse(example.group(1).contains(Guide.PROMPT), () -> "several commands: " + question);
            assertFalse(example.find(), () -> "several examples: " + question);
        }
        assertTrue(questions.size() > 30, () -> "questions=" + (questions.size() - 1));
    }

    /** A table is as wide as the rows need that were there when it was begun: outside of charts, spaces are one. */
    private static String masked(List<String> lines) {
        return lines.stream()
                .map(line ->
                        CHART.matcher(line).find() ? line : SPACES.matcher(line).replaceAll(" "))
                .map(line -> DURATION.matcher(line).replaceAll("in N s to"))
                .map(line ->
                        line.startsWith("disk_bytes ") ? "disk_bytes N" : line) // of files that grow behind the records
                .collect(Collectors.joining("\n"));
    }
}
