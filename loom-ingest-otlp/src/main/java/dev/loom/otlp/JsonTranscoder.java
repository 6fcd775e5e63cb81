package dev.loom.otlp;

/** Turns requests in OTLP's JSON form into the protobuf form. Called by many threads at once. */
@FunctionalInterface
public interface JsonTranscoder {
    /**
     * Turns one request, in place: the JSON is what is to be read, the protobuf form what is written.
     *
     * @param signal what the request carries
     * @param request UTF-8
     * @param outcome set to malformed when the request can't be read
     * @return whether the request was read to its end; not, when there was no room for what it becomes
     */
    boolean transcode(Signal signal, InPlaceBuffer request, ExportOutcome outcome);
}
