package dev.loom.server.table;

import dev.loom.format.PayloadFormat;
import dev.loom.query.column.Column;
import dev.loom.server.json.FieldCell;
import dev.loom.server.json.RecordPrinter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A form of answers in columns: of the records of one source, or of rows of named values. For one answer, which ends by {@link #end}, and
 * one thread.
 */
public interface TableForm {
    /**
     * Begins an answer of records, each of which has a time and an address.
     *
     * @param format determines the other columns
     * @param causes whether records have the address of their cause
     */
    RecordPrinter records(String source, PayloadFormat format, boolean causes);

    /** Begins an answer of rows. */
    void begin(List<Column> columns);

    /** Adds a row of {@link Number}, {@link Boolean}, {@link String}, {@link FieldCell} or null by the columns' names. */
    void add(Map<String, ? extends @Nullable Object> row);

    /** Passes on the rows so far. */
    void flush();

    /** What was done to values that are not as their columns need them, with the number of each; empty if nothing was. */
    Map<String, Long> altered();

    /** Ends the answer, begun or not, with what became of it. */
    void end(Map<String, ? extends @Nullable Object> outcome);
}
