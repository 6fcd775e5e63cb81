package dev.loom.otlp;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Turns requests in OTLP's JSON form into the protobuf form. Called by many threads at once. */
@FunctionalInterface
public interface JsonTranscoder {
    /** Returned when the protobuf form is longer than the room for it. */
    int NO_ROOM = -1;

    /**
     * Turns one request.
     *
     * @param signal what the request carries
     * @param json holds the request, UTF-8
     * @param offset of its first byte in {@code json}
     * @param length of it in bytes
     * @param into takes the protobuf form; never overlaps the request
     * @param intoOffset where it is to begin
     * @param capacity bytes that there is room for
     * @param outcome set to malformed when the request can't be read; the result then counts for nothing
     * @return length of the protobuf form in bytes, or {@link #NO_ROOM}
     */
    int transcode(
            Signal signal,
            DirectBuffer json,
            int offset,
            int length,
            MutableDirectBuffer into,
            int intoOffset,
            int capacity,
            ExportOutcome outcome);
}
