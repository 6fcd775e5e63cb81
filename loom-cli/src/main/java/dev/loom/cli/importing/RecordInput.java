package dev.loom.cli.importing;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cursor over the records of an input. For one thread. */
interface RecordInput {
    /** Moves to the next record, good or bad. False at the end. */
    boolean next() throws IOException;

    /** Whether the record is whole for sure, though an interruption may have ended the wait for what belongs to it. */
    boolean whole();

    /** Where the record is, such as {@code line 17}. */
    String position();

    /**
     * Writes the record's payload into the batch but does not add it.
     *
     * @return why the record does not parse, or null
     */
    @Nullable
    String encode(PayloadBatch batch);

    /** Whether the record is damage behind which nothing can be read. */
    default boolean damaged() {
        return false;
    }

    /** The record as it stands in the input, or a part of it if it is {@link #cut()}. */
    byte[] rawBytes();

    /** Whether the record is too long to be kept whole. */
    default boolean cut() {
        return false;
    }

    /** What there is to say of the input at its end, such as {@code 2 records without a time}. */
    default List<String> remarks() {
        return List.of();
    }
}
