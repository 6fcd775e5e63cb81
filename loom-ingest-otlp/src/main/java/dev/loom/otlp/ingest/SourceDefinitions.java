package dev.loom.otlp.ingest;

import dev.loom.Loom;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.otlp.Signal;
import java.util.Optional;

/** How the sources are defined that requests go to: payload formats, and indexes. */
final class SourceDefinitions {
    private static final String FORMAT = "bytes";

    private SourceDefinitions() {}

    /** The source of records whose resource does not say otherwise. */
    static String defaultName(Signal signal) {
        return switch (signal) {
            case LOGS -> "otlp.logs";
            case TRACES -> "otlp.spans";
            case METRICS -> "otlp.metrics";
        };
    }

    /**
     * Defines a source of a signal's records, or takes the open one of this name.
     *
     * @return its id
     * @throws IllegalArgumentException when the store has the name for something else, or no room
     */
    static int define(Loom loom, Signal signal, String name) {
        return define(loom, name, FORMAT);
    }

    /** Defines the source of contexts; as {@link #define(Loom, Signal, String)}. */
    static int defineContexts(Loom loom) {
        return define(loom, ContextLog.SOURCE, FORMAT);
    }

    private static int define(Loom loom, String name, String format) {
        Optional<Source> open = loom.source(name).filter(source -> !source.closed());
        if (open.isEmpty()) {
            return loom.defineSource(name, Formats.parse(format));
        }
        String actual = open.get().format().text();
        if (!actual.equals(format)) {
            throw new IllegalArgumentException(
                    "source has another format: name=" + name + ", format=" + actual + ", expected=" + format);
        }
        return open.get().id();
    }
}
