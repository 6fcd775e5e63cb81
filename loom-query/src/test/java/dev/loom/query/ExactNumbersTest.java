package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fields that declare no type hold integers of 64 bits, unsigned too, and doubles; nothing of them is rounded. */
// in one thread, for the store is closed by who has pushed
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SAME_THREAD)
class ExactNumbersTest {
    private static final PayloadFormat JSON = Formats.parse("json");
    private static final IndexFunction FUNCTION = IndexFunction.field(JSON, "n");
    private static final double[] PERCENTILES = {0, 1, 25, 50, 75, 90, 99, 99.9, 100};

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<BigDecimal> numbers = new ArrayList<>();

    @TempDir
    Path dir;

    private Loom loom;
    private int source;

    @BeforeEach
    void printSeed() {
        System.out.println("ExactNumbersTest: -Dloom.test.seed=" + seed);
    }

    /** By the test itself, whose thread is the only one to write. */
    private void open() {
        loom = Loom.open(LoomConfig.at(dir).recordRingBytes(1 << 20).build());
        source = loom.defineSource("json", JSON);
    }

    private void push(String number) {
        byte[] bytes = ("{\"n\":" + number + "}").getBytes(StandardCharsets.UTF_8);
        loom.push(source, new UnsafeBuffer(bytes), 0, bytes.length);
        numbers.add(new BigDecimal(number));
    }

    @Test
    void shouldKeepTheGreatestInteger() {
        open();
        push("9223372036854775807");
        push("9223372036854775806");
        push("9007199254740993");
        try (Snapshot snapshot = loom.snapshot()) {
            IndexedAggregate.Result all = IndexedAggregate.of(snapshot, source, FUNCTION)
                    .percentiles(50)
                    .run();
            assertEquals("9223372036854775807", all.max().orElseThrow().toString());
            assertEquals("9007199254740993", all.min().orElseThrow().toString());
            assertEquals("9223372036854775806", all.percentile(50).orElseThrow().toString());
            assertEquals("18455751272964292606", all.sum());
        }
        check(true);
        loom.close();
    }

    /** The ten and the one share a double, which is in the range for one of them alone. */
    @Test
    void shouldCountNoneOfTheIntegersThatShareADoubleBeyondARange() {
        open();
        for (int i = 0; i < 10; i++) {
            push("9007199254740992");
        }
        push("9007199254740993");
        try (Snapshot snapshot = loom.snapshot()) {
            checkPercentiles(
                    snapshot,
                    true,
                    ValueRange.above(new BigDecimal("9007199254740992")),
                    List.of(new BigDecimal("9007199254740993")),
                    "above");
        }
        check(true);
        loom.close();
    }

    /** The sum of a chunk's halves is whole, and they are not. */
    @Test
    void shouldPrintSumsAlikeWithAnIndexAndWithout() {
        open();
        loom.defineIndex(source, "n", FUNCTION, Bins.logLinear());
        for (int i = 0; i < 20_000; i++) {
            push("0.5");
        }
        loom.close();
        try (LoomReader reader = LoomReader.attach(dir);
                Snapshot snapshot = reader.snapshot()) {
            for (boolean indexed : new boolean[] {true, false}) {
                assertEquals(
                        "10000.0",
                        IndexedAggregate.of(snapshot, source, FUNCTION)
                                .use(QueryIndex.CHUNK, indexed)
                                .run()
                                .sum(),
                        "indexed=" + indexed);
            }
        }
    }

    @Test
    void shouldBeExactWithAnIndexWhereSumsAreNoDoubles() {
        open();
        loom.defineIndex(source, "n", FUNCTION, Bins.logLinear());
        for (int i = 0; i < 20_000; i++) {
            push(Long.toString(1_000_000_000_000_001L + i));
        }
        check(true);
        loom.close();
    }

    @Test
    void shouldUseTheTotalsOfAnIndexWhereTheyAreExact() {
        open();
        loom.defineIndex(source, "n", FUNCTION, Bins.logLinear());
        for (int i = 0; i < 20_000; i++) {
            push(Integer.toString(random.nextInt(1_000_000)));
        }
        try (Snapshot snapshot = loom.snapshot()) {
            IndexedAggregate.Result all =
                    IndexedAggregate.of(snapshot, source, FUNCTION).run();
            assertTrue(all.statistics().chunksFromTotals() > 3, all.statistics().toString());
        }
        check(true);
        loom.close();
    }

