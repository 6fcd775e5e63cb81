package dev.loom.otlp.ingest;

import dev.loom.otlp.Signal;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.agrona.collections.MutableLong;

/** Counts the records of one request that are not stored, by reason. Reused; for one thread. */
final class Rejections {
    private final Map<RejectReason, MutableLong> counts = new EnumMap<>(RejectReason.class);
    private long total;

    Rejections() {
        for (RejectReason reason : RejectReason.values()) {
            counts.put(reason, new MutableLong());
        }
    }

    void reset() {
        if (total > 0) {
            counts.values().forEach(count -> count.set(0));
            total = 0;
        }
    }

    void add(RejectReason reason) {
        Objects.requireNonNull(counts.get(reason)).increment();
        total++;
    }

    long total() {
        return total;
    }

    /** The message for the client, such as {@code 3 spans rejected: the reason; 1 span rejected: another}. */
    String text(Signal signal) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<RejectReason, MutableLong> entry : counts.entrySet()) {
            long count = entry.getValue().get();
            if (count > 0) {
                text.append(text.isEmpty() ? "" : "; ")
                        .append(count)
                        .append(' ')
                        .append(noun(signal));
                text.append(count == 1 ? "" : "s")
                        .append(" rejected: ")
                        .append(entry.getKey().text());
            }
        }
        return text.toString();
    }

    private static String noun(Signal signal) {
        return switch (signal) {
            case LOGS -> "log record";
            case TRACES -> "span";
            case METRICS -> "data point";
        };
    }
}
