package dev.loom.server.prometheus.promql;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What belongs to a time, to the millisecond, and odd numbers: one sample at a time, so that the answer is known. */
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

    @Test
    void shouldClampToNothingOnlyIfTheLeastIsMoreThanTheMost() {
        for (String bounds : List.of("NaN, 1", "0, NaN", "NaN, NaN")) {
            assertEquals(
                    Map.of(1_000L, Double.NaN), values("clamp(x, " + bounds + ")", Steps.at(1_000), 1_000), bounds);
        }
        assertEquals(Map.of(1_000L, 2.0), values("clamp(x, 2, 2)", Steps.at(1_000), 1_000));
        assertEquals(Map.of(), values("clamp(x, 2, 1)", Steps.at(1_000), 1_000));
    }

    private static Double value(String scalar) {
        return values("vector(" + scalar + ")", Steps.at(0)).get(0L);
    }

    @Test
    void shouldReadLeadingZerosAsOctalInQueriesAlone() {
        assertEquals(8.0, value("010"));
        assertEquals(-63.0, value("-0077"));
        assertEquals(0.0, value("00"));
        assertEquals(80.0, value("080"));
        assertEquals(10.5, value("010.5"));
        assertEquals(100.0, value("010e1"));
        assertEquals(16.0, value("0x10"));
        assertEquals(0x1p63, value("0" + "7".repeat(21)));
        assertEquals(1e21, value("01" + "0".repeat(21))); // too many bits to be octal
        assertEquals(10, PromNumber.parse("010"));
    }

    @Test
    void shouldKnowTheExactLogarithmOfPowersOfTwo() {
        for (int exponent = -1_074; exponent < 1_024; exponent++) {
            assertEquals((double) exponent, log2(String.valueOf(Math.scalb(1.0, exponent))));
        }
        assertEquals(Math.log10(3) / Math.log10(2), log2("3"), 1e-15);
        assertEquals(Math.log10(0.7) / Math.log10(2), log2("0.7"), 1e-15);
        assertEquals(-1_073 + Math.log10(1.5) / Math.log10(2), log2("1.5e-323"), 1e-12);
        assertEquals(1_024.0, log2(String.valueOf(Double.MAX_VALUE)));
        assertEquals(Double.NEGATIVE_INFINITY, log2("0"));
        assertEquals(Double.POSITIVE_INFINITY, log2("Inf"));
        assertEquals(Double.NaN, log2("-1"));
        assertEquals(Double.NaN, log2("NaN"));
    }

    private static Double log2(String scalar) {
        return values("log2(vector(" + scalar + "))", Steps.at(0)).get(0L);
    }
}
