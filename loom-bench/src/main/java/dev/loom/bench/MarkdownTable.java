package dev.loom.bench;

import java.io.PrintStream;

/** Prints rows of a table in the format of {@code docs/notes}. */
final class MarkdownTable {
    private final PrintStream out;

    MarkdownTable(PrintStream out, String title, String... columns) {
        this.out = out;
        out.printf("%n%s%n%n", title);
        row(columns);
        out.println("|---".repeat(columns.length) + "|");
    }

    void row(String... cells) {
        out.println("| " + String.join(" | ", cells) + " |");
    }
}
