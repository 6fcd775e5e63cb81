package dev.loom.api;

import dev.loom.format.PayloadFormat;
import dev.loom.format.StructCodec;
import org.agrona.DirectBuffer;

/**
 * A moving view of records that reports what could not be read. Before the first {@link #next()}, after one that returned false, and after {@link
 * #close()}, the accessors throw {@link IllegalStateException}. What they return is valid until the next call of {@link
 * #next()}. For one thread.
 */
public interface RecordCursor extends AutoCloseable {
    /** Moves to the next record; false at the end. */
    boolean next();

    /** Address in the record log; unique, and ascending in the order of arrival. */
    long address();

    /** Arrival time, epoch nanoseconds. */
    long timeNs();

    int sourceId();

    /** The buffer that holds the payload at {@code [offset(), offset() + length())}; read-only. */
    DirectBuffer buffer();

    int offset();

    int length();

    /** Pages, and records that span pages, skipped so far because they are damaged or their file is missing. */
    long damaged();

    /**
     * Whether retention deleted records of the source in the range, or may have, before the cursor reached them.
     *
     * @throws IllegalStateException after {@link #close()}
     */
    boolean expired();

    /**
     * Binds a field, to be read at this cursor in one call.
     *
     * @param format the format of the source's payloads
     * @throws dev.loom.format.UnknownFieldException if no payload of the format can have the field
     */
    default RecordField field(PayloadFormat format, String name) {
        return new RecordField(this, format, name);
    }

    /**
     * Makes a Java record of this record's payload.
     *
     * @param codec of the format of the source's payloads; {@link StructCodec#forFormat} makes it so
     * @throws IllegalArgumentException if the payload is too short or malformed
     */
    default <R extends Record> R read(StructCodec<R> codec) {
        return codec.read(buffer(), offset(), length());
    }

    @Override
    void close();
}
