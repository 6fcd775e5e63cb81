package dev.loom.query.series;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.MetricSeries;
import dev.loom.query.SeriesStep;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.GroupLimitException.Cap;
import dev.loom.query.model.PercentileEstimate;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Percentiles out of histograms, against the values that went into them: those have to lie within the bounds, which are not wider than
 * the buckets. {@code -Dloom.test.seed=S} sets the seed.
 */
class HistogramSeriesTest {
    private static final PayloadFormat FORMAT = Formats.parse("json");
    private static final List<BigDecimal> PERCENTILES =
            List.of("0", "1", "25", "50", "90", "99", "99.9", "100").stream()
                    .map(BigDecimal::new)
                    .toList();

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final QueryMemory memory = new QueryMemory(1 << 24);

    private static MetricSeries.Terms terms(int seriesMax) {
        return new MetricSeries.Terms(
                List.of(),
                new TimeRange(1_000, 2_000),
                Duration.ZERO,
                Duration.ofNanos(500),
                false,
                true,
                PERCENTILES,
                seriesMax);
    }

    private @Nullable SeriesStep run(List<String> points, MetricSeries.Terms terms) {
        List<SeriesStep> steps = new ArrayList<>();
        try (MetricSeries series = new MetricSeries(FORMAT, null, terms, memory, () -> false, steps::add)) {
            for (String point : points) {
                byte[] payload = point.getBytes(StandardCharsets.UTF_8);
                long timeNs = Long.parseLong(point.replaceAll(".*\"time\":(\\d+).*", "$1"));
                series.add(timeNs, new UnsafeBuffer(payload), 0, payload.length);
            }
            series.end();
        }
        assertEquals(0, memory.reserved());
        assertTrue(steps.size() <= 1);
        return steps.isEmpty() ? null : steps.get(0);
    }

    private SeriesStep step(String... points) {
        return Objects.requireNonNull(run(List.of(points), terms(10)));
    }

    private static String point(
            int series, long timeNs, long startNs, boolean delta, List<Double> values, String buckets) {
        return "{\"name\":\"h\",\"kind\":\"" + (buckets.contains("scale") ? "exponential_histogram" : "histogram")
                + "\",\"temporality\":\"" + (delta ? "delta" : "cumulative") + "\",\"time\":" + timeNs + ",\"start\":"
                + startNs + ",\"count\":" + values.size() + ",\"buckets\":" + buckets + ",\"attributes\":{\"s\":"
                + series
                + "}}";
    }

    private static String explicit(List<Double> values, double... bounds) {
        long[] counts = new long[bounds.length + 1];
        for (double value : values) {
            int at = 0;
            while (at < bounds.length && value > bounds[at]) {
                at++;
            }
            counts[at]++;
        }
        return "{\"bounds\":" + Arrays.toString(bounds) + ",\"counts\":" + Arrays.toString(counts) + "}";
    }

    /** The bucket of a positive value, by comparing with the powers of the base. */
    private static int bucket(double value, int scale) {
        int index = (int) Math.floor(Math.log(value) / Math.log(2) * Math.pow(2, scale));
        while (Math.pow(2, index / Math.pow(2, scale)) >= value) {
            index--;
        }
        while (Math.pow(2, (index + 1) / Math.pow(2, scale)) < value) {
            index++;
        }
        return index;
    }

    private static String exponential(List<Double> values, int scale) {
        long zero = values.stream().filter(value -> value == 0).count();
        return "{\"scale\":" + scale + ",\"zero_count\":" + zero + ",\"positive\":"
                + side(values.stream().filter(value -> value > 0).toList(), scale) + ",\"negative\":"
                + side(
                        values.stream()
                                .filter(value -> value < 0)
                                .map(value -> -value)
                                .toList(),
                        scale) + "}";
    }

    private static String side(List<Double> values, int scale) {
        if (values.isEmpty()) {
            return "{\"offset\":0,\"counts\":[]}";
        }
        TreeMap<Integer, Long> counts = new TreeMap<>();
        values.forEach(value -> counts.merge(bucket(value, scale), 1L, Long::sum));
        String all = IntStream.rangeClosed(counts.firstKey(), counts.lastKey())
                .mapToObj(i -> Long.toString(counts.getOrDefault(i, 0L)))
                .collect(Collectors.joining(","));
        return "{\"offset\":" + counts.firstKey() + ",\"counts\":[" + all + "]}";
    }

    private static double rank(List<Double> values, BigDecimal p) {
        List<Double> sorted = values.stream().sorted().toList();
        int rank = (int) Math.max(1, Math.ceil(p.doubleValue() * values.size() / 100 - 1e-9));
        return sorted.get(rank - 1);
    }

