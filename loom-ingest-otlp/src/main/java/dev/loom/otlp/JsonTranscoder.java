package dev.loom.otlp;

import org.agrona.DirectBuffer;

/** Converts requests from OTLP's JSON form to its protobuf form. Called by many threads at once. */
@FunctionalInterface
public interface JsonTranscoder {
    /**
     * Converts one request.
     *
     * @param signal what the request carries
     * @param json UTF-8, {@code length} bytes from {@code offset}; unchanged
     * @param message takes the protobuf form; empty
     * @param outcome set to malformed if the request can't be read; accepted with a message if there is a warning for the client
     * @return whether the whole request was read; false if its protobuf form has no room
     */
    boolean transcode(
            Signal signal, DirectBuffer json, int offset, int length, MessageBuffer message, ExportOutcome outcome);
}
