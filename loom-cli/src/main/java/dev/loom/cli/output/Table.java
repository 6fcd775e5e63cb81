package dev.loom.cli.output;

import dev.loom.cli.console.Console;
import dev.loom.cli.text.TextBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rows in columns. The first rows are held back to learn how wide the columns are; later ones that are wider stick out. On a
 * terminal columns of text are cut where the lines would not fit, the widest first; the whole cell is in the other forms of
 * output.
 */
final class Table {
    /** A column's heading, and whether its cells stand at the right. */
    record Column(String heading, boolean right) {}

    private static final int ROWS_HELD_MAX = 100;
    private static final int CUT_WIDTH_MIN = 8;
    private static final int GAP = 2;
    private static final String BOLD = "\u001b[1m";
    private static final String PLAIN = "\u001b[0m";

    private final Console console;
    private final List<Column> columns;
    private final List<List<String>> held = new ArrayList<>();
    private final TextBuffer line = new TextBuffer(256);
    private int[] widths = {};

    Table(Console console, List<Column> columns) {
        this.console = console;
        this.columns = List.copyOf(columns);
    }

    /** Takes one row, whose cells have no hidden characters. */
    void add(List<String> row) {
        held.add(List.copyOf(row));
        if (held.size() == ROWS_HELD_MAX) {
            printHeld();
        }
    }

    void flush() {
        printHeld();
        console.out().flush();
    }

    private static String cut(String cell, int columns) {
        return width(cell) <= columns ? cell : cell.substring(0, cell.offsetByCodePoints(0, columns - 1)) + "…";
    }

    /** Makes the widest columns of text narrower until all fit, or none can be. */
    private void fit() {
        int room = console.columns() - GAP * (columns.size() - 1);
        int total = Arrays.stream(widths).sum();
        while (total > room) {
            int widest = -1;
            for (int i = 0; i < widths.length; i++) {
                boolean narrower = !columns.get(i).right() && widths[i] > least(i);
                widest = narrower && (widest < 0 || widths[i] > widths[widest]) ? i : widest;
            }
            if (widest < 0) {
                return;
            }
            widths[widest]--;
            total--;
        }
    }

    /** A heading stays whole, and so does a time. */
    private int least(int column) {
        boolean time = columns.get(column).heading().equals("time");
        return time
                ? widths[column]
                : Math.max(CUT_WIDTH_MIN, width(columns.get(column).heading()));
    }

    private void printHeld() {
        if (widths.length == 0 && !held.isEmpty()) {
            printHeadings();
        }
        held.forEach(this::printRow);
        held.clear();
    }

    private void printHeadings() {
        widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            int column = i;
            widths[i] = Math.max(
                    width(columns.get(i).heading()),
                    held.stream().mapToInt(row -> width(row.get(column))).max().orElse(0));
        }
        if (console.outTerminal()) {
            fit();
        }
        boolean bold = console.outTerminal() && console.colour();
        if (bold) {
            line.put(BOLD);
        }
        putCells(columns.stream().map(Column::heading).toList());
        if (bold) {
            line.put(PLAIN);
        }
        endLine();
    }

    private void printRow(List<String> row) {
        putCells(row);
        endLine();
    }

    private void putCells(List<String> cells) {
        for (int i = 0; i < cells.size(); i++) {
            boolean cuts = console.outTerminal() && !columns.get(i).right();
            String cell = cuts ? cut(cells.get(i), widths[i]) : cells.get(i);
            int padding = Math.max(0, widths[i] - width(cell));
            boolean last = i == cells.size() - 1;
            if (columns.get(i).right()) {
                putSpaces(padding);
                line.put(cell);
            } else {
                line.put(cell);
                putSpaces(last ? 0 : padding);
            }
            putSpaces(last ? 0 : GAP);
        }
    }

    private void putSpaces(int count) {
        for (int i = 0; i < count; i++) {
            line.put(' ');
        }
    }

    private void endLine() {
        line.put('\n');
        console.out().write(line);
    }

    private static int width(String text) {
        return text.codePointCount(0, text.length());
    }
}
