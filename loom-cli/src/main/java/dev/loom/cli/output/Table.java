package dev.loom.cli.output;

import dev.loom.cli.console.Console;
import dev.loom.cli.text.TextBuffer;
import java.util.ArrayList;
import java.util.List;

/** Rows in columns. The first rows are held back to learn how wide the columns are; later ones that are wider stick out. */
final class Table {
    /** A column's heading, and whether its cells stand at the right. */
    record Column(String heading, boolean right) {}

    private static final int ROWS_HELD_MAX = 100;
    private static final int TERMINAL_CELL_MAX = 80;
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
        held.add(row.stream().map(this::cut).toList());
        if (held.size() == ROWS_HELD_MAX) {
            printHeld();
        }
    }

    void flush() {
        printHeld();
        console.out().flush();
    }

    /** A terminal's lines are for reading; the whole cell is in the other forms of output. */
    private String cut(String cell) {
        if (!console.outTerminal() || cell.codePointCount(0, cell.length()) <= TERMINAL_CELL_MAX) {
            return cell;
        }
        return cell.substring(0, cell.offsetByCodePoints(0, TERMINAL_CELL_MAX - 1)) + "…";
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
            String cell = cells.get(i);
            int padding = Math.max(0, widths[i] - width(cell));
            boolean last = i == cells.size() - 1;
            if (columns.get(i).right()) {
                putSpaces(padding);
                line.put(cell);
            } else {
                line.put(cell);
                putSpaces(last ? 0 : padding);
            }
            putSpaces(last ? 0 : 2);
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
