package dev.loom.cli.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Prints the demo's text, wrapped to the width of the terminal, with colour if the terminal supports it. */
final class Narrator {
    /** Lines are at most this long, so that they fit a usual terminal. */
    static final int COLUMNS_MAX = 80;

    private static final int COLUMNS_MIN = 40;
    private static final String RESET = "\u001b[0m";
    private static final String BOLD = "\u001b[1m";
    private static final String CYAN = "\u001b[36m";
    private static final String GREEN = "\u001b[32m";
    private static final String RED = "\u001b[31m";
    private static final Pattern NEEDS_NO_QUOTES = Pattern.compile("[\\w./:=,+-]+");

    private final PrintStream out;
    final int columns;
    final boolean colour;
    private boolean empty = true;

    Narrator(PrintStream out, int columns, boolean colour) {
        this.out = out;
        this.columns = Math.max(COLUMNS_MIN, Math.min(COLUMNS_MAX, columns));
        this.colour = colour;
    }

    void heading(String text) {
        gap();
        wrapped(words(text), "", "", BOLD);
    }

    void say(String format, Object... values) {
        wrapped(words(text(format, values)), "", "", "");
    }

    /** Prints a command as the reader can type it, with backslashes where it is too long for a line. */
    void command(List<String> words) {
        gap();
        wrapped(typed(words), "$ ", " \\", CYAN);
    }

    /** Prints a suggested command below its purpose. */
    void suggest(String purpose, String command) {
        gap();
        wrapped(words(purpose), "", "", "");
        wrapped(typed(Shell.words(command)), "  ", " \\", CYAN);
    }

    /** Prints a line as it is. */
    void line(String line) {
        out.println(line);
        out.flush();
        empty = line.isEmpty();
    }

    /** Prints an empty line, but no two. */
    void gap() {
        if (!empty) {
            line("");
        }
    }

    /** Prints whether a statement holds. */
    void check(boolean holds, String text) {
        wrapped(words(text), holds ? "  true      " : "  NOT TRUE  ", "", holds ? GREEN : RED);
    }

    static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static List<String> words(String text) {
        return List.of(text.split(" ", -1));
    }

    /** A word as a POSIX shell takes it. */
    static String quoted(String word) {
        return NEEDS_NO_QUOTES.matcher(word).matches() ? word : '\'' + word.replace("'", "'\\''") + '\'';
    }

    /** The words of a command, quoted, each option together with its value. */
    static List<String> typed(List<String> words) {
        List<String> typed = new ArrayList<>(List.of("./loom"));
        boolean afterOption = false;
        for (String word : words) {
            boolean option = word.startsWith("-");
            if (afterOption && !option) {
                typed.add(typed.remove(typed.size() - 1) + ' ' + quoted(word));
            } else {
                typed.add(quoted(word));
            }
            afterOption = option;
        }
        return typed;
    }

    /** Prints words up to the last column; lines before the last end with {@code more}, lines after the first are indented. */
    private void wrapped(List<String> words, String prefix, String more, String code) {
        StringBuilder line = new StringBuilder(prefix);
        String gap = "";
        for (String word : words) {
            if (!gap.isEmpty() && line.length() + 1 + word.length() + more.length() > columns) {
                line(painted(code, line + more));
                line.setLength(0);
                line.append(more.isEmpty() ? " ".repeat(prefix.length()) : "    ");
                gap = "";
            }
            line.append(gap).append(word);
            gap = " ";
        }
        line(painted(code, line.toString()));
    }

    private String painted(String code, String text) {
        return colour && !code.isEmpty() ? code + text + RESET : text;
    }
}
