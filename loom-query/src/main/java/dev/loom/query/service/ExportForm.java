package dev.loom.query.service;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Field;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.TimeRange;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * A form of files that a module of its own writes, so that nobody else carries what it takes. Found by {@link
 * java.util.ServiceLoader}.
 */
public interface ExportForm {
    /** Its name on the command line, in lower case: {@code parquet}. */
    String name();

    /**
     * Writes the records of one source, oldest first, in constant memory. Does not close the stream.
     *
     * @throws IllegalArgumentException if the source can't have a column that was asked for
     * @throws IOException if the stream can't be written
     */
    Result write(Order order, OutputStream out) throws IOException;

    /**
     * What to write.
     *
     * @param range of arrival times
     * @param columns columns for fields that the source's format does not declare
     * @param cancelled ends the file early; asked often, on the writing thread
     * @param progress receives the number of records so far, about once a page
     */
    record Order(
            Snapshot snapshot,
            Source source,
            TimeRange range,
            List<Field> columns,
            BooleanSupplier cancelled,
            LongConsumer progress) {}

    /**
     * What was written.
     *
     * @param completeness what it lacks
     * @param remarks what became of values that the form can't hold, for people
     */
    record Result(long records, Completeness completeness, List<String> remarks) {}
}
