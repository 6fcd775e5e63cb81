package dev.loom.otlp;

/** Converts requests from OTLP's JSON form to its protobuf form. Called by many threads at once. */
@FunctionalInterface
public interface JsonTranscoder {
    /**
     * Converts one request in place: reads the JSON, writes the protobuf form.
     *
     * @param signal what the request carries
     * @param request UTF-8
     * @param outcome set to malformed if the request can't be read
     * @return whether the whole request was read; false if its protobuf form has no room
     */
    boolean transcode(Signal signal, InPlaceBuffer request, ExportOutcome outcome);
}
