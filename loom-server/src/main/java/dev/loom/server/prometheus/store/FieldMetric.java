package dev.loom.server.prometheus.store;

import dev.loom.api.Index;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.ValueUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * An indexed field of a source, as a metric of native histograms.
 *
 * @param name such as {@code loom:requests:latency_ns}, and {@code loom:requests:latency_ns:by_op} of an index by keys
 * @param keys the fields of the index's key, which are labels; empty for one series of all records
 */
record FieldMetric(String name, Source source, Index index, List<String> keys) {
    /** With what all names begin. */
    static final String PREFIX = "loom:";

    private static final Pattern SPECIAL = Pattern.compile("[^a-zA-Z0-9_]");

    /** The metrics of all sources, by name; several of one name can't be distinguished. */
    static Map<String, List<FieldMetric>> all(Snapshot snapshot) {
        Map<String, List<FieldMetric>> metrics = new TreeMap<>();
        for (Source source : snapshot.sources()) {
            for (Index index : snapshot.indexes(source.id())) {
                boolean ofField =
                        index.function().isReadable() && !index.function().isLambda();
                if (index.kind() == Index.Kind.VALUE && ofField) {
                    add(new FieldMetric(name(source, index), source, index, keys(index)), metrics);
                }
            }
        }
        return metrics;
    }

    /** Adds a metric, unless there is one of the same source, field and keys with other bins, and a smaller id. */
    private static void add(FieldMetric metric, Map<String, List<FieldMetric>> metrics) {
        List<FieldMetric> same = metrics.computeIfAbsent(metric.name, any -> new ArrayList<>());
        if (same.stream().noneMatch(metric::isSame)) {
            same.add(metric);
        }
    }

    private boolean isSame(FieldMetric other) {
        return source.id() == other.source.id() && field().equals(other.field()) && keys.equals(other.keys);
    }

    private static List<String> keys(Index index) {
        return index.key() == null ? List.of() : index.key().fields();
    }

    private static String name(Source source, Index index) {
        StringBuilder name = new StringBuilder(PREFIX)
                .append(plain(source.name()))
                .append(':')
                .append(plain(index.function().name()));
        List<String> keys = keys(index);
        if (!keys.isEmpty()) {
            name.append(":by");
            keys.forEach(key -> name.append('_').append(plain(key)));
        }
        return name.toString();
    }

    private static String plain(String text) {
        return SPECIAL.matcher(text).replaceAll("_");
    }

    /** The field that is counted. */
    String field() {
        return index.function().name();
    }

    /** The label of a field of the key. */
    static String label(String key) {
        return OtlpNames.label(key);
    }

    /** The unit of the values; empty if it has none. */
    String unit() {
        return index.function().unit() == ValueUnit.NONE
                ? ""
                : index.function().unit().text();
    }
}
