package dev.loom.server.loki;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A line of an answer.
 *
 * @param source the place of its source among those selected
 * @param labels of its stream
 * @param members the field whose members the line shows if it is an object of JSON, empty for the whole record; null if it is a text
 * @param fields beside it, by their names
 */
record LogLine(
        long timeNs,
        int source,
        long address,
        Map<String, String> labels,
        String line,
        @Nullable String members,
        Map<String, String> fields) {
    static final Comparator<LogLine> OLDEST_FIRST = Comparator.comparingLong(LogLine::timeNs)
            .thenComparingInt(LogLine::source)
            .thenComparingLong(LogLine::address);

    private static final int OVERHEAD = 256;
    private static final int MEMBER_OVERHEAD = 160;

    /** The fields beside it by the labels that they have; the first of those that have one. */
    Map<String, String> metadata() {
        Map<String, String> metadata = new TreeMap<>();
        fields.forEach((field, text) -> metadata.putIfAbsent(StreamSource.label(field), text));
        return metadata;
    }

    /** Bytes of memory that it takes, at most; what streams share is counted with each. */
    long size() {
        return OVERHEAD + 2L * line.length() + size(labels) + size(fields);
    }

    private static long size(Map<String, String> texts) {
        return texts.entrySet().stream()
                .mapToLong(each -> MEMBER_OVERHEAD
                        + 2L * (each.getKey().length() + each.getValue().length()))
                .sum();
    }
}
