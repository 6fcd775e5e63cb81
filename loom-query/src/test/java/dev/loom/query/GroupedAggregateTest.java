package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.where.Where;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups are those that collections of the pushed records give, with and without indexes, in whatever steps. */
class GroupedAggregateTest {
    private static final PayloadFormat JSON = Formats.parse("json");
    private static final IndexFunction VALUE = IndexFunction.field(JSON, "v");
    private static final double[] PERCENTILES = {0, 50, 99, 100};
    private static final String[] KEYS = {
        "1",
        "1.0",
        "0",
        "-0.0",
        "2.5",
        "true",
        "\"\"",
        "\"1\"",
        "\"b\"",
        "[1, 2]",
        "[1,2]",
        "{\"a\": 1}",
        "null",
        "18446744073709551615",
        "1e300"
    };
    private static final Map<String, String> SAME =
            Map.of("1.0", "1", "-0.0", "0", "[1, 2]", "[1,2]", "{\"a\": 1}", "{\"a\":1}", "null", "", "\"\"", "''");

    private record Row(long timeNs, String key, BigInteger value, String other) {}

    @TempDir
    Path directory;

    private final List<Row> rows = new ArrayList<>();
    private long nowNs = 1_000;

    private Loom open() {
        return Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> nowNs)
                .build());
    }

    private void push(Loom loom, int source, Random random, int records) {
        for (int i = 0; i < records; i++) {
            nowNs += random.nextInt(50);
            String key = KEYS[random.nextInt(KEYS.length)];
            BigInteger value = random.nextInt(10) == 0
                    ? null
                    : new BigInteger(random.nextInt(63) + 1, random)
                            .multiply(BigInteger.valueOf(random.nextBoolean() ? 1 : -1));
            String other = Integer.toString(random.nextInt(20));
            push(loom, source, "{\"k\":" + key + ",\"v\":" + value + ",\"o\":" + other + "}");
            rows.add(new Row(nowNs, SAME.getOrDefault(key, key), value, other));
        }
    }

    private static void push(Loom loom, int source, String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        loom.push(source, new UnsafeBuffer(bytes), 0, bytes.length);
    }

    private static String key(Group group) {
        if (group.isOther()) {
            return "(other)";
        } else if (group.key().isEmpty()) {
            return "(all)";
        }
        FieldValue value = group.key().get(0);
        return value.kind() == FieldValue.Kind.TEXT
                ? value.length() == 0 ? "''" : '"' + value.text() + '"'
                : value.text().replace("1.0E300", "1e300");
    }

    @Test
    void shouldGroupAsCollectionsDo() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("GroupedAggregateTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        try (Loom loom = open()) {
            int source = loom.defineSource("json", JSON);
            push(loom, source, random, 2_000);
            loom.defineIndex(source, "v", VALUE, Bins.logLinear());
            push(loom, source, random, 8_000);
            try (Snapshot snapshot = loom.snapshot()) {
                push(loom, source, random, 500);
                rows.subList(10_000, 10_500).clear();
                for (int i = 0; i < 40; i++) {
                    boolean keyed = random.nextInt(3) > 0;
                    long step = random.nextInt(3) == 0 ? 0 : 1_000L + random.nextInt(100_000);
                    long from = random.nextInt(2) == 0
                            ? 0
                            : rows.get(random.nextInt(rows.size())).timeNs();
                    int limit = random.nextBoolean() ? Integer.MAX_VALUE : random.nextInt(8);
                    check(snapshot, source, keyed, step, new TimeRange(from, nowNs + 1), limit, random.nextBoolean());
                }
            }
        }
    }

    private void check(
            Snapshot snapshot, int source, boolean keyed, long step, TimeRange range, int limit, boolean indexed) {
        List<Row> in = rows.stream().filter(row -> range.contains(row.timeNs())).toList();
        Map<String, Map<Long, List<Row>>> expected = new HashMap<>();
        Set<String> shown = new HashSet<>();
        QueryMemory memory = new QueryMemory(1 << 28);
        GroupedAggregate query = GroupedAggregate.of(snapshot, source, VALUE)
                .range(range)
                .memory(memory)
                .use(QueryIndex.CHUNK, indexed)
                .step(Duration.ofNanos(step))
                .limit(limit)
                .percentiles(PERCENTILES);
        if (keyed) {
            query.by("k").distinct("o");
        }
        try (Groups groups = query.run()) {
            assertTrue(memory.reserved() > 0);
            groups.forEach(group -> shown.add(key(group)));
            assertTrue(shown.size() <= (long) limit + 1);
            for (Row row : in) {
                String key = keyed ? row.key() : "(all)";
                expected.computeIfAbsent(shown.contains(key) ? key : "(other)", k -> new HashMap<>())
                        .computeIfAbsent(step == 0 ? 0 : (row.timeNs() - range.fromNs()) / step, s -> new ArrayList<>())
                        .add(row);
            }
            int cells = expected.values().stream().mapToInt(Map::size).sum();
            assertEquals(cells, groups.size());
            for (Group group : groups) {
                long at = step == 0 ? 0 : (group.range().fromNs() - range.fromNs()) / step;
                check(expected.get(key(group)).get(at), group, keyed);
            }
        }
        assertEquals(0, memory.reserved());
    }

    private static void check(List<Row> expected, Group group, boolean distinct) {
        List<BigInteger> values = expected.stream()
                .map(Row::value)
                .filter(value -> value != null)
                .sorted()
                .toList();
        assertEquals(expected.size(), group.records());
        assertEquals(values.size(), group.count());
        assertEquals(values.stream().reduce(BigInteger.ZERO, BigInteger::add).toString(), group.sum());
        if (distinct) {
            assertEquals(
                    expected.stream()
                            .map(Row::other)
                            .collect(Collectors.toSet())
                            .size(),
                    group.distinct());
        }
        if (!values.isEmpty()) {
            assertEquals(
                    new BigDecimal(values.get(0)), group.min().orElseThrow().toBigDecimal());
            for (double p : PERCENTILES) {
                int rank = Math.max(1, (int) Math.ceil(p / 100 * values.size()));
                assertEquals(
                        new BigDecimal(values.get(rank - 1)),
                        group.percentile(p).orElseThrow().toBigDecimal());
            }
        }
    }

    @Test
    void shouldFindPercentilesOfMoreValuesThanAPassCollects() {
        int count = 70_000;
        try (Loom loom = open()) {
            int source = loom.defineSource("json", JSON);
            for (int i = 0; i < count; i++) {
                push(loom, source, "{\"k\":1,\"v\":" + i * 7_919L % count + "}");
            }
            try (Snapshot snapshot = loom.snapshot();
                    Groups groups = GroupedAggregate.of(snapshot, source, VALUE)
                            .by("k")
                            .percentiles(PERCENTILES)
                            .run()) {
                for (double p : PERCENTILES) {
                    long expected = Math.max(0, (long) Math.ceil(p / 100 * count) - 1);
                    assertEquals(
                            expected, groups.get(0).percentile(p).orElseThrow().longValue());
                }
            }
        }
    }

    /** Keys have lost whether a whole number was written as a double, to which literals with a fraction are rounded. */
    @Test
    void shouldFindDoublesByKeysAsByRecords() {
        String[] keys = {"1.2345678901234567e18", "1.0", "12", "1234567890123456700"};
        try (Loom loom = open()) {
            int source = loom.defineSource("json", JSON);
            loom.defineIndex(source, "v-by-k", VALUE, Bins.logLinear(), List.of("k"));
            for (int i = 0; i < 8_000; i++) {
                push(loom, source, "{\"k\":" + keys[i % keys.length] + ",\"v\":1,\"o\":\"" + "x".repeat(50) + "\"}");
            }
            try (Snapshot snapshot = loom.snapshot()) {
                for (String where : List.of(
                        "k == 1.2345678901234567e18",
                        "k > 1.2345678901234567e18",
                        "k in (1.2345678901234567e18, 12)",
                        "not (k == 1.2345678901234567e18)",
                        "k == 0.99999999999999999",
                        "k < 1.0000000000000001 or k == 12")) {
                    assertEquals(count(snapshot, source, where, false), count(snapshot, source, where, true), where);
                }
                assertEquals(4_000, count(snapshot, source, "k == 1.2345678901234567e18", true));
            }
        }
    }

    private static long count(Snapshot snapshot, int source, String where, boolean indexed) {
        try (Groups groups = GroupedAggregate.of(snapshot, source, VALUE)
                .where(Where.parse(where))
                .use(QueryIndex.CHUNK, indexed)
                .run()) {
            return groups.size() == 0 ? 0 : groups.get(0).records();
        }
    }

    @Test
    void shouldRefuseMoreGroupsThanTheCapUnlessTheRestIsOther() {
        try (Loom loom = open()) {
            int source = loom.defineSource("json", JSON);
            for (int i = 0; i < 11; i++) {
                push(loom, source, "{\"k\":" + i + ",\"v\":" + i + "}");
            }
            push(loom, source, "{\"k\":\"" + "x".repeat(5_000) + "\",\"v\":100}");
            try (Snapshot snapshot = loom.snapshot()) {
                GroupedAggregate query =
                        GroupedAggregate.of(snapshot, source, VALUE).by("k");
                assertEquals(
                        10,
                        assertThrows(
                                        GroupLimitException.class,
                                        () -> query.groupsMax(10).run())
                                .max());
                assertEquals(
                        4096,
                        assertThrows(
                                        GroupLimitException.class,
                                        () -> query.groupsMax(11).run())
                                .max());
                try (Groups groups = query.groupsMax(10).restAsOther(true).run()) {
                    assertEquals(11, groups.size());
                    Group rest = groups.get(10);
                    assertTrue(rest.isOther());
                    assertEquals("110", rest.sum());
                }
            }
        }
    }
}
