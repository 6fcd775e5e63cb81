package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the examples of {@code docs/cli.md}, one after the other, and compares what they print on a terminal, except for what
 * differs from run to run. {@code -Dloom.guide=write} writes it into the guide.
 */
class GuideTest {
    private static final String STORE = "/tmp/redis";

    private static final List<String> RECORDS =
            List.of("scan", "tail", "top", "correlate", "diff", "agg", "values", "hist", "metrics", "series", "trace");
    private static final String CHARTS = "(hist|diff|trace ).*|(agg|series).* --step .*";
    /** All times but those of the capture. */
    private static final Pattern ARRIVAL =
            Pattern.compile("2\\d{3}-(?!11-21T02:46)[0-9T:.-]+Z|\\b(?!02:46)\\d\\d:\\d\\d:\\d\\d\\.\\d+|\\b\\d{19}\\b");

    private static final Pattern ADDRESS = Pattern.compile("(?<=\\.\\d{9}  )\\d+|(?<=\"addr\":)\\d+");
    private static final Pattern NUMBERS = Pattern.compile("[0-9a-f]*\\d[0-9a-f.]*");
    private static final Pattern SPACES = Pattern.compile(" +");

    @TempDir
    Path directory;

    private final Path root = Path.of("").toAbsolutePath().resolve("..").normalize();
    private final Path guide = root.resolve("docs/cli.md");

    @Test
    void shouldPrintWhatTheGuideSays() throws Exception {
        List<String> written = Files.readAllLines(guide);
        // charts are as wide as the terminal, and nothing of a table is cut off in a wide one
        List<String> run = new Guide(root, STORE, directory.resolve("store"))
                .run(written, command -> command.matches(CHARTS) ? "" : "400");
        if ("write".equals(System.getProperty("loom.guide"))) {
            Files.write(guide, run);
        }
        assertEquals(masked(written), masked(run));
    }

    /** Of what describes the store or the run itself, names and words are compared, of records all but the arrival. */
    private static String masked(List<String> lines) {
        StringBuilder masked = new StringBuilder();
        boolean records = false;
        for (String line : lines) {
            if (line.startsWith(Guide.PROMPT)) {
                records = RECORDS.stream().anyMatch(command -> line.startsWith(Guide.COMMAND + command));
                masked.append(line);
            } else {
                String text = ADDRESS.matcher(ARRIVAL.matcher(line).replaceAll("ARRIVAL"))
                        .replaceAll("ADDRESS");
                boolean whole = records && !line.startsWith("{\"explain\"");
                masked.append(
                        SPACES.matcher(whole ? text : NUMBERS.matcher(text).replaceAll("N"))
                                .replaceAll(" "));
            }
            masked.append('\n');
        }
        return masked.toString();
    }
}
