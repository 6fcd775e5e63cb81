package dev.loom.cli.importing;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.input.CsvRows;
import dev.loom.format.Field;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.server.table.CsvRecordPrinter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The header line of a CSV input, and the format that its columns define. */
final class CsvHeader {
    static final int SAMPLE_ROWS_MAX = 1000;

    /** The rows from which types are inferred are held in memory; this bounds them. */
    private static final int SAMPLE_BYTES_MAX = 16 << 20;

    /** What a field's name may have. */
    private static final String VALID = "[A-Za-z0-9_.-]";

    /** What Loom prints before the fields of a record. */
    static final List<String> OWN_COLUMNS = List.of("time", "ts", "source", "addr");

    /** Comes behind these where each record was found for another one. */
    static final String CAUSE = "cause";

    /** Goes before the name of a field that is one of these. */
    private static final String FIELDS_PREFIX = "fields.";

    private final CsvRows rows;
    private List<String> names;
    private int leftOut;
    final byte[] rawBytes;
    /** Notes on columns: those that were renamed because no field may have their name, and a delimiter that seems to be another. */
    final List<String> notes;

    private int sampledRows;

    private CsvHeader(CsvRows rows, List<String> names, List<String> notes) {
        this.rows = rows;
        this.names = names;
        this.notes = notes;
        this.rawBytes = rows.rowBytes();
    }

    /**
     * Reads the first row; the next one is the first data row.
     *
     * @throws CommandFailure if there is no row, no name, or one that occurs twice
     */
    static CsvHeader read(CsvRows rows, byte delimiter) throws IOException {
        rows.skipByteOrderMark();
        if (!rows.next()) {
            throw failure("line 1: no header line with the column names");
        } else if (rows.problem() != null) {
            throw failure("line " + rows.line() + ": header: " + rows.problem());
        }
        List<String> written = new ArrayList<>();
        for (int i = 0; i < rows.cellCount(); i++) {
            written.add(new String(rows.array(i), rows.offset(i), rows.length(i), StandardCharsets.UTF_8).strip());
        }
        if (written.stream().allMatch(String::isEmpty)) {
            throw failure("line " + rows.line() + ": header: no column has a name");
        }
        List<String> notes = nameTheNameless(written);
        Set<String> seen = new HashSet<>();
        for (String column : written) {
            if (!seen.add(column)) {
                throw failure("line " + rows.line() + ": header: two columns are named " + column);
            }
        }
        List<String> names = fieldNames(written);
        for (int i = 0; i < names.size(); i++) {
            int first = names.indexOf(names.get(i));
            if (first < i) {
                throw failure("line " + rows.line() + ": header: columns \"" + written.get(first) + "\" and \""
                        + written.get(i) + "\" would both be field " + names.get(i));
            }
        }
        for (int i = 0; i < names.size(); i++) {
            if (!names.get(i).equals(written.get(i))) {
                notes.add("column \"" + written.get(i) + "\" becomes field " + names.get(i));
            }
        }
        if (names.size() == 1) {
            otherDelimiterIn(
                            new String(rows.array(0), rows.offset(0), rows.length(0), StandardCharsets.UTF_8),
                            delimiter)
                    .ifPresent(found -> notes.add("the header has one column; --delimiter " + found + " splits it"));
        }
        return new CsvHeader(rows, names, notes);
    }

    /** Gives names to columns that have none, as the row numbers that pandas and R write; returns what to say of them. */
    private static List<String> nameTheNameless(List<String> written) {
        List<String> notes = new ArrayList<>();
        for (int i = 0; i < written.size(); i++) {
            if (written.get(i).isEmpty()) {
                written.set(i, "column_" + (i + 1));
                notes.add("column " + (i + 1) + " has no name, and becomes field " + written.get(i));
            }
        }
        return notes;
    }

    /** A delimiter that the header has, other than the one in use: as an argument of {@code --delimiter}. */
    private static Optional<String> otherDelimiterIn(String header, byte delimiter) {
        return Stream.of(";", "\t", "|", ",")
                .filter(found -> header.contains(found) && found.charAt(0) != delimiter)
                .findFirst()
                .map(found -> found.equals("\t") ? "tab" : "'" + found + "'");
    }

    /**
     * Valid field names. Columns whose names would be equal have the numbers of the characters in them, so that a column has the same name
     * in each file.
     */
    private static List<String> fieldNames(List<String> written) {
        List<String> names = written.stream().map(CsvHeader::fieldName).toList();
        return written.stream().map(column -> fieldName(column, names)).toList();
    }

