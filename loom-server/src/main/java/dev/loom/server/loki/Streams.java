package dev.loom.server.loki;

/** The names of the labels of streams. */
final class Streams {
    /** The source's name. */
    static final String SOURCE = "source";

    /** The service of OTLP logs. */
    static final String SERVICE_NAME = "service_name";

    /** The level of OTLP logs. */
    static final String LEVEL = "level";

    /** A level that Loki's clients ask for beside {@link #LEVEL}; no stream has it. */
    static final String DETECTED_LEVEL = "detected_level";

    private Streams() {}
}
