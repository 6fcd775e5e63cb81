package dev.loom.server.prometheus.promql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What belongs to a time, to the millisecond: one sample at a time, so that the answer is known. */
final class EvaluatorEdgesTest {
    private static final Meter FREE = new Meter() {
        @Override
        public void reserve(long bytes) {}

        @Override
        public void check() {}
    };

    private static Map<Long, Double> values(String query, Steps steps, long... timesMs) {
        Labels labels = Labels.of(Map.of(Labels.NAME, "x"));
        StoredSeries.Samples samples =
                new StoredSeries.Samples(labels, timesMs, new double[timesMs.length], null, false);
        Map<Long, Double> found = new TreeMap<>();
        Evaluator.run(
                PromQl.parse(query),
                steps,
                selection -> List.of(samples),
                new Remarks(),
                FREE,
                new Evaluator.Results() {
                    @Override
                    public void onVector(long timeMs, List<Element> vector) {
                        vector.forEach(each -> found.put(timeMs, each.value()));
                    }
                });
        return found;
    }

    @Test
    void shouldKnowALastValueForLessThanFiveMinutes() {
        assertEquals(
                Map.of(1_000L, 0.0, 151_000L, 0.0, 300_999L, 0.0),
                merge(values("x", new Steps(1_000, 301_000, 150_000), 1_000), values("x", Steps.at(300_999), 1_000)));
        assertEquals(Map.of(), values("x", Steps.at(999), 1_000));
        assertEquals(Map.of(301_000L, 0.0), values("x offset 5m", new Steps(300_999, 301_000, 1), 1_000));
    }

    private static Map<Long, Double> merge(Map<Long, Double> a, Map<Long, Double> b) {
        Map<Long, Double> all = new TreeMap<>(a);
        all.putAll(b);
        return all;
    }

    @Test
    void shouldOpenARangeAtItsStartAndCloseItAtItsEnd() {
        Steps steps = new Steps(60_000, 62_000, 1_000);
        assertEquals(
                Map.of(60_000L, 1.0, 61_000L, 2.0, 62_000L, 1.0),
                values("count_over_time(x[1s])", steps, 60_000, 60_500, 61_000, 61_001));
        assertEquals(Map.of(61_000L, 1.0), values("count_over_time(x[1s] offset 1s)", steps, 60_000));
        assertEquals(Map.of(60_000L, 1.0), values("count_over_time(x[1s] offset -1s)", steps, 61_000));
    }
}
