package dev.loom.cli.importing;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The records of an input, moving. For one thread. */
interface RecordInput {
    /** Moves to the next record, good or bad. False at the end. */
    boolean next() throws IOException;

    /** Where the record is, as {@code line 17}. */
    String position();

    /**
     * Writes the record's payload into the batch, where it is not yet added.
     *
     * @return why the record does not parse, or null
     */
    @Nullable
    String encode(PayloadBatch batch);

    /** Length of the payload that was encoded last. */
    int payloadLength();

    /** The record as it stands in the input. */
    byte[] rawBytes();
}
