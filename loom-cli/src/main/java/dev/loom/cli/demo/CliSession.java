package dev.loom.cli.demo;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Runs commands on one store through the command line, printing each command as typed and its answer. */
final class CliSession {
    /** Output lines shown per command. */
    private static final int LINES_SHOWN = 8;

    private static final Pattern NEEDS_NO_QUOTES = Pattern.compile("[\\w./:=,+-]+");

    private final CliRunner cli;
    private final Narrator narrator;
    private final Path directory;

    CliSession(CliRunner cli, Narrator narrator, Path directory) {
        this.cli = cli;
        this.narrator = narrator;
        this.directory = directory;
    }

    /**
     * Runs {@code loom <command> --dir <directory> -o json <arguments>}.
     *
     * @throws IllegalStateException if the exit code is not 0
     */
    List<CliRow> run(String command, String... arguments) {
        List<String> words = new ArrayList<>(List.of(command, "--dir", directory.toString(), "-o", "json"));
        words.addAll(List.of(arguments));
        long startNs = System.nanoTime();
        String out = execute(words);
        long elapsedNs = System.nanoTime() - startNs;
        List<CliRow> rows = new ArrayList<>();
        out.lines().forEach(line -> rows.add(new CliRow(line)));
        rows.stream().limit(LINES_SHOWN).forEach(row -> narrator.output(row.toString()));
        if (rows.size() > LINES_SHOWN) {
            narrator.output("... and " + (rows.size() - LINES_SHOWN) + " more");
        }
        narrator.output(
                Narrator.text("(%d %s, %.0f ms)", rows.size(), rows.size() == 1 ? "line" : "lines", elapsedNs / 1e6));
        return rows;
    }

    /**
     * Runs a command on the store with output for people, and prints all of it.
     *
     * @throws IllegalStateException if the exit code is not 0
     */
    void show(String command, String... arguments) {
        List<String> words = new ArrayList<>(List.of(command, "--dir", directory.toString(), "-o", "table"));
        words.addAll(List.of(arguments));
        execute(words).lines().forEach(narrator::output);
    }

    private String execute(List<String> words) {
        narrator.command(commandLine(words));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = cli.run(utf8(out), utf8(err), words.toArray(String[]::new));
        if (exitCode != 0) {
            throw new IllegalStateException("command failed: exitCode=" + exitCode + ", command=" + commandLine(words)
                    + ", err=" + err.toString(StandardCharsets.UTF_8));
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static PrintStream utf8(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private static String commandLine(List<String> words) {
        StringBuilder line = new StringBuilder("loom");
        for (String word : words) {
            line.append(' ').append(quoted(word));
        }
        return line.toString();
    }

    /** Quotes a word for a POSIX shell. */
    private static String quoted(String word) {
        return NEEDS_NO_QUOTES.matcher(word).matches() ? word : '\'' + word.replace("'", "'\\''") + '\'';
    }
}
