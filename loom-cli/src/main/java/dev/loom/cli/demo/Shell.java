package dev.loom.cli.demo;

import dev.loom.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Runs commands on one store through the command line, and prints each as typed with its answer. */
final class Shell {
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
        environment.put("COLUMNS", Integer.toString(narrator.columns()));
        if (!narrator.colour()) {
            environment.put("NO_COLOR", "1");
        }
    }

    /** Prints a command and its answer: drawn, or as JSON if that was asked for. */
    void show(String... words) {
        narrator.command(List.of(words));
        if (json) {
            byte[] answer = execute(false, words);
            console.out().write(answer, 0, answer.length);
            console.out().flush();
        } else {
            String answer = new String(execute(true, words), StandardCharsets.UTF_8);
            (console.unicode() ? answer : answer.replace('…', '~')).lines().forEach(narrator::line);
            narrator.gap();
        }
    }

    /** Runs a command and returns its answer, one row per record. */
    List<CliRow> ask(String... words) {
        List<CliRow> rows = new ArrayList<>();
        new String(execute(false, words), StandardCharsets.UTF_8).lines().forEach(line -> rows.add(new CliRow(line)));
        return rows;
    }

    /** Shows a command, and returns its answer. */
    List<CliRow> showAndAsk(String... words) {
        show(words);
        return ask(words);
    }

    /** @throws IllegalStateException if the exit code is not 0 */
    private byte[] execute(boolean terminal, String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console inner =
                new Console(InputStream.nullInputStream(), out, err, terminal, false, environment, console::nowNs);
        int exitCode = runner.run(inner, words);
        if (exitCode != 0) {
            throw new IllegalStateException("command failed: exitCode=" + exitCode + ", command="
                    + String.join(" ", Narrator.typed(List.of(words))) + ", err="
                    + err.toString(StandardCharsets.UTF_8));
        }
        return out.toByteArray();
    }
}
