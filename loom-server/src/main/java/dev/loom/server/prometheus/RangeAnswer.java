package dev.loom.server.prometheus;

import dev.loom.server.prometheus.promql.Element;
import dev.loom.server.prometheus.promql.Evaluator;
import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.Meter;
import dev.loom.server.prometheus.promql.NativeHistogram;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The points of all series of an answer over time, by series. For one thread. */
final class RangeAnswer implements Evaluator.Results {
    private static final int FEW = 8;
    private static final long POINT_BYTES = 24;
    private static final long SERIES_BYTES = 200;

    private final Map<Labels, Line> lines = new TreeMap<>();
    private final Meter meter;

    RangeAnswer(Meter meter) {
        this.meter = meter;
    }

    /** One series. */
    private final class Line {
        private long[] timesMs = new long[FEW];
        private double[] values = new double[FEW];
        private @Nullable NativeHistogram[] histograms = new NativeHistogram[FEW];
        private int size;

        void add(long timeMs, Element element) {
            if (size == timesMs.length) {
                meter.reserve(size * POINT_BYTES);
                timesMs = Arrays.copyOf(timesMs, 2 * size);
                values = Arrays.copyOf(values, 2 * size);
                histograms = Arrays.copyOf(histograms, 2 * size);
            }
            NativeHistogram histogram = element.histogram();
            if (histogram != null) {
                meter.reserve(histogram.bytes());
            }
            timesMs[size] = timeMs;
            values[size] = element.value();
            histograms[size++] = histogram;
        }
    }

    @Override
    public void onScalar(long timeMs, double value) {
        add(timeMs, new Element(Labels.NONE, value, null));
    }

    @Override
    public void onVector(long timeMs, List<Element> vector) {
        vector.forEach(element -> add(timeMs, element));
    }

    private void add(long timeMs, Element element) {
        Line line = lines.get(element.labels());
        if (line == null) {
            meter.reserve(SERIES_BYTES + element.labels().bytes() + FEW * POINT_BYTES);
            line = new Line();
            lines.put(element.labels(), line);
        }
        line.add(timeMs, element);
    }

    /** The labels of all series, in their order. */
    List<Labels> series() {
        return new ArrayList<>(lines.keySet());
    }

    /** Writes the series of some labels. */
    void write(List<Labels> series, AnswerWriter writer) throws IOException {
        writer.put("{\"resultType\":\"matrix\",\"result\":[");
        boolean any = false;
        for (Labels labels : series) {
            Line line = Objects.requireNonNull(lines.get(labels));
            writer.put(any ? ",{\"metric\":" : "{\"metric\":").labels(labels);
            any = true;
            write("values", line, false, writer);
            write("histograms", line, true, writer);
            writer.put("}");
        }
        writer.put("]}");
    }

    private static void write(String name, Line line, boolean histograms, AnswerWriter writer) throws IOException {
        boolean any = false;
        for (int i = 0; i < line.size; i++) {
            if ((line.histograms[i] != null) == histograms) {
                writer.put(any ? "," : ",\"" + name + "\":[");
                any = true;
                writer.point(line.timesMs[i], line.values[i], line.histograms[i]);
            }
        }
        writer.put(any ? "]" : "");
    }
}
