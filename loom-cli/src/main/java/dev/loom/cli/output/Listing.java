package dev.loom.cli.output;

import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.server.json.FieldCell;
import dev.loom.server.json.JsonResults;
import dev.loom.server.table.CellText;
import dev.loom.server.table.CsvRowWriter;
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

    /** The columns of a single row that is printed downwards. */
    private static final List<Table.Column> NAME_AND_VALUE =
            List.of(new Table.Column("name", Table.Kind.TEXT), new Table.Column("value", Table.Kind.TEXT));

    /** Stands for a value that is not there; tells nothing of its column. */
    public record Note(String text) {}

    private final List<String> columns;
    private final List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    private @Nullable Console streamed;
    private @Nullable CsvRowWriter csv;
    private @Nullable Table table;
    /** The columns of the table. */
    private List<String> used = List.of();

    private boolean uniform;
    private final Map<String, ValueUnit> units = new HashMap<>();
    private Set<String> times = Set.of();
    private Set<String> numbers = Set.of();
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
     * Marks columns of a table as numbers, though their values are texts.
     *
     * @return this
     */
    public Listing numbers(String... named) {
        numbers = Set.of(named);
        return this;
    }

    /**
     * Lets a table's first rows determine which columns it has, so that the others are not kept: for rows that all have the same.
     *
     * @return this
     */
    public Listing uniform() {
        uniform = true;
        return this;
    }

    /**
     * Writes rows as they are added, except in a table, whose columns depend on all rows, if they are not {@link #uniform()}. Call {@link #end} after the last row.
     *
     * @return this
     */
    public Listing to(Console console, OutputFormat format) {
        streamed = console;
        form = format;
        switch (format) {
            case CSV, CSV_SAFE ->
                csv = new CsvRowWriter(console.out(), columns, format == OutputFormat.CSV_SAFE, console.outTerminal());
            case ARROW -> throw CommandFailure.usage("-o arrow is for queries; use json or csv");
            case TABLE, JSON, RAW -> {}
        }
        return this;
    }

    /** Adds a row of {@link Number}, {@link Boolean}, {@link String}, {@link FieldCell}, {@link Note} or null values. */
    public void add(Map<String, ? extends @Nullable Object> row) {
        Console console = streamed;
        if (console == null || form == OutputFormat.TABLE) {
            rows.add(new LinkedHashMap<>(row));
            if (console != null && uniform && rows.size() == Table.ROWS_HELD_MAX) {
                printTable(console);
            }
        } else {
            print(console, row);
        }
    }

    private void print(Console console, Map<String, ? extends @Nullable Object> row) {
        if (csv == null) {
            JsonResults.print(console.out(), row);
        } else {
            csv.add(row);
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

    /** Prints the rows that are kept. Omits columns in which none has a value. */
    private void printTable(Console console) {
        Table printed = table;
        if (printed == null) {
            used = columns.stream()
                    .filter(column -> rows.isEmpty() || rows.stream().anyMatch(row -> row.get(column) != null))
                    .toList();
            List<Table.Column> headings = used.stream()
                    .map(column -> new Table.Column(column, kind(column)))
                    .toList();
            boolean downwards = console.outTerminal()
                    && rows.size() == 1
                    && !new TableLayout(headings, cells(), Table.GAP).fits(console.columns());
            printed = new Table(console, downwards ? NAME_AND_VALUE : headings, "-o json prints all");
            table = printed;
            if (downwards) {
                List<String> values = cells().get(0);
                for (int i = 0; i < values.size(); i++) {
                    printed.add(List.of(used.get(i), values.get(i)));
                }
                rows.clear();
            }
        }
        cells().forEach(printed::add);
        rows.clear();
        printed.flush();
    }

    private List<List<String>> cells() {
        return rows.stream()
                .map(row -> used.stream()
                        .map(column -> tableCell(column, row.get(column)))
                        .toList())
                .toList();
    }

    private Table.Kind kind(String column) {
        if (times.contains(column)) {
            return Table.Kind.TIME;
        }
        boolean all = rows.stream().allMatch(row -> mayBeNumber(row.get(column)));
        return numbers.contains(column) || (all && !rows.isEmpty()) ? Table.Kind.NUMBER : Table.Kind.TEXT;
    }

    private static boolean mayBeNumber(@Nullable Object value) {
        return value == null
                || value instanceof Number
                || value instanceof Note
                || (value instanceof FieldCell cell && (cell.isNumber() || cell.isMissing()));
    }

    private String tableCell(String column, @Nullable Object value) {
        ValueUnit unit = units.getOrDefault(column, ValueUnit.NONE);
        if (value instanceof Number number && unit != ValueUnit.NONE) {
            double amount = number.doubleValue();
            return unit == ValueUnit.BYTES ? ValueText.compact(amount, unit) : ValueText.precise(amount, unit);
        } else if (value instanceof Double number && Double.isFinite(number)) {
            return new BigDecimal(number, DIGITS).stripTrailingZeros().toPlainString();
        } else if (value instanceof FieldCell cell) {
            return KeyText.of(cell);
        } else if (value instanceof Note note) {
            return note.text();
        }
        return cell(value, true);
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
