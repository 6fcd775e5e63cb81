package dev.loom.otlp.ingest;

import dev.loom.Loom;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.otlp.Signal;
import dev.loom.otlp.format.OtlpFormatProvider;
import java.util.Objects;
import java.util.Optional;

/** How the sources are defined that requests go to: payload formats, and indexes. */
final class SourceDefinitions {
    /** The name that commands give the index over the records' own times. */
    private static final String EVENT_TIME = "event-time";

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
     * Defines a source of a signal's records, with an index over their own times and one over the number that most questions
     * are about; or takes the open one of this name.
     *
     * @return its id
     * @throws IllegalArgumentException when the store has the name for something else, or no room
     */
    static int define(Loom loom, Signal signal, String name) {
        return switch (signal) {
            case LOGS -> define(loom, name, OtlpFormatProvider.LOG, "severity");
            case TRACES -> define(loom, name, OtlpFormatProvider.SPAN, "duration");
            case METRICS -> define(loom, name, OtlpFormatProvider.METRIC, "value");
        };
    }

    /** Defines the source of contexts; as {@link #define(Loom, Signal, String)}. */
    static int defineContexts(Loom loom) {
        return define(loom, ContextLog.SOURCE, OtlpFormatProvider.CONTEXT);
    }

    private static int define(Loom loom, String name, String formatName, String indexed) {
        int id = define(loom, name, formatName);
        PayloadFormat format = Formats.parse(formatName);
        String time = Objects.requireNonNull(format.eventTimeField(), formatName);
        if (neverHad(loom, id, EVENT_TIME)) {
            loom.defineEventTimeIndex(id, EVENT_TIME, IndexFunction.field(format, time));
        }
        if (neverHad(loom, id, indexed)) {
            loom.defineIndex(id, indexed, IndexFunction.field(format, indexed), Bins.logLinear());
        }
        return id;
    }

    /** Also after a kill between the definitions; an index that was closed stays so. */
    private static boolean neverHad(Loom loom, int sourceId, String index) {
        return loom.indexes().stream()
                .noneMatch(defined ->
                        defined.sourceId() == sourceId && defined.name().equals(index));
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
