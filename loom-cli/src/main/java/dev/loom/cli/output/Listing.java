package dev.loom.cli.output;

import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.Console;
import dev.loom.server.json.JsonText;
import dev.loom.server.text.TextBuffer;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A short answer other than records: rows of named values, such as the sources of a store. */
public final class Listing {
    /** Digits of fractional numbers in a table. */
    private static final MathContext DIGITS = new MathContext(9);

    private final List<String> columns;
    private final List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    private @Nullable Console streamed;
    private final Map<String, ValueUnit> units = new HashMap<>();
    private Set<String> times = Set.of();
    private OutputFormat form = OutputFormat.TABLE;

    /**
     * Begins a listing without rows.
     *
     * @param columns the columns of tables and CSV; JSON has each row's own names
     */
    public Listing(String... columns) {
        this.columns = List.of(columns);
    }

    /**
     * Shows the numbers of some columns with their unit in a table.
     *
     * @return this
     */
    public Listing unit(ValueUnit unit, Collection<String> named) {
        named.forEach(column -> units.put(column, unit));
        return this;
    }

    /**
     * Marks columns of a table as times, RFC 3339.
     *
     * @return this
     */
    public Listing times(String... named) {
        times = Set.of(named);
        return this;
    }

    /**
     * Writes rows as they are added, except in a table, whose widths depend on all rows. Call {@link #end} after the last row.
     *
     * @return this
     */
    public Listing to(Console console, OutputFormat format) {
        streamed = console;
        form = format;
        if (format == OutputFormat.CSV || format == OutputFormat.CSV_SAFE) {
            TextBuffer line = new TextBuffer(256);
            putCsvRow(line, new ArrayList<>(columns), console.outTerminal(), format == OutputFormat.CSV_SAFE);
            console.out().write(line);
        }
        return this;
    }

    /** Adds a row of {@link Number}, {@link Boolean}, {@link String} or null values. */
    public void add(Map<String, ? extends @Nullable Object> row) {
        Console console = streamed;
        if (console == null || form == OutputFormat.TABLE) {
            rows.add(new LinkedHashMap<>(row));
        } else {
            print(console, row);
        }
    }

    private void print(Console console, Map<String, ? extends @Nullable Object> row) {
        if (form == OutputFormat.JSON) {
            printJson(console, row);
        } else {
            printCsv(console, row);
        }
    }

    /** Ends a listing whose rows are written as they are added. */
    public void end() {
        Console console = streamed;
        if (console != null) {
            if (form == OutputFormat.TABLE) {
                printTable(console);
            }
            console.out().flush();
        }
    }

    /** Prints all rows. */
    public void print(Console console, OutputFormat format) {
        to(console, format);
        if (format != OutputFormat.TABLE) {
            rows.forEach(row -> print(console, row));
        }
        end();
    }

    private static void printJson(Console console, Map<String, ? extends @Nullable Object> row) {
        TextBuffer line = new TextBuffer(256);
        JsonText.putObject(line, row);
        line.put('\n');
        console.out().write(line);
    }

    /** Omits columns in which no row has a value. */
    private void printTable(Console console) {
        List<String> used = columns.stream()
                .filter(column -> rows.isEmpty() || rows.stream().anyMatch(row -> row.get(column) != null))
                .toList();
        if (console.outTerminal() && rows.size() == 1 && !fits(used, console.columns())) {
            printDown(console, used, rows.get(0));
            return;
        }
        Table table = new Table(
                console,
                used.stream()
                        .map(column -> new Table.Column(column, kind(column)))
                        .toList(),
                "-o json prints all");
        for (Map<String, @Nullable Object> row : rows) {
            table.add(used.stream()
                    .map(column -> tableCell(column, row.get(column)))
                    .toList());
        }
        table.flush();
    }

    private boolean fits(List<String> used, int room) {
        Map<String, @Nullable Object> row = rows.get(0);
        List<Table.Column> headings = used.stream()
                .map(column -> new Table.Column(column, kind(column)))
                .toList();
        List<String> cells =
                used.stream().map(column -> tableCell(column, row.get(column))).toList();
        return new TableLayout(headings, List.of(cells), Table.GAP).fits(room);
    }

    /** Prints a row that is too wide for the terminal with one value per line. */
    private void printDown(Console console, List<String> used, Map<String, @Nullable Object> row) {
        Table table = new Table(
                console,
                List.of(new Table.Column("name", Table.Kind.TEXT), new Table.Column("value", Table.Kind.TEXT)),
                "-o json prints all");
        used.forEach(column -> table.add(List.of(column, tableCell(column, row.get(column)))));
        table.flush();
    }

    private Table.Kind kind(String column) {
        if (times.contains(column)) {
            return Table.Kind.TIME;
        }
        boolean numbers = rows.stream().allMatch(row -> row.get(column) == null || row.get(column) instanceof Number);
        return numbers && !rows.isEmpty() ? Table.Kind.NUMBER : Table.Kind.TEXT;
    }

    private String tableCell(String column, @Nullable Object value) {
        ValueUnit unit = units.getOrDefault(column, ValueUnit.NONE);
        if (value instanceof Number number && unit != ValueUnit.NONE) {
            double amount = number.doubleValue();
            return unit == ValueUnit.BYTES ? ValueText.compact(amount, unit) : ValueText.precise(amount, unit);
        } else if (value instanceof Double number && Double.isFinite(number)) {
            return new BigDecimal(number, DIGITS).stripTrailingZeros().toPlainString();
        }
        return cell(value, true);
    }

    private void printCsv(Console console, Map<String, ? extends @Nullable Object> row) {
        TextBuffer line = new TextBuffer(256);
        List<@Nullable Object> values = new ArrayList<>();
        columns.forEach(column -> values.add(row.get(column)));
        putCsvRow(line, values, console.outTerminal(), form == OutputFormat.CSV_SAFE);
        console.out().write(line);
    }

    private static void putCsvRow(
            TextBuffer line, List<? extends @Nullable Object> values, boolean escape, boolean safe) {
        TextBuffer cell = new TextBuffer(64);
        for (int i = 0; i < values.size(); i++) {
            if (i > 0) {
                line.put(',');
            }
            Object value = values.get(i);
            if (value != null) {
                cell.put(cell(value, escape));
                CsvText.putCell(line, cell, safe && !(value instanceof Number));
                cell.clear();
            }
        }
        line.put('\n');
    }

    private static String cell(@Nullable Object value, boolean escape) {
        if (value == null) {
            return "";
        }
        byte[] bytes = value.toString().getBytes(StandardCharsets.UTF_8);
        TextBuffer text = new TextBuffer(bytes.length + 16);
        CellText.putText(text, bytes, bytes.length, escape);
        return text.toString();
    }
}
