package dev.loom.api;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.format.UnknownFieldException;

/**
 * One field of the records that a cursor moves over, bound once per query by {@link RecordCursor#field}:
 *
 * <pre>
 *     RecordField latency = record.field(format, "latency_ns");
 *     while (record.next()) {
 *         sum += latency.getLong();
 *     }
 * </pre>
 *
 * <p>Each call reads the field of the cursor's current record; only {@link #getText} allocates. For the cursor's
 * thread. Where the cursor has no record, calls throw as its accessors do.
 */
public final class RecordField {
    private final RecordCursor cursor;
    private final String name;
    private final FieldReader reader;
    private final FieldValue value = new FieldValue();

    RecordField(RecordCursor cursor, PayloadFormat format, String name) {
        FieldReader found = format.field(name);
        if (found == null) {
            throw new UnknownFieldException(name, format);
        }
        this.cursor = cursor;
        this.name = name;
        this.reader = found;
    }

    /**
     * Sets how fields that refer to other records find them; without it they are absent.
     *
     * @return this
     */
    public RecordField lookup(RecordLookup lookup) {
        value.lookup(lookup);
        return this;
    }

    /** The field of the current record. The same object each time, valid until the next call. */
    public FieldValue value() {
        value.from(cursor.address());
        reader.read(cursor.buffer(), cursor.offset(), cursor.length(), value);
        return value;
    }

    /** Whether the current record has a value for the field. */
    public boolean isPresent() {
        return value().kind() != FieldValue.Kind.ABSENT;
    }

    /**
     * The integer in the field.
     *
     * @throws IllegalStateException if there is no value, or no integer that a {@code long} holds
     */
    public long getLong() {
        FieldValue read = value();
        if (read.kind() != FieldValue.Kind.INTEGER) {
            throw differs(read, "an integer");
        }
        return read.longValue();
    }

    /** As {@link #getLong()}, with a value for records that have none. */
    public long getLong(long otherwise) {
        return isPresent() ? getLong() : otherwise;
    }

    /**
     * The number in the field.
     *
     * @throws IllegalStateException if there is no value, or no integer that a {@code long} holds, nor a floating-point
     *     number
     */
    public double getDouble() {
        FieldValue read = value();
        return switch (read.kind()) {
            case INTEGER -> read.longValue();
            case DOUBLE -> read.doubleValue();
            default -> throw differs(read, "a number");
        };
    }

    /** As {@link #getDouble()}, with a value for records that have none. */
    public double getDouble(double otherwise) {
        return isPresent() ? getDouble() : otherwise;
    }

    /** Any value as text, newly allocated; empty if there is none. */
    public String getText() {
        return value().text();
    }

    private IllegalStateException differs(FieldValue read, String asked) {
        return new IllegalStateException(
                "field is not " + asked + ": field=" + name + ", kind=" + read.kind() + ", value=" + read.text());
    }
}
