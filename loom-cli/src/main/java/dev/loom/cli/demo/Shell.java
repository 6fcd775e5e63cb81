package dev.loom.cli.demo;

import dev.loom.cli.console.Console;
import dev.loom.server.text.DataOutput;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs commands on one store through the command line, and prints each as typed with its answer. */
final class Shell {
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\\S+");

    private final DemoCommand.CommandRunner runner;
    private final Console console;
    private final Narrator narrator;
    private final boolean json;
    private final Map<String, String> environment;

    /**
     * Creates a shell.
     *
     * @param json whether to print answers as JSON to standard output, instead of as tables in the story
     */
    Shell(DemoCommand.CommandRunner runner, Console console, Narrator narrator, boolean json, Path directory) {
        this.runner = runner;
        this.console = console;
        this.narrator = narrator;
        this.json = json;
        // defaults that the user has set for commands on other stores, such as LOOM_LIMIT, don't apply here
        environment = new HashMap<>(console.environment().entrySet().stream()
                .filter(variable -> !variable.getKey().startsWith("LOOM_")
                        || variable.getKey().equals("LOOM_DEBUG"))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
        environment.put("LOOM_DIR", directory.toString());
        environment.put("COLUMNS", Integer.toString(narrator.columns));
        if (!narrator.colour) {
            environment.put("NO_COLOR", "1");
        }
    }

    /** The words of a command as it is typed; those with spaces are in single quotes. */
    static List<String> words(String command) {
        return WORD.matcher(command)
                .results()
                .map(found -> found.group(1) == null ? found.group() : found.group(1))
                .toList();
    }

    /** Prints a command and its answer: drawn, or as JSON if that was asked for. */
    void show(String command) {
        narrator.command(words(command));
        if (json) {
            byte[] answer = execute(false, command);
            console.out().write(answer, 0, answer.length);
            console.out().flush();
        } else {
            String answer = new String(execute(true, command), StandardCharsets.UTF_8);
            (console.unicode() ? answer : answer.replace('…', '~')).lines().forEach(narrator::line);
            narrator.gap();
        }
    }

    /** Runs a command and returns its answer, one row per record. */
    List<CliRow> ask(String command) {
        String answer = new String(execute(false, command), StandardCharsets.UTF_8);
        return answer.lines().map(CliRow::new).toList();
    }

    /** Shows a command, and returns its answer. */
    List<CliRow> showAndAsk(String command) {
        show(command);
        return ask(command);
    }

    /** @throws IllegalStateException if the exit code is not 0 */
    private byte[] execute(boolean terminal, String command) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console inner = new Console(
                InputStream.nullInputStream(),
                new DataOutput(out, false),
                err,
                terminal,
                false,
                environment,
                console::nowNs);
        int exitCode = runner.run(inner, words(command).toArray(String[]::new));
        if (exitCode != 0) {
            throw new IllegalStateException("command failed: exitCode=" + exitCode + ", command="
                    + String.join(" ", Narrator.typed(words(command))) + ", err="
                    + err.toString(StandardCharsets.UTF_8));
        }
        return out.toByteArray();
    }
}
