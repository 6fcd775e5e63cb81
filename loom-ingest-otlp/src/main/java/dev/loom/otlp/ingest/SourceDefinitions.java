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
class SourceDefinitions {
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

    /** Whether there is an open source of this name. */
    boolean isOpen(String name) {
        return loom.source(name).filter(source -> !source.closed()).isPresent();
    }

    /** The number of open sources whose names begin like this. Those of the signal's format are among {@linkplain #has ours}. */
    int open(Signal signal, String prefix) {
        int count = 0;
        for (Source source : loom.sources()) {
            if (!source.closed() && source.name().startsWith(prefix)) {
                count++;
                if (source.format().text().equals(format(signal))) {
                    ids.add(source.id());
                }
            }
        }
        return count;
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
     * questions are about; of spans another one by service and name. A store with no room for an index takes the records without it.
     *
     * @return its id
     * @throws IllegalArgumentException if the store uses the name for something else, or has no room for the source
     */
    int define(Signal signal, String name) {
        return switch (signal) {
            case LOGS -> define(name, format(signal), "severity");
            case TRACES -> define(name, format(signal), "duration", "service.name", "name");
            case METRICS -> define(name, format(signal), "value");
        };
    }

    private static String format(Signal signal) {
        return switch (signal) {
            case LOGS -> OtlpFormatProvider.LOG;
            case TRACES -> OtlpFormatProvider.SPAN;
            case METRICS -> OtlpFormatProvider.METRIC;
        };
    }

    /** Returns or defines the source of contexts; see {@link #define(Signal, String)}. */
    int defineContexts() {
        return define(ContextLog.SOURCE, OtlpFormatProvider.CONTEXT);
    }

    private int define(String name, String formatName, String indexed, String... key) {
        int id = define(name, formatName);
        PayloadFormat format = Formats.parse(formatName);
        IndexFunction time = IndexFunction.field(format, Objects.requireNonNull(format.eventTimeField(), formatName));
        IndexFunction number = IndexFunction.field(format, indexed);
        defineIndex(id, EVENT_TIME, () -> loom.defineEventTimeIndex(id, EVENT_TIME, time));
        defineIndex(id, indexed, () -> loom.defineIndex(id, indexed, number, Bins.logLinear()));
        if (key.length > 0) {
            String byKey = indexed + ':' + String.join(",", key); // as commands name it
            Bins bins = Bins.logLinear().withValues(); // so that percentiles need no record
            defineIndex(id, byKey, () -> loom.defineIndex(id, byKey, number, bins, List.of(key)));
        }
        return id;
    }

    /** Defines an index that the source never had, also after a kill between the definitions; one that was closed stays closed. */
    private void defineIndex(int sourceId, String index, Runnable definition) {
        boolean had = loom.indexes().stream()
                .anyMatch(defined ->
                        defined.sourceId() == sourceId && defined.name().equals(index));
        if (!had) {
            try {
                definition.run();
            } catch (IllegalArgumentException e) {
                // no room for another index: queries find the same without it, and records must not be refused for it
            }
        }
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