    private static String fieldName(String written, List<String> names) {
        String name = fieldName(written);
        boolean alone = names.indexOf(name) == names.lastIndexOf(name);
        return alone || name.equals(written) ? name : numberedName(written);
    }

    private static String numberedName(String written) {
        StringBuilder name = new StringBuilder();
        written.codePoints().forEach(c -> {
            String plain = Character.toString(c);
            name.append(plain.matches(VALID) ? plain : '_' + Integer.toHexString(c));
        });
        return begun(name.toString());
    }

    /** Invalid characters become underscores. */
    private static String fieldName(String written) {
        return begun(written.replaceAll("[^A-Za-z0-9_.-]+", "_"));
    }

    private static String begun(String name) {
        return name.substring(0, 1).matches("[A-Za-z_]") ? name : '_' + name;
    }

    /** The columns' names, without those that are left out. */
    List<String> names() {
        return names;
    }

    /** How many columns come before them. */
    int leftOut() {
        return leftOut;
    }

    /** Whether Loom printed the rows: time, ts, source and addr come before a record's fields. */
    boolean isPrinted() {
        return names.size() > OWN_COLUMNS.size()
                && names.subList(0, OWN_COLUMNS.size()).equals(OWN_COLUMNS);
    }

    /** Whether the addresses of causes come behind these. */
    boolean hasCauses() {
        return isPrinted()
                && names.size() > OWN_COLUMNS.size() + 1
                && names.get(OWN_COLUMNS.size()).equals(CAUSE);
    }

    /** Whether it is one of the columns that Loom prints before the fields. */
    static boolean isOwn(String column) {
        return OWN_COLUMNS.contains(column);
    }

    /** Leaves out what Loom printed before the fields, which get their names back. */
    void keepFields() {
        leftOut = OWN_COLUMNS.size() + (hasCauses() ? 1 : 0);
        names = names.stream().skip(leftOut).map(CsvHeader::unprefixed).toList();
    }

    private static String unprefixed(String column) {
        return column.startsWith(FIELDS_PREFIX) && CsvRecordPrinter.isLikeOwn(column)
                ? column.substring(FIELDS_PREFIX.length())
                : column;
    }

    /** Waits for the first data row or the end. */
    void awaitRow() throws IOException {
        rows.peek(rows.peekStart());
    }

    /** Rows from which types were inferred; 0 if all types were given. */
    int sampledRows() {
        return sampledRows;
    }

    /**
     * The columns' format; any column may lack a value. Types that are not given are inferred from the first rows, as many as
     * arrive before the input starves.
     *
     * @throws CommandFailure for the given type of an unknown column, and for a name that no field may have
     */
    StructFormat format(Map<String, Field.Type> given) {
        for (String name : given.keySet()) {
            if (!names.contains(name)) {
                throw new UnfitInput("--types names an unknown column: " + name + "; columns: " + names);
            }
        }
        List<TypeInference> inferences = new ArrayList<>();
        names.forEach(name -> inferences.add(new TypeInference()));
        if (!given.keySet().containsAll(names)) {
            sample(inferences);
        }
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            Field.Type type = given.getOrDefault(names.get(i), inferences.get(i).type());
            fields.add(new Field(names.get(i), type, true));
        }
        try {
            return Formats.struct(fields);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.LIMIT, "header: " + e.getMessage(), e);
        }
    }

    private void sample(List<TypeInference> inferences) {
        int at = rows.peekStart();
        for (int row = 0; row < SAMPLE_ROWS_MAX && at >= 0 && at < SAMPLE_BYTES_MAX; row++) {
            at = peek(at);
            if (at >= 0 && rows.problem() == null && rows.cellCount() == leftOut + names.size()) {
                sampledRows++;
                for (int i = 0; i < names.size(); i++) {
                    int column = leftOut + i;
                    inferences.get(i).add(rows.array(column), rows.offset(column), rows.length(column));
                }
            }
        }
    }

    /** A failure ends the sample alone: the import has the rows before it, and meets it again. */
    private int peek(int from) {
        try {
            return rows.peek(from);
        } catch (IOException e) {
            return -1;
        }
    }

    /**
     * Checks that the columns are the fields of a format, in any order.
     *
     * @throws CommandFailure if they are not
     */
    void requireFields(StructFormat format) {
        List<String> fields = format.fields().stream().map(Field::name).toList();
        if (fields.size() != names.size() || !names.containsAll(fields)) {
            throw new UnfitInput(
                    "columns differ from the fields of the source: columns=" + names + ", fields=" + fields);
        }
    }

    private static CommandFailure failure(String message) {
        return new CommandFailure(ExitCode.LIMIT, message);
    }
}