    private static void check(List<Double> values, SeriesStep step, double widthMax, String what) {
        assertEquals((long) values.size(), step.increase(), what);
        for (BigDecimal p : PERCENTILES) {
            PercentileEstimate estimate =
                    Objects.requireNonNull(step.percentiles().get(p), what);
            double value = rank(values, p);
            String said = what + " p" + p + "=" + value + " " + estimate;
            assertTrue(estimate.lower() <= value && value <= estimate.upper(), said);
            assertTrue(
                    (Double.isInfinite(estimate.lower()) && Double.isInfinite(estimate.upper()))
                            ? Double.isNaN(estimate.estimate())
                            : estimate.lower() <= estimate.estimate() && estimate.estimate() <= estimate.upper(),
                    said);
            if (value > 0 && Double.isFinite(widthMax)) {
                assertTrue(estimate.upper() / estimate.lower() <= widthMax * (1 + 1e-9), said);
            }
        }
    }

    @Test
    void shouldBoundPercentilesOfHistogramsOfAnyKind() {
        System.out.println("HistogramSeriesTest: -Dloom.test.seed=" + seed);
        for (int round = 0; round < 300; round++) {
            Random random = new Random(seed + round);
            List<String> points = new ArrayList<>();
            List<Double> all = new ArrayList<>();
            int leastScale = 20;
            for (int s = 0; s < 1 + random.nextInt(4); s++) {
                boolean delta = random.nextBoolean();
                long start = random.nextBoolean() ? 1_000 : 700;
                List<Double> since = new ArrayList<>();
                boolean known = start == 1_000;
                int scale = random.nextInt(6);
                double spread = 1 + random.nextInt(3);
                for (long time = start == 1_000 ? 1_100 : 900; time < 2_000; time += 50 + random.nextInt(300)) {
                    List<Double> fresh = new ArrayList<>();
                    for (int i = random.nextInt(50); i > 0; i--) {
                        double value = Math.exp(random.nextGaussian() * spread);
                        fresh.add(random.nextInt(20) == 0 ? 0 : random.nextInt(10) == 0 ? -value : value);
                    }
                    if (random.nextInt(6) == 0 && known) {
                        // a new process, which may count at another scale
                        start = time - 10;
                        since.clear();
                    }
                    scale = Math.max(0, scale - random.nextInt(2));
                    leastScale = Math.min(leastScale, scale);
                    since.addAll(fresh);
                    points.add(point(
                            s, time, start, delta, delta ? fresh : since, exponential(delta ? fresh : since, scale)));
                    if (time >= 1_000 && (known || delta)) {
                        all.addAll(fresh);
                    }
                    known = true;
                }
            }
            points.sort((a, b) -> Long.compare(time(a), time(b)));
            SeriesStep step = run(points, terms(10));
            String what = "-Dloom.test.seed=" + (seed + round);
            if (all.isEmpty()) {
                assertTrue(step == null || step.percentiles().isEmpty(), what);
            } else {
                check(all, Objects.requireNonNull(step), Math.pow(2, Math.pow(2, -leastScale)), what);
            }
        }
    }

    private static long time(String point) {
        return Long.parseLong(point.replaceAll(".*\"time\":(\\d+).*", "$1"));
    }

    @Test
    void shouldGiveTheBucketOfThePercentileIfAllBoundsAreEqual() {
        Random random = new Random(seed);
        double[] bounds = {1, 2, 5, 10, 100};
        for (int round = 0; round < 200; round++) {
            List<Double> values = new ArrayList<>();
            for (int i = 1 + random.nextInt(30); i > 0; i--) {
                values.add(random.nextDouble() * 120);
            }
            List<Double> before = values.subList(0, random.nextInt(values.size()));
            SeriesStep step = Objects.requireNonNull(run(
                    List.of(
                            point(1, 900, 5, false, before, explicit(before, bounds)),
                            point(1, 1_500, 5, false, values, explicit(values, bounds))),
                    terms(1)));
            List<Double> counted = values.subList(before.size(), values.size());
            check(counted, step, Double.POSITIVE_INFINITY, "seed=" + seed);
            for (BigDecimal p : PERCENTILES) {
                double value = rank(counted, p);
                double lower = Arrays.stream(bounds)
                        .filter(bound -> bound < value)
                        .max()
                        .orElse(Double.NEGATIVE_INFINITY);
                double upper = Arrays.stream(bounds)
                        .filter(bound -> bound >= value)
                        .min()
                        .orElse(Double.POSITIVE_INFINITY);
                PercentileEstimate estimate = step.percentiles().get(p);
                assertEquals(lower, Objects.requireNonNull(estimate).lower(), "seed=" + seed);
                assertEquals(upper, estimate.upper(), "seed=" + seed);
            }
        }
    }

