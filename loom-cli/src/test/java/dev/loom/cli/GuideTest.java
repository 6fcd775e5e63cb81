package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the examples of {@code docs/cli.md}, one after the other, and compares what they print on a terminal, but for what
 * differs from run to run. {@code -Dloom.guide=write} writes it into the guide.
 */
class GuideTest {
    private static final String STORE = "/tmp/redis";
    private static final String PROMPT = "$ ";
    private static final String COMMAND = "$ ./loom ";
    private static final List<String> RECORDS =
            List.of("scan", "tail", "top", "correlate", "diff", "agg", "values", "hist", "metrics", "series", "trace");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
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
        List<String> run = run(written);
        if ("write".equals(System.getProperty("loom.guide"))) {
            Files.write(guide, run);
        }
        assertEquals(masked(written), masked(run));
    }

    private List<String> run(List<String> written) throws Exception {
        List<String> run = new ArrayList<>();
        boolean example = false;
        for (String line : written) {
            example = example ? !line.equals("```") : line.equals("```console");
            boolean command = example && line.startsWith(PROMPT);
            if (!example || command || line.equals("```console")) {
                run.add(line);
            }
            if (command && line.startsWith(COMMAND)) {
                print(line.substring(COMMAND.length()))
                        .lines()
                        .map(String::stripTrailing)
                        .forEach(run::add);
            } else if (command) {
                shell(line.substring(PROMPT.length()));
            }
        }
        return run;
    }

    private Path store() {
        return directory.resolve("store");
    }

    private String print(String command) {
        List<String> arguments = new ArrayList<>();
        Matcher word = WORD.matcher(command);
        while (word.find()) {
            String text = Objects.requireNonNullElse(word.group(1), word.group(2));
            String here = text.startsWith(STORE) ? text.replace(STORE, store().toString()) : text;
            arguments.add(here.startsWith("loom-cli/") ? root.resolve(here).toString() : here);
        }
        ByteArrayOutputStream terminal = new ByteArrayOutputStream();
        // charts are as wide as the terminal, and nothing of a table is cut off in a wide one
        Cli cli = Cli.on(store())
                .outTerminal()
                .environment("NO_COLOR", "1")
                .environment("COLUMNS", command.matches("(hist|diff|trace ).*|(agg|series).* --step .*") ? "" : "400");
        Main.run(cli.console(terminal, terminal), arguments.toArray(String[]::new));
        return terminal.toString(StandardCharsets.UTF_8).replace(store().toString(), STORE);
    }

    private void shell(String command) throws IOException, InterruptedException {
        String here = command.replace(STORE, store().toString());
        assertEquals(0, new ProcessBuilder("sh", "-c", here).start().waitFor(), here);
    }

    /** Of what describes the store or the run itself, names and words are compared, of records all but the arrival. */
    private static String masked(List<String> lines) {
        StringBuilder masked = new StringBuilder();
        boolean records = false;
        for (String line : lines) {
            if (line.startsWith(PROMPT)) {
                records = RECORDS.stream().anyMatch(command -> line.startsWith(COMMAND + command));
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
