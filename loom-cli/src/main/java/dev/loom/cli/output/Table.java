package dev.loom.cli.output;

import dev.loom.cli.console.Console;
import dev.loom.server.text.TextBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rows in columns. The first rows are held back to determine the columns' widths; wider cells in later rows stick out. If all
 * times of a column share a day, the heading shows it. On a terminal, text columns are cut if lines don't fit, the widest first;
 * then whole columns are omitted. Later texts are cut where their line has no room left. The other output forms contain everything.
 */
final class Table {
    /** Kinds of cells. */
    enum Kind {
        TEXT,
        NUMBER,
        /** RFC 3339, or empty. */
        TIME
    }

    /**
     * A column.
     *
     * @param spare whether it is omitted first, because another column says the same
     * @param matches what to highlight in its cells
     */
    record Column(
            String heading,
            Kind kind,
            boolean spare,
            @Nullable Pattern matches) {
        Column(String heading, Kind kind) {
            this(heading, kind, false, null);
        }
    }

    static final int ROWS_HELD_MAX = 100;
    static final int GAP = 2;
    private static final String BOLD = "\u001b[1m";
    private static final String DIM = "\u001b[2m";
    private static final String RED = "\u001b[31m";
    private static final String YELLOW = "\u001b[33m";
    private static final String PLAIN = "\u001b[0m";

    /** Columns whose words give the severity. */
    private static final Pattern GRAVE_HEADING = Pattern.compile("severity(_text)?|level|status(_code)?");

    private static final Pattern ERROR =
            Pattern.compile("error|fatal|crit|emerg|alert|panic", Pattern.CASE_INSENSITIVE);
    private static final Pattern WARNING = Pattern.compile("warn", Pattern.CASE_INSENSITIVE);

    private final Console console;
    private final List<Column> columns;
    private final String advice;
    private final boolean colour;
    private final List<List<String>> held = new ArrayList<>();
    private final TextBuffer line = new TextBuffer(256);
    private @Nullable TableLayout layout;

    /** @param advice for users who miss omitted columns */
    Table(Console console, List<Column> columns, String advice) {
        this.console = console;
        this.advice = advice;
        this.columns = List.copyOf(columns);
        this.colour = console.outColour();
    }

    /** Adds a row; its cells must not contain hidden characters. */
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

    private void printHeld() {
        if (layout == null && !held.isEmpty()) {
            TableLayout learnt = new TableLayout(columns, held, GAP);
            if (console.outTerminal()) {
                learnt.fit(console.columns());
                tellLeftOut(learnt);
            }
            layout = learnt;
            printHeadings(learnt);
        }
        held.forEach(this::printRow);
        held.clear();
    }

    private void tellLeftOut(TableLayout learnt) {
        List<String> names = learnt.leftOut();
        if (!names.isEmpty()) {
            console.say("columns left out for lack of room: " + String.join(", ", names) + "; " + advice);
        }
    }

    private void printHeadings(TableLayout learnt) {
        begin(BOLD);
        putCells(learnt, null);
        end(BOLD);
        endLine();
    }

    private void printRow(List<String> row) {
        putCells(Objects.requireNonNull(layout), row);
        endLine();
    }

    /** Writes the cells of a row, or the headings. */
    private void putCells(TableLayout shown, @Nullable List<String> row) {
        int last = shown.last();
        int spare = shown.spare();
        for (int i = 0; i <= last; i++) {
            if (!shown.shows(i)) {
                continue;
            }
            String cell = row == null ? shown.heading(i) : shown.cell(i, row.get(i), console.outTerminal(), spare);
            spare = Math.max(0, spare - Math.max(0, TextWidth.of(cell) - shown.width(i)));
            int padding = Math.max(0, shown.width(i) - TextWidth.of(cell));
            boolean right = columns.get(i).kind() == Kind.NUMBER;
            line.put(" ".repeat(right ? padding : 0));
            if (row == null || !colour) {
                line.put(cell);
            } else {
                putColoured(columns.get(i), cell);
            }
            line.put(" ".repeat(i == last ? 0 : GAP + (right ? 0 : padding)));
        }
    }

    private void putColoured(Column column, String cell) {
        Pattern matches = column.matches();
        if (matches != null) {
            line.put(highlighted(cell, matches));
            return;
        }
        String code = code(column, cell);
        begin(code);
        line.put(cell);
        end(code);
    }

    private static String code(Column column, String cell) {
        if (column.kind() == Kind.TIME) {
            return DIM;
        } else if (!GRAVE_HEADING.matcher(column.heading()).matches()) {
            return "";
        } else if (ERROR.matcher(cell).find()) {
            return RED;
        }
        return WARNING.matcher(cell).find() ? YELLOW : "";
    }

    /** The text with matches in bold red. */
    static String highlighted(String text, Pattern matches) {
        Matcher found = matches.matcher(text);
        return found.replaceAll(
                match -> match.group().isEmpty() ? "" : Matcher.quoteReplacement(BOLD + RED + match.group() + PLAIN));
    }

    private void begin(String code) {
        if (colour) {
            line.put(code);
        }
    }

    private void end(String code) {
        if (colour && !code.isEmpty()) {
            line.put(PLAIN);
        }
    }

    private void endLine() {
        line.put('\n');
        console.out().write(line);
    }
}
