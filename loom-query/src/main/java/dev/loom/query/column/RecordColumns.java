package dev.loom.query.column;

import dev.loom.api.IndexFunction;
import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.agrona.DirectBuffer;

/**
 * The columns in which the records of a source are written: one for each field that its format declares. A source whose records name
 * their own fields has a column {@code json} with the text of each record. A field with the name of a column that every record has gets
 * the prefix {@code fields.}. For one thread.
 */
public final class RecordColumns {
    private static final String JSON = "json";
    private static final String PREFIX = "fields.";

    private final String source;
    private final PayloadFormat format;
    private final Set<String> names;
    private final Set<String> fields = new HashSet<>();
    private final List<Column> columns = new ArrayList<>();
    private final List<FieldReader> readers = new ArrayList<>();

    /**
     * Chooses the columns of a format.
     *
     * @param source its name, for messages
     * @param own the names of the columns that every record has
     */
    public RecordColumns(String source, PayloadFormat format, Set<String> own) {
        this.source = source;
        this.format = format;
        names = new HashSet<>(own);
        if (format.fields().isEmpty()) {
            columns.add(new Column(named(JSON), Field.Type.UTF8));
            readers.add(RecordColumns::readWhole);
        }
        for (Field field : format.fields()) {
            add(field.name(), field.type());
        }
    }

    /**
     * Adds a column for a field.
     *
     * @throws IllegalArgumentException if the format can't have the field, or it has a column already
     */
    public void add(String field, Field.Type type) {
        FieldReader reader = format.field(field);
        if (reader == null) {
            throw new IllegalArgumentException("source has no such field: source=" + source + ", field=" + field);
        } else if (!fields.add(field)) {
            throw new IllegalArgumentException("field has a column already: source=" + source + ", field=" + field);
        }
        boolean time = format.isTime(field) && type.isInteger() && type.fixedLength() == Long.BYTES;
        ValueUnit unit = type.isNumber() ? IndexFunction.unit(format, field) : ValueUnit.NONE;
        columns.add(new Column(named(field), type, time, unit));
        readers.add(reader);
    }

    /** A name that no column has yet. */
    private String named(String field) {
        String name = field;
        while (!names.add(name)) {
            name = PREFIX + name;
        }
        return name;
    }

    private static void readWhole(DirectBuffer buffer, int offset, int length, FieldValue into) {
        into.setBytes(FieldValue.Kind.TEXT, buffer, offset, length);
    }

    /** The columns, in order; those of the declared fields first. */
    public List<Column> columns() {
        return List.copyOf(columns);
    }

    /** Reads the values of a column. */
    public FieldReader reader(int column) {
        return readers.get(column);
    }
}
