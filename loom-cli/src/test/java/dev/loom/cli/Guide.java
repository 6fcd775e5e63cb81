package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the examples of a guide, one after the other, as on a terminal.
 *
 * @param root the project's directory, in which the examples run
 * @param named the store as the guide names it; other files of the examples have names that begin like it
 * @param store where it is
 */
public record Guide(Path root, String named, Path store) {
    /** What precedes a command. */
    public static final String PROMPT = "$ ";
    /** What precedes a command of Loom. */
    public static final String COMMAND = PROMPT + "./loom ";

    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    /**
     * The guide with what its examples print now.
     *
     * @param columns the width of the terminal for a command, without the program's name; none is the default width
     */
    public List<String> run(List<String> written, UnaryOperator<String> columns)
            throws IOException, InterruptedException {
        List<String> run = new ArrayList<>();
        boolean example = false;
        for (String line : written) {
            example = example ? !line.equals("```") : line.equals("```console");
            boolean command = example && line.startsWith(PROMPT);
            if (!example || command || line.equals("```console")) {
                run.add(line);
            }
            if (command && line.startsWith(COMMAND)) {
                String typed = line.substring(COMMAND.length());
                print(typed, columns.apply(typed))
                        .lines()
                        .map(String::stripTrailing)
                        .forEach(run::add);
            } else if (command) {
                shell(line.substring(PROMPT.length()));
            }
        }
        return run;
    }

    private String print(String command, String columns) {
        List<String> arguments = new ArrayList<>();
        Matcher word = WORD.matcher(command);
        while (word.find()) {
            String text = Objects.requireNonNullElse(word.group(1), word.group(2));
            String here = text.startsWith(named) ? text.replace(named, store.toString()) : text;
            arguments.add(here.startsWith("loom-cli/") ? root.resolve(here).toString() : here);
        }
        ByteArrayOutputStream terminal = new ByteArrayOutputStream();
        Cli cli = Cli.on(store).outTerminal().environment("NO_COLOR", "1").environment("COLUMNS", columns);
        Main.run(cli.console(terminal, terminal), arguments.toArray(String[]::new));
        return terminal.toString(StandardCharsets.UTF_8).replace(store.toString(), named);
    }

    private void shell(String command) throws IOException, InterruptedException {
        String here = command.replace(named, store.toString());
        assertEquals(0, new ProcessBuilder("sh", "-c", here).start().waitFor(), here);
    }
}
