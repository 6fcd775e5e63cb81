package dev.loom.otlp.ingest;

import dev.loom.Loom;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.otlp.Signal;
import dev.loom.otlp.format.OtlpFormatProvider;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Defines the sources that requests go to, with their payload formats and indexes, and keeps track of them. */
final class SourceDefinitions {
    /** The name that commands use for the index over the records' own times. */
    private static final String EVENT_TIME = "event-time";

    private final Loom loom;
    private final Set<Integer> ids = ConcurrentHashMap.newKeySet();

    SourceDefinitions(Loom loom) {
        this.loom = loom;
    }

    /** Whether this source was defined or found here. Thread-safe. */
    boolean has(int sourceId) {
        return ids.contains(sourceId);
    }

    /** The default source of a signal's records. */
    static String defaultName(Signal signal) {
        return switch (signal) {
            case LOGS -> "otlp.logs";
            case TRACES -> "otlp.spans";
            case METRICS -> "otlp.metrics";
        };
    }

    /**
     * Returns the open source of this name, or defines it, with an index over the records' own times, and indexes over the number that most
     * questions are about; of spans another one by service and name.
     *
     * @return its id
     * @throws IllegalArgumentException if the store uses the name for something else, or has no room
     */
    int define(Signal signal, String name) {
        return switch (signal) {
            case LOGS -> define(name, OtlpFormatProvider.LOG, "severity");
            case TRACES -> define(name, OtlpFormatProvider.SPAN, "duration", "service.name", "name");
            case METRICS -> define(name, OtlpFormatProvider.METRIC, "value");
        };
    }

    /** Returns or defines the source of contexts; see {@link #define(Signal, String)}. */
    int defineContexts() {
        return define(ContextLog.SOURCE, OtlpFormatProvider.CONTEXT);
    }

    private int define(String name, String formatName, String indexed, String... key) {
        int id = define(name, formatName);
        PayloadFormat format = Formats.parse(formatName);
        String time = Objects.requireNonNull(format.eventTimeField(), formatName);
        if (neverHad(id, EVENT_TIME)) {
            loom.defineEventTimeIndex(id, EVENT_TIME, IndexFunction.field(format, time));
        }
        if (neverHad(id, indexed)) {
            loom.defineIndex(id, indexed, IndexFunction.field(format, indexed), Bins.logLinear());
        }
        String byKey = indexed + ':' + String.join(",", key); // as commands name it
        if (key.length > 0 && neverHad(id, byKey)) {
            Bins bins = Bins.logLinear().withValues(); // so that percentiles need no record
            loom.defineIndex(id, byKey, IndexFunction.field(format, indexed), bins, List.of(key));
        }
        return id;
    }

    /** True also after a kill between the definitions; an index that was closed stays closed. */
    private boolean neverHad(int sourceId, String index) {
        return loom.indexes().stream()
                .noneMatch(defined ->
                        defined.sourceId() == sourceId && defined.name().equals(index));
    }

    private int define(String name, String format) {
        Optional<Source> open = loom.source(name).filter(source -> !source.closed());
        if (open.isEmpty()) {
            int id = loom.defineSource(name, Formats.parse(format));
            ids.add(id);
            return id;
        }
        String actual = open.get().format().text();
        if (!actual.equals(format)) {
            throw new IllegalArgumentException(
                    "source has a different format: name=" + name + ", format=" + actual + ", expected=" + format);
        }
        ids.add(open.get().id());
        return open.get().id();
    }
}
