package dev.loom.server.prometheus.store;

import dev.loom.api.Source;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.Order;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.RecordSelection;
import dev.loom.query.service.ResultHandler;
import dev.loom.query.service.ScanRequest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.agrona.DirectBuffer;

/** What is known of metrics besides their samples: type, help and unit. */
public final class MetricMetadata {
    private static final List<String> FIELDS =
            List.of("name", "unit", "kind", "temporality", "monotonic", "description");
    private static final long ENTRY_BYTES = 256;

    private final SeriesQuery query;

    public MetricMetadata(SeriesQuery query) {
        this.query = query;
    }

    /** The type of a metric, such as {@code counter}, its help and its unit. */
    public record Entry(String type, String help, String unit) implements Comparable<Entry> {
        @Override
        public int compareTo(Entry other) {
            return List.of(type, help, unit)
                    .toString()
                    .compareTo(List.of(other.type, other.help, other.unit).toString());
        }
    }

    /** What is known, by the names of metrics. */
    public Map<String, Set<Entry>> find() {
        Map<String, Set<Entry>> found = new TreeMap<>();
        for (Source source : query.snapshot().sources()) {
            // the contexts of points: each metric once in a while
            if (FIELDS.stream().allMatch(field -> source.format().field(field) != null)
                    && source.format().field("value") == null) {
                read(source, found);
            }
        }
        FieldMetric.all(query.snapshot())
                .forEach((name, metrics) -> metrics.forEach(metric -> add(
                        name,
                        new Entry(
                                "histogram",
                                "Values of " + metric.field() + " of the source "
                                        + metric.source().name(),
                                metric.unit()),
                        found)));
        return found;
    }

    private void add(String name, Entry entry, Map<String, Set<Entry>> found) {
        if (found.computeIfAbsent(name, any -> new TreeSet<>()).add(entry)) {
            query.reserve(ENTRY_BYTES
                    + 2L * (name.length() + entry.help().length() + entry.unit().length()));
        }
    }

    private void read(Source source, Map<String, Set<Entry>> found) {
        RecordSelection records = new RecordSelection(source, TimeRange.ALL, false, List.of());
        List<FieldReader> readers =
                FIELDS.stream().map(field -> source.format().field(field)).toList();
        List<FieldValue> values = FIELDS.stream().map(field -> new FieldValue()).toList();
        query.run(new ScanRequest(records, Order.OLDEST_FIRST, Long.MAX_VALUE, query.limits()), new ResultHandler() {
            @Override
            public void onLookup(RecordLookup lookup) {
                values.forEach(value -> value.lookup(lookup));
            }

            @Override
            public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
                for (int i = 0; i < values.size(); i++) {
                    readers.get(i).read(buffer, offset, length, values.get(i));
                }
                add(values, found);
            }
        });
    }

    private void add(List<FieldValue> values, Map<String, Set<Entry>> found) {
        List<String> texts = values.stream()
                .map(value -> value.kind() == FieldValue.Kind.ABSENT ? "" : value.text())
                .toList();
        String kind = texts.get(2);
        boolean monotonic =
                values.get(4).kind() == FieldValue.Kind.BOOLEAN && values.get(4).longValue() != 0;
        String name = OtlpNames.metric(texts.get(0), texts.get(1), kind, monotonic);
        if (!name.isEmpty()) {
            add(name, new Entry(type(kind, texts.get(3), monotonic), texts.get(5), texts.get(1)), found);
        }
    }

    private static String type(String kind, String temporality, boolean monotonic) {
        if (temporality.equals("delta")) {
            return "unknown"; // Prometheus has no type for what each sample adds
        }
        return switch (kind) {
            case "gauge", "summary" -> kind;
            case "sum" -> monotonic ? "counter" : "gauge";
            case "histogram", "exponential_histogram" -> "histogram";
            default -> "unknown";
        };
    }
}
