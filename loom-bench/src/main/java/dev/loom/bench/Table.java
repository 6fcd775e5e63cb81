package dev.loom.bench;

import java.io.PrintStream;

/** Prints the rows of a table as they stand in {@code docs/notes}. */
final class Table {
    private final PrintStream out;

    Table(PrintStream out, String title, String... columns) {
        this.out = out;
        out.printf("%n%s%n%n", title);
        row(columns);
        out.println("|---".repeat(columns.length) + "|");
    }

    void row(String... cells) {
        out.println("| " + String.join(" | ", cells) + " |");
    }
}