    @Test
    void shouldBeExactWithAndWithoutAnIndexWhateverTheNumbers() {
        open();
        loom.defineIndex(source, "n", FUNCTION, Bins.logLinear());
        for (int i = 0; i < 20_000; i++) {
            // one kind for a while, so that there are chunks of each
            push(number(i / 4_000 % 5 == 4 ? random.nextInt(4) : i / 4_000 % 5));
        }
        check(false);
        loom.close();
    }

    private String number(int kind) {
        return switch (kind) {
            case 0 -> Integer.toString(random.nextInt(1_000));
            case 1 -> Long.toString(Long.MAX_VALUE - random.nextInt(3_000));
            case 2 -> Long.toUnsignedString(-1 - random.nextInt(5_000));
            default -> Double.toString(random.nextInt(1 << 20) / 1024.0 - 500);
        };
    }

    /** Bounds hold the percentile even if it is no double, or lies next to one. */
    private void checkBounds(Snapshot snapshot, List<BigDecimal> sorted, boolean index) {
        double share = new double[] {1e-17, 1e-15, 1e-6, 0.2}[random.nextInt(4)];
        IndexedAggregate.Result near = IndexedAggregate.of(snapshot, source, FUNCTION)
                .percentiles(PERCENTILES)
                .within(share)
                .use(QueryIndex.CHUNK, index)
                .run();
        near.bounds().forEach((p, bounds) -> {
            int rank = p.multiply(BigDecimal.valueOf(sorted.size()))
                    .divide(BigDecimal.valueOf(100), 0, RoundingMode.CEILING)
                    .max(BigDecimal.ONE)
                    .intValue();
            BigDecimal value = sorted.get(rank - 1);
            assertTrue(
                    bounds.lower().toBigDecimal().compareTo(value) <= 0
                            && bounds.upper().toBigDecimal().compareTo(value) >= 0,
                    () -> "seed=" + seed + ", index=" + index + ", p=" + p + ", value=" + value + ", found=" + bounds);
        });
        assertEquals(PERCENTILES.length, near.bounds().size());
    }

    private void check(boolean whole) {
        List<BigDecimal> sorted = new ArrayList<>(numbers);
        sorted.sort(null);
        BigDecimal sum = numbers.stream().reduce(BigDecimal.ZERO, BigDecimal::add);
        try (Snapshot snapshot = loom.snapshot()) {
            for (boolean index : new boolean[] {true, false}) {
                String context = "seed=" + seed + ", index=" + index;
                IndexedAggregate.Result all = IndexedAggregate.of(snapshot, source, FUNCTION)
                        .percentiles(PERCENTILES)
                        .use(QueryIndex.CHUNK, index)
                        .run();
                assertEquals(sorted.size(), all.count(), context);
                same(sorted.get(0), all.min().orElseThrow(), context);
                same(sorted.get(sorted.size() - 1), all.max().orElseThrow(), context);
                for (double p : PERCENTILES) {
                    same(percentile(sorted, p), all.percentile(p).orElseThrow(), context + ", p=" + p);
                }
                checkBounds(snapshot, sorted, index);
                if (whole) {
                    assertEquals(sum.toBigIntegerExact(), new BigInteger(all.sum()), context);
                }
                assertEquals(sum.doubleValue(), all.doubleSum(), Math.ulp(sum.doubleValue()), context);
                double mean = sum.divide(BigDecimal.valueOf(sorted.size()), MathContext.DECIMAL128)
                        .doubleValue();
                assertEquals(mean, all.mean(), Math.ulp(mean), context);
                checkTop(snapshot, index, sorted, context);
                checkScan(snapshot, index, sorted, context);
                checkHistogram(snapshot, index, sorted, context);
            }
        }
    }

