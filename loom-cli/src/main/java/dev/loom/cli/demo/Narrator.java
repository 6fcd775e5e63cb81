package dev.loom.cli.demo;

import java.io.PrintStream;
import java.util.Locale;

/** Prints the demo's text, plain or with colour if the terminal supports it. */
final class Narrator {
    private static final String RESET = "\u001b[0m";
    private static final String BOLD = "\u001b[1m";
    private static final String CYAN = "\u001b[36m";
    private static final String GREEN = "\u001b[32m";
    private static final String RED = "\u001b[31m";
    private static final String INDENT = "    ";

    private final PrintStream out;
    private final boolean colour;

    Narrator(PrintStream out, boolean colour) {
        this.out = out;
        this.colour = colour;
    }

    void heading(String text) {
        out.println();
        out.println(painted(BOLD, text));
    }

    void say(String format, Object... values) {
        out.println(text(format, values));
        out.flush();
    }

    void command(String commandLine) {
        out.println();
        out.println(painted(CYAN, "  $ " + commandLine));
        out.flush();
    }

    /** Prints a line of a command's output. */
    void output(String line) {
        out.println(INDENT + line);
    }

    /** Prints whether a statement holds. */
    void check(boolean holds, String text) {
        out.println((holds ? painted(GREEN, "  true      ") : painted(RED, "  NOT TRUE  ")) + text);
    }

    static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private String painted(String code, String text) {
        return colour ? code + text + RESET : text;
    }
}