    @Test
    void shouldBoundPercentilesOfBucketsWithOtherBounds() {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            List<String> points = new ArrayList<>();
            List<Double> all = new ArrayList<>();
            for (int s = 0; s < 1 + random.nextInt(80); s++) {
                double[] bounds = random.doubles(random.nextInt(5), 0, 100)
                        .distinct()
                        .sorted()
                        .toArray();
                List<Double> values =
                        random.doubles(random.nextInt(5), 0, 120).boxed().toList();
                all.addAll(values);
                points.add(point(s, 1_100, 1_050, false, values, explicit(values, bounds)));
            }
            SeriesStep step = run(points, terms(100));
            if (!all.isEmpty()) {
                check(all, Objects.requireNonNull(step), Double.POSITIVE_INFINITY, "seed=" + seed + " round=" + round);
            }
        }
    }

    @Test
    void shouldInterpolateWithinABucket() {
        List<Double> values = List.of(1.0, 1.0, 1.0, 1.0);
        SeriesStep step = step(point(1, 1_500, 1_200, false, values, "{\"bounds\":[10,20],\"counts\":[0,4,0]}"));
        assertEquals(new PercentileEstimate(15, 10, 20), step.percentiles().get(new BigDecimal("50")));
        assertEquals(
                20,
                Objects.requireNonNull(step.percentiles().get(new BigDecimal("100")))
                        .estimate());
    }

    @Test
    void shouldNarrowOpenBucketsByTheLeastAndTheGreatestValue() {
        String point = point(1, 1_500, 1_200, false, List.of(1.0, 1.0), "{\"bounds\":[10],\"counts\":[1,1]}");
        SeriesStep open = step(point);
        assertEquals(
                new PercentileEstimate(10, Double.NEGATIVE_INFINITY, 10),
                open.percentiles().get(new BigDecimal("1")));
        SeriesStep closed = step(point.replace("\"count\":2", "\"count\":2,\"min\":3,\"max\":12.5"));
        assertEquals(new PercentileEstimate(10, 3, 10), closed.percentiles().get(new BigDecimal("1")));
        assertEquals(
                new PercentileEstimate(12.5, 10, 12.5), closed.percentiles().get(new BigDecimal("100")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"bounds\":[1],\"counts\":[1]}",
                "{\"bounds\":[2,1],\"counts\":[1,2,3]}",
                "{\"bounds\":[1],\"counts\":[1,-1]}",
                "{\"bounds\":[1],\"counts\":[1,1.5]}",
                "{\"bounds\":[\"NaN\"],\"counts\":[1,1]}",
                "{\"bounds\":1,\"counts\":[1,1]}",
                "{\"bounds\":[1],\"counts\":[1,{}]}",
                "{\"bounds\":[1],\"counts\":[1,1]",
                "{\"scale\":99,\"positive\":{\"counts\":[4]}}",
                "{\"scale\":1,\"positive\":{\"offset\":2000000000,\"counts\":[4]}}",
                "{\"scale\":1,\"positive\":[4]}",
                "{\"scale\":1,\"zero_threshold\":-1,\"zero_count\":4}",
                "[1]",
            })
    void shouldTakeBucketsThatAreNoneForValuesAnywhere(String buckets) {
        SeriesStep step = step(point(1, 1_500, 1_200, false, List.of(1.0, 2.0), buckets));
        assertEquals(2L, step.increase());
        PercentileEstimate median = Objects.requireNonNull(step.percentiles().get(new BigDecimal("50")));
        assertEquals(Double.NEGATIVE_INFINITY, median.lower());
        assertEquals(Double.POSITIVE_INFINITY, median.upper());
        assertTrue(Double.isNaN(median.estimate()));
    }

    /** Without a restart, buckets only gain; what the count gained otherwise may be anywhere. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"bounds\":[1],\"counts\":[1,3]}",
                "{\"bounds\":[2],\"counts\":[3,1]}",
                "{\"scale\":1,\"positive\":{\"counts\":[4]}}",
            })
    void shouldCountTheSameWhateverBucketsSay(String later) {
        SeriesStep step = step(
                point(1, 1_500, 5, false, List.of(1.0, 1.0), "{\"bounds\":[1],\"counts\":[2,0]}"),
                point(1, 1_600, 5, false, List.of(1.0, 1.0, 2.0, 2.0), later)
                        .replace("exponential_histogram", "histogram"));
        assertEquals(2L, step.increase());
        PercentileEstimate median = Objects.requireNonNull(step.percentiles().get(new BigDecimal("50")));
        assertEquals(Double.NEGATIVE_INFINITY, median.lower());
        assertEquals(Double.POSITIVE_INFINITY, median.upper());
    }

    @Test
    void shouldSurviveCountsBeyondAllMeasure() {
        String most = "{\"bounds\":[1],\"counts\":[9223372036854775807,9223372036854775807]}";
        SeriesStep step = step(
                point(1, 1_500, 1_200, true, List.of(1.0), most), point(2, 1_500, 1_200, true, List.of(1.0), most));
        assertTrue(Double.isNaN(Objects.requireNonNull(step.percentiles().get(PERCENTILES.get(3)))
                .estimate()));
        String far = "{\"scale\":20,\"positive\":{\"offset\":%s1000000000,\"counts\":[1]}}";
        SeriesStep wide = step(
                point(1, 1_500, 1_200, true, List.of(1.0), String.format(far, "")),
                point(2, 1_500, 1_200, true, List.of(1.0), String.format(far, "-")));
        PercentileEstimate least = Objects.requireNonNull(wide.percentiles().get(new BigDecimal("1")));
        assertTrue(least.lower() < 0x1p-900 && least.upper() > 0x1p-1000, least::toString);
    }

    /** Such as would take many times the room of their text. */
    @Test
    void shouldTakeMoreBucketsThanAHistogramHasForValuesAnywhere() {
        String many = "{\"scale\":20,\"positive\":{\"offset\":0,\"counts\":[1" + ",0".repeat(1 << 17) + "]}}";
        SeriesStep step = step(point(1, 1_500, 1_200, true, List.of(1.0), many));
        PercentileEstimate median = Objects.requireNonNull(step.percentiles().get(PERCENTILES.get(3)));
        assertEquals(Double.NEGATIVE_INFINITY, median.lower());
        assertEquals(Double.POSITIVE_INFINITY, median.upper());
        String fewer = many.replace(",0".repeat(1 << 17), ",0".repeat(100_000));
        step = step(point(1, 1_500, 1_200, true, List.of(1.0), fewer));
        assertTrue(Double.isFinite(Objects.requireNonNull(step.percentiles().get(PERCENTILES.get(3)))
                .upper()));
    }

    @Test
    void shouldKeepFewExponentialBucketsByWideningThem() {
        Distribution distribution = new Distribution();
        for (int i = 0; i < 10_000; i += 7) {
            long[] one = {1};
            distribution.add(
                    new HistogramValue(null, new BucketCounts(i, one), 8, 0, 0, BucketCounts.NONE),
                    1,
                    Double.NaN,
                    Double.NaN);
        }
        assertTrue(distribution.bytes() <= Distribution.EXPONENTIAL_MAX * Long.BYTES, () -> distribution.bytes() + "");
        PercentileEstimate median = Objects.requireNonNull(distribution.percentile(BigDecimal.valueOf(50)));
        double value = Math.pow(2, 5_000 / 256.0);
        assertTrue(median.lower() <= value * 1.03 && median.upper() >= value / 1.03, median::toString);
        assertTrue(median.upper() / median.lower() < 1.05, median::toString);
    }

    @Test
    void shouldHoldAsManySeriesAsTheCapAndNoMore() {
        List<String> points = IntStream.range(0, 10)
                .mapToObj(s -> point(s, 1_500, 1_200, true, List.of(1.0), explicit(List.of(1.0), 1)))
                .toList();
        assertEquals(10, Objects.requireNonNull(run(points, terms(10))).series());
        GroupLimitException e = assertThrows(GroupLimitException.class, () -> run(points, terms(9)));
        assertEquals("too many series: found=10, max=9, records read=10", e.getMessage());
        assertEquals(Cap.SERIES, e.cap());
        assertEquals(0, memory.reserved());
    }

    @Test
    void shouldRefuseTermsOutOfRange() {
        for (Map.Entry<String, Runnable> refused : Map.<String, Runnable>of(
                        "cap is out of range: cap=0, min=1, max=1048576", () -> terms(0),
                        "cap is out of range: cap=1048577, min=1, max=1048576",
                                () -> terms(MetricSeries.SERIES_MAX + 1))
                .entrySet()) {
            IllegalArgumentException e = assertThrows(
                    IllegalArgumentException.class, () -> refused.getValue().run());
            assertEquals(refused.getKey(), e.getMessage());
        }
        terms(MetricSeries.SERIES_MAX);
    }
}