    private static BigDecimal percentile(List<BigDecimal> sorted, double p) {
        int rank = BigDecimal.valueOf(p)
                .multiply(BigDecimal.valueOf(sorted.size()))
                .divide(BigDecimal.valueOf(100), 0, RoundingMode.CEILING)
                .intValue();
        return sorted.get(Math.max(1, rank) - 1);
    }

    private void checkTop(Snapshot snapshot, boolean index, List<BigDecimal> sorted, String context) {
        try (TopRecords.Cursor top = TopRecords.of(snapshot, source, FUNCTION, 100)
                .use(QueryIndex.CHUNK, index)
                .open()) {
            for (int i = 0; i < Math.min(100, sorted.size()); i++) {
                assertTrue(top.next(), context);
                same(sorted.get(sorted.size() - 1 - i), top.value(), context + ", i=" + i);
            }
        }
    }

    private void checkScan(Snapshot snapshot, boolean index, List<BigDecimal> sorted, String context) {
        for (int i = 0; i < 10; i++) {
            BigDecimal bound = sorted.get(random.nextInt(sorted.size()));
            assertEquals(
                    sorted.stream().filter(n -> n.compareTo(bound) > 0).count(),
                    count(snapshot, index, ValueRange.above(bound)),
                    context + ", above=" + bound);
            assertEquals(
                    sorted.stream().filter(n -> n.compareTo(bound) <= 0).count(),
                    count(snapshot, index, ValueRange.atMost(bound)),
                    context + ", atMost=" + bound);
            checkPercentiles(
                    snapshot,
                    index,
                    ValueRange.above(bound),
                    sorted.stream().filter(n -> n.compareTo(bound) > 0).toList(),
                    context + ", above=" + bound);
            checkPercentiles(
                    snapshot,
                    index,
                    ValueRange.atMost(bound),
                    sorted.stream().filter(n -> n.compareTo(bound) <= 0).toList(),
                    context + ", atMost=" + bound);
        }
    }

    private void checkPercentiles(
            Snapshot snapshot, boolean index, ValueRange range, List<BigDecimal> sorted, String context) {
        IndexedAggregate.Result found = IndexedAggregate.of(snapshot, source, FUNCTION)
                .values(range)
                .percentiles(PERCENTILES)
                .use(QueryIndex.CHUNK, index)
                .run();
        assertEquals(sorted.size(), found.count(), context);
        for (double p : sorted.isEmpty() ? new double[0] : PERCENTILES) {
            same(percentile(sorted, p), found.percentile(p).orElseThrow(), context + ", p=" + p);
        }
    }

    private long count(Snapshot snapshot, boolean index, ValueRange range) {
        long count = 0;
        try (QueryCursor cursor = IndexedScan.of(snapshot, source, FUNCTION)
                .values(range)
                .use(QueryIndex.CHUNK, index)
                .open()) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }

    private void checkHistogram(Snapshot snapshot, boolean index, List<BigDecimal> sorted, String context) {
        Histogram.Counts counts = Histogram.of(snapshot, source, FUNCTION)
                .bins(Bins.edges(List.of(
                        BigDecimal.valueOf(500),
                        new BigDecimal("9007199254740994"),
                        new BigDecimal("9223372036854774784"),
                        new BigDecimal("9223372036854775808"))))
                .use(QueryIndex.CHUNK, index)
                .run();
        assertEquals(sorted.size(), counts.count(), context);
        same(sorted.get(0), counts.min(0), context);
        same(sorted.stream().max(Comparator.naturalOrder()).orElseThrow(), counts.max(0), context);
        for (int bin = 0; bin < counts.bins(); bin++) {
            BigDecimal low = bin == 0 ? null : counts.low(bin).toBigDecimal();
            BigDecimal end =
                    bin == counts.bins() - 1 ? null : counts.low(bin + 1).toBigDecimal();
            long expected = sorted.stream()
                    .filter(n -> (low == null || n.compareTo(low) >= 0) && (end == null || n.compareTo(end) < 0))
                    .count();
            assertEquals(expected, counts.count(0, bin), context + ", bin=" + bin);
        }
    }

    private static void same(BigDecimal expected, Value actual, String context) {
        assertEquals(
                0,
                expected.compareTo(actual.toBigDecimal()),
                () -> context + ", expected=" + expected + ", actual=" + actual);
    }
}
