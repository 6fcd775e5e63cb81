package dev.loom.otlp.ingest;

import dev.loom.otlp.Signal;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Counts the records of one request that are not stored, by reason. Reused; for one thread. */
final class Rejections {
    private final Map<RejectReason, Long> counts = new EnumMap<>(RejectReason.class);
    private long total;

    void reset() {
        counts.clear();
        total = 0;
    }

    void add(RejectReason reason) {
        counts.merge(reason, 1L, Long::sum);
        total++;
    }

    long total() {
        return total;
    }

    /** The message for the client, such as {@code 3 spans rejected: the reason; 1 span rejected: another}. */
    String text(Signal signal) {
        return counts.entrySet().stream()
                .map(entry -> entry.getValue() + " " + noun(signal) + (entry.getValue() == 1 ? "" : "s") + " rejected: "
                        + entry.getKey().text())
                .collect(Collectors.joining("; "));
    }

    private static String noun(Signal signal) {
        return switch (signal) {
            case LOGS -> "log record";
            case TRACES -> "span";
            case METRICS -> "data point";
        };
    }
}
