package dev.loom.query.series;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.GroupLimitException.Cap;
import dev.loom.query.model.QueryMemory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** The metrics that points belong to, with how many points and series they have. For one thread. */
public final class MetricTable implements AutoCloseable {
    private static final List<String> FIELDS = List.of("name", "kind", "unit", "temporality", "monotonic");
    private static final long SERIES_BYTES = 96;
    private static final long METRIC_BYTES = 1_024;

    private final QueryMemory memory;
    private final int seriesMax;
    private final SeriesKey key;
    private final List<@Nullable FieldReader> readers = new ArrayList<>();
    private final List<FieldValue> values = new ArrayList<>();
    private final Set<Object> series = new HashSet<>();
    private final Map<String, Metric> metrics = new TreeMap<>();
    private long records;
    private long reserved;

    /** One metric. */
    public static final class Metric {
        private final List<String> texts;
        private long points;
        private long series;
        private long firstNs = Long.MAX_VALUE;
        private long lastNs = Long.MIN_VALUE;

        private Metric(List<String> texts) {
            this.texts = texts;
        }

        /** Name, kind, unit, temporality, and whether it is monotonic; each empty if it is missing. */
        public List<String> texts() {
            return texts;
        }

        public long points() {
            return points;
        }

        public long series() {
            return series;
        }

        /** The time of the first point. */
        public long firstNs() {
            return firstNs;
        }

        /** The time of the last point. */
        public long lastNs() {
            return lastNs;
        }
    }

    public MetricTable(PayloadFormat format, @Nullable RecordLookup lookup, QueryMemory memory, int seriesMax) {
        this.memory = memory;
        this.seriesMax = seriesMax;
        key = new SeriesKey(format, lookup);
        for (String field : FIELDS) {
            readers.add(format.field(field));
            FieldValue value = new FieldValue();
            value.lookup(lookup);
            values.add(value);
        }
    }

    /** Takes a point; the lookup must stand at it. */
    public void add(long timeNs, DirectBuffer buffer, int offset, int length) {
        records++;
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < values.size(); i++) {
            FieldReader reader = readers.get(i);
            if (reader != null) {
                reader.read(buffer, offset, length, values.get(i));
            }
            name.append(values.get(i).text()).append('\0');
        }
        Metric metric = metrics.get(name.toString());
        if (metric == null) {
            reserve(METRIC_BYTES + 4L * name.length());
            metric = new Metric(values.stream().map(FieldValue::text).toList());
            metrics.put(name.toString(), metric);
        }
        key.read(buffer, offset, length);
        if (!series.contains(key)) {
            if (series.size() >= seriesMax) {
                throw new GroupLimitException(Cap.SERIES, series.size() + 1L, seriesMax, records);
            }
            SeriesKey.Kept kept = key.keep();
            reserve(SERIES_BYTES + kept.length());
            series.add(kept);
            metric.series++;
        }
        metric.points++;
        metric.firstNs = Math.min(metric.firstNs, timeNs);
        metric.lastNs = Math.max(metric.lastNs, timeNs);
    }

    private void reserve(long bytes) {
        memory.reserve(bytes);
        reserved += bytes;
    }

    /** The metrics by name. */
    public Collection<Metric> metrics() {
        return metrics.values();
    }

    @Override
    public void close() {
        memory.release(reserved);
        reserved = 0;
    }
}
