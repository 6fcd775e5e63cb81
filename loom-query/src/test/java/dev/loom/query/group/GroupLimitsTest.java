package dev.loom.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.Histogram;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.GroupLimitException.Cap;
import dev.loom.query.model.GroupOrder;
import dev.loom.query.model.GroupOrder.By;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import java.math.BigDecimal;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys, caps, and queries that end early, each at its edge. */
final class GroupLimitsTest {
    private static final PayloadFormat JSON = Formats.parse("json");
    private static final PayloadFormat STRUCT = Formats.parse("struct:k:i64,v:i64");
    private static final IndexFunction JSON_VALUE = IndexFunction.field(JSON, "v");
    private static final IndexFunction VALUE = IndexFunction.field(STRUCT, "v");
    /** What a text takes of a key besides its bytes. */
    private static final int TEXT_HEADER = 5;

    private final QueryMemory memory = new QueryMemory(1 << 28);
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[1_000]);

    @TempDir
    Path directory;

    private Loom loom;
    private int json;
    private int struct;
    private long nowNs = 1;

    @BeforeEach
    void open() {
        loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> nowNs)
                .build());
        json = loom.defineSource("json", JSON);
        struct = loom.defineSource("struct", STRUCT);
    }

    @AfterEach
    void close() {
        loom.close();
        assertEquals(0, memory.reserved());
    }

    private void push(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        loom.push(json, new UnsafeBuffer(bytes), 0, bytes.length);
    }

    private void push(long key, long value, int padding) {
        payload.putLong(0, key, ByteOrder.LITTLE_ENDIAN);
        payload.putLong(8, value, ByteOrder.LITTLE_ENDIAN);
        loom.push(struct, payload, 0, 16 + padding);
    }

    private GroupedAggregate byJson(Snapshot snapshot, String... fields) {
        return GroupedAggregate.of(snapshot, json, JSON_VALUE).by(fields).memory(memory);
    }

    private GroupedAggregate byStruct(Snapshot snapshot) {
        return GroupedAggregate.of(snapshot, struct, VALUE).by("k").memory(memory);
    }

    /** Of values with a tail, equal parts of all that there is between the least and the greatest would leave nearly all in one. */
    @Test
    void shouldNarrowValuesWithATailInOnePass() {
        Random random = new Random(7);
        int each = 40_000;
        List<List<Long>> values = List.of(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < 2 * each; i++) {
            long value = i < 2 ? 1L << 40 : (long) Math.exp(11 + 0.6 * random.nextGaussian());
            values.get(i % 2).add(value);
            push(i % 2, value, 0);
        }
        values.forEach(Collections::sort);
        try (Snapshot snapshot = loom.snapshot();
                Groups groups = byStruct(snapshot)
                        .percentiles(50, 99)
                        .order(GroupOrder.ascending(By.KEY))
                        .run()) {
            for (int group = 0; group < 2; group++) {
                for (double p : new double[] {50, 99}) {
                    assertEquals(
                            values.get(group).get((int) (each * p / 100) - 1),
                            groups.get(group).percentile(p).orElseThrow().longValue());
                }
            }
            assertEquals(3L * 2 * each, groups.statistics().recordsReturned(), "totals, bins, values");
        }
    }

    @Test
    void shouldTakeKeysOf4096BytesAndNoLonger() {
        String longest = "x".repeat(KeyTable.LENGTH_MAX - TEXT_HEADER);
        push("{\"k\":\"" + longest + "\",\"v\":1}");
        push("{\"k\":\"" + longest + "\",\"v\":2}");
        push("{\"k\":\"" + longest.replaceFirst("x", "y") + "\",\"v\":4}");
        try (Snapshot snapshot = loom.snapshot();
                Groups groups = byJson(snapshot, "k").run()) {
            assertEquals(List.of("3", "4"), sums(groups));
            assertEquals(longest, groups.get(0).key().get(0).text());
        }
        push("{\"k\":\"" + longest + "x\",\"v\":8}");
        try (Snapshot snapshot = loom.snapshot()) {
            GroupedAggregate query = byJson(snapshot, "k");
            GroupLimitException tooLong = assertThrows(GroupLimitException.class, query::run);
            assertEquals(KeyTable.LENGTH_MAX, tooLong.max());
            assertEquals(KeyTable.LENGTH_MAX + 1, tooLong.found());
            assertEquals(Cap.KEY_BYTES, tooLong.cap());
            assertTrue(String.valueOf(tooLong.getMessage()).contains("records read=4"), tooLong::getMessage);
            try (Groups groups = query.restAsOther(true).percentiles(50).run()) {
                assertEquals(List.of("3", "4", "8"), sums(groups));
                assertTrue(groups.get(2).isOther());
                assertEquals(8, groups.get(2).percentile(50).orElseThrow().longValue());
            }
            GroupedAggregate longAsOther = byJson(snapshot, "k").longKeysAsOther(true);
            try (Groups groups = longAsOther.percentiles(50).run()) {
                assertEquals(List.of("3", "4", "8"), sums(groups));
                assertTrue(groups.get(2).isOther());
                assertEquals(8, groups.get(2).percentile(50).orElseThrow().longValue());
                assertEquals(1, groups.longKeys());
            }
            assertEquals(
                    Cap.GROUPS,
                    assertThrows(GroupLimitException.class, longAsOther.groupsMax(1)::run)
                            .cap());
        }
    }

    @Test
    void shouldTakeAMissingValueBehindAKeyThatHasRoomForNothingElse() {
        String text = "x".repeat(KeyTable.LENGTH_MAX - TEXT_HEADER - 1);
        push("{\"a\":\"" + text + "\",\"v\":1}");
        push("{\"a\":\"" + text + "\",\"b\":true,\"v\":2}");
        try (Snapshot snapshot = loom.snapshot();
                Groups groups = byJson(snapshot, "a", "b").run()) {
            assertEquals(List.of("1", "2"), sums(groups));
        }
        push("{\"a\":\"" + text + "\",\"b\":1,\"v\":4}");
        try (Snapshot snapshot = loom.snapshot()) {
            GroupedAggregate query = byJson(snapshot, "a", "b");
            assertEquals(
                    KeyTable.LENGTH_MAX + 8,
                    assertThrows(GroupLimitException.class, query::run).found());
        }
    }

    @Test
    void shouldCountDistinctValuesUpToTheCap() {
        for (int i = 0; i < 10; i++) {
            push("{\"k\":" + i % 2 + ",\"d\":" + i / 2 + "}");
            push("{\"k\":" + i % 2 + ",\"d\":" + i / 2 + ".0}");
        }
        push("{\"k\":0,\"d\":null}");
        try (Snapshot snapshot = loom.snapshot()) {
            GroupedAggregate query = byJson(snapshot, "k").distinct("d");
            try (Groups groups = query.distinctMax(10).run()) {
                assertEquals(5, groups.get(0).distinct());
                assertEquals(5, groups.get(1).distinct());
                assertTrue(groups.distinctExact());
            }
            GroupLimitException tooMany = assertThrows(GroupLimitException.class, query.distinctMax(9)::run);
            assertEquals(10, tooMany.found());
            assertEquals(9, tooMany.max());
            assertEquals(Cap.DISTINCT_VALUES, tooMany.cap());
            try (Groups groups = query.restAsOther(true).run()) {
                assertEquals(5, groups.get(0).distinct());
                assertEquals(4, groups.get(1).distinct());
                assertFalse(groups.distinctExact());
            }
        }
        push("{\"k\":0,\"d\":\"" + "x".repeat(KeyTable.LENGTH_MAX) + "\"}");
        try (Snapshot snapshot = loom.snapshot()) {
            GroupedAggregate query = byJson(snapshot, "k").distinct("d");
            assertEquals(
                    Cap.VALUE_BYTES,
                    assertThrows(GroupLimitException.class, query::run).cap());
            try (Groups groups = query.restAsOther(true).run()) {
                assertFalse(groups.distinctExact());
            }
        }
    }

    @Test
    void shouldTakeGroupsUpToTheCap() {
        for (int i = 0; i < 2_000; i++) {
            push(i % 1_000, 1, 0);
        }
        try (Snapshot snapshot = loom.snapshot()) {
            GroupedAggregate query = byStruct(snapshot);
            try (Groups groups = query.groupsMax(1_000).run()) {
                assertEquals(1_000, groups.size());
                assertEquals(1_000, groups.found());
            }
            GroupLimitException tooMany = assertThrows(GroupLimitException.class, query.groupsMax(999)::run);
            assertEquals(1_000, tooMany.found());
            assertEquals(Cap.GROUPS, tooMany.cap());
            assertTrue(String.valueOf(tooMany.getMessage()).contains("records read=1000"), tooMany::getMessage);
            try (Groups groups = query.restAsOther(true).run()) {
                assertEquals(1_000, groups.size());
                assertEquals(999, groups.found());
                assertEquals("2", groups.get(999).sum());
                assertTrue(groups.get(999).isOther());
            }
        }
    }

    /** Looks at a query that puts many groups in order, and counts the rest and its distinct values, wherever it may be cancelled. */
    @Test
    void shouldEndWhereverItIsCancelledAfterItHasReadEverything() {
        int count = Ending.STEPS + 1_000;
        for (int i = 0; i < count; i++) {
            push(i, 1, 0);
        }
        try (Snapshot snapshot = loom.snapshot()) {
            AtomicInteger looks = new AtomicInteger();
            AtomicInteger looksMax = new AtomicInteger(Integer.MAX_VALUE);
            GroupedAggregate query = byStruct(snapshot)
                    .distinct("v")
                    .groupsMax(count)
                    .distinctMax(count)
                    .cancelWhen(() -> looks.incrementAndGet() > looksMax.get());
            query.order(GroupOrder.descending(By.KEY)).limit(3);
            try (Groups groups = query.run()) {
                assertTrue(groups.isOrdered());
                assertEquals(count - 1, groups.get(0).key().get(0).longValue());
                assertEquals(count - 3, groups.get(3).count());
                assertEquals(Limit.NONE, groups.completeness().limit());
            }
            int all = looks.get();
            assertTrue(all > 3, "looks=" + all);
            boolean unordered = false;
            boolean partOfRest = false;
            for (int max = all - 1; max > 0; max = max > all - 8 ? max - 1 : max * 3 / 4) {
                looksMax.set(max);
                looks.set(0);
                try (Groups groups = query.run()) {
                    assertEquals(Limit.CANCELLED, groups.completeness().limit(), "looks=" + max);
                    assertTrue(groups.size() <= 4, "groups=" + groups.size());
                    unordered |= !groups.isOrdered();
                    partOfRest |= groups.isOrdered()
                            && groups.found() == count
                            && groups.get(3).count() < count - 3;
                }
                assertEquals(0, memory.reserved());
            }
            assertTrue(unordered);
            assertTrue(partOfRest);
        }
    }

    @Test
    void shouldTakeAsManyGroupsAndStepsAsAHistogramHasCells() {
        int steps = Histogram.CELLS_MAX / 2;
        for (int i = 0; i < Histogram.CELLS_MAX; i++) {
            nowNs = 1L + i / 2;
            push(i % 2, 1, 0);
        }
        TimeRange range = new TimeRange(1, 1 + steps);
        try (Snapshot snapshot = loom.snapshot();
                Groups groups = byStruct(snapshot)
                        .range(range)
                        .step(Duration.ofNanos(1))
                        .run()) {
            assertEquals(Histogram.CELLS_MAX, groups.size());
            assertEquals(
                    new TimeRange(steps, 1 + steps),
                    groups.get(groups.size() - 1).range());
        }
        // what is not shown is counted together, in one more of each step
        try (Snapshot snapshot = loom.snapshot();
                Groups groups = byStruct(snapshot)
                        .range(range)
                        .step(Duration.ofNanos(1))
                        .limit(1)
                        .run()) {
            assertEquals(Histogram.CELLS_MAX, groups.size());
            assertEquals(2, groups.found());
            assertFalse(groups.get(steps - 1).isOther());
            for (int step = 0; step < steps; step++) {
                Group other = groups.get(steps + step);
                assertTrue(other.isOther());
                assertEquals("1", other.sum());
            }
        }
        push(2, 1, 0);
        try (Snapshot snapshot = loom.snapshot()) {
            GroupedAggregate query = byStruct(snapshot).range(range).step(Duration.ofNanos(1));
            GroupLimitException tooMany = assertThrows(GroupLimitException.class, query::run);
            assertEquals(Histogram.CELLS_MAX, tooMany.max());
            assertEquals(Histogram.CELLS_MAX + 1, tooMany.found());
            assertEquals(Cap.GROUPS_AND_STEPS, tooMany.cap());
        }
    }

    @Test
    void shouldCompareSumsThatShareADoubleExactly() {
        for (long value : new long[] {1, 3, 2}) {
            push("{\"k\":" + value + ",\"v\":" + ((1L << 60) + value) + "}");
            push(value, (1L << 60) + value, 0);
        }
        try (Snapshot snapshot = loom.snapshot()) {
            for (GroupedAggregate query : List.of(byStruct(snapshot), byJson(snapshot, "k"))) {
                try (Groups groups = query.order(GroupOrder.descending(By.SUM)).run()) {
                    List<Long> keys = new ArrayList<>();
                    groups.forEach(group -> keys.add(group.key().get(0).longValue()));
                    assertEquals(List.of(3L, 2L, 1L), keys);
                }
            }
        }
    }

    @Test
    void shouldSumInfiniteValuesAndPassOverNaN() {
        PayloadFormat format = Formats.parse("struct:k:i64,v:f64");
        int doubles = loom.defineSource("doubles", format);
        double inf = Double.POSITIVE_INFINITY;
        double[][] of = {{1, inf}, {1, 5}, {2, inf}, {2, -inf}, {3, Double.NaN}, {4, -0.0}, {4, 0.5}};
        for (double[] record : of) {
            payload.putLong(0, (long) record[0], ByteOrder.LITTLE_ENDIAN);
            payload.putDouble(8, record[1], ByteOrder.LITTLE_ENDIAN);
            loom.push(doubles, payload, 0, 16);
        }
        try (Snapshot snapshot = loom.snapshot();
                Groups groups = GroupedAggregate.of(snapshot, doubles, IndexFunction.field(format, "v"))
                        .by("k")
                        .order(GroupOrder.ascending(By.KEY))
                        .percentiles(100)
                        .run()) {
            assertEquals(List.of("Infinity", "NaN", "0.0", "0.5"), sums(groups));
            assertEquals(0, groups.get(2).count());
            assertEquals(1, groups.get(2).records());
            assertEquals(inf, groups.get(0).percentile(100).orElseThrow().doubleValue());
        }
    }

    private static List<String> sums(Groups groups) {
        List<String> sums = new ArrayList<>();
        groups.forEach(group -> sums.add(group.sum()));
        return sums;
    }

    /** Values of group k are all k, or, of every third one, some more. */
    private void fillMany() {
        for (int i = 0; i < 40_000; i++) {
            long key = i % 30;
            push(key, key % 3 == 0 ? key + i % 7 : key, 40);
        }
        loom.force();
    }

    private static BooleanSupplier afterSteps(int steps) {
        int[] done = {0};
        return () -> ++done[0] > steps;
    }

    @Test
    void shouldSayThatThePercentilesToOrderByAreNotKnownWhenItEndedEarly() {
        fillMany();
        try (Snapshot snapshot = loom.snapshot()) {
            GroupOrder order = new GroupOrder(By.PERCENTILE, BigDecimal.valueOf(50), true);
            try (Groups groups = byStruct(snapshot).order(order).percentiles(50).run()) {
                assertTrue(groups.isOrdered());
                assertEquals(27, groups.get(0).key().get(0).longValue(), "its values are 27 to 33");
                assertEquals(30, groups.get(0).percentile(50).orElseThrow().longValue());
            }
            long pages = 40_000 * 72 / 65_536;
            try (Groups groups = byStruct(snapshot)
                    .order(order)
                    .cancelWhen(afterSteps((int) pages * 3 / 2))
                    .run()) {
                assertEquals(Limit.CANCELLED, groups.completeness().limit());
                assertFalse(groups.isOrdered());
                List<Long> keys = new ArrayList<>();
                groups.forEach(group -> keys.add(group.key().get(0).longValue()));
                List<Long> expected = new ArrayList<>();
                for (long key = 29; key >= 0; key--) {
                    if (key % 3 != 0) {
                        expected.add(key);
                    }
                }
                for (long key = 0; key < 30; key += 3) {
                    expected.add(key);
                }
                assertEquals(expected, keys, "first those of one value, as nothing has to be searched for them");
            }
            try (Groups groups = byStruct(snapshot)
                    .order(GroupOrder.COUNT)
                    .cancelWhen(afterSteps(3))
                    .run()) {
                assertTrue(groups.isOrdered());
            }
        }
    }

    @Test
    void shouldGroupWhatItHasReadWhenItEndsEarly() {
        fillMany();
        try (Snapshot snapshot = loom.snapshot()) {
            Duration ever = QueryBudget.UNLIMITED.timeMax();
            ends(byStruct(snapshot).budget(new QueryBudget(300_000, ever)), Limit.BYTES, 1_000);
            ends(byStruct(snapshot).budget(new QueryBudget(Long.MAX_VALUE, Duration.ZERO)), Limit.TIME, 0);
            ends(byStruct(snapshot).cancelWhen(afterSteps(5)), Limit.CANCELLED, 1_000);
            Thread.currentThread().interrupt();
            ends(byStruct(snapshot), Limit.CANCELLED, 0);
            assertTrue(Thread.interrupted());
        }
    }

    /** The records read are the first ones, and each counts once. */
    private static void ends(GroupedAggregate query, Limit limit, long recordsMin) {
        try (Groups groups =
                query.percentiles(50).order(GroupOrder.ascending(By.KEY)).run()) {
            assertEquals(limit, groups.completeness().limit());
            assertFalse(groups.completeness().complete());
            long records = 0;
            for (Group group : groups) {
                records += group.records();
                assertTrue(group.percentiles().isEmpty());
            }
            assertTrue(records >= recordsMin && records < 40_000, "records=" + records);
            for (Group group : groups) {
                long key = group.key().get(0).longValue();
                assertEquals(records / 30 + (key < records % 30 ? 1 : 0), group.records());
            }
        }
    }

    @Test
    void shouldReleaseAllMemoryWhenItIsRefused() {
        fillMany();
        try (Snapshot snapshot = loom.snapshot()) {
            int refused = 0;
            for (long bytes = 1 << 20; !answers(snapshot, bytes); bytes += 16 << 10) {
                refused++;
            }
            assertTrue(refused > 5, "refused=" + refused);
        }
    }

    /** Whether a query is answered in so much memory; all is released then or otherwise. */
    private boolean answers(Snapshot snapshot, long bytes) {
        QueryMemory little = new QueryMemory(bytes);
        GroupedAggregate query = byStruct(snapshot)
                .memory(little)
                .distinct("v")
                .percentiles(50)
                .range(new TimeRange(0, 10))
                .step(Duration.ofNanos(1));
        boolean answered = false;
        try (Groups groups = query.run()) {
            assertEquals(30, groups.size());
            assertTrue(little.reserved() > 0 && little.reserved() < bytes);
            answered = true;
        } catch (QueryMemory.Exhausted e) {
            assertFalse(answered);
        }
        assertEquals(0, little.reserved());
        return answered;
    }

    @Test
    void shouldKeepGroupsButNotTheirTableWhenItIsClosed() {
        push(1, 2, 0);
        try (Snapshot snapshot = loom.snapshot()) {
            Groups groups = byStruct(snapshot).run();
            Group group = groups.get(0);
            groups.close();
            groups.close();
            assertEquals("2", group.sum());
            assertEquals(1, group.key().get(0).longValue());
            assertThrows(IllegalStateException.class, () -> groups.get(0));
        }
    }

    @Test
    void shouldReleaseAllMemoryWhenACallerThrowsInTheMiddle() {
        fillMany();
        try (Snapshot snapshot = loom.snapshot()) {
            for (int step = 1; step < 80; step += 13) {
                BooleanSupplier after = afterSteps(step);
                GroupedAggregate query = byStruct(snapshot)
                        .percentiles(50)
                        .order(new GroupOrder(By.PERCENTILE, BigDecimal.TEN, true))
                        .pulse(() -> {
                            if (after.getAsBoolean()) {
                                throw new IllegalStateException("thrown");
                            }
                        });
                assertThrows(IllegalStateException.class, query::run);
                assertEquals(0, memory.reserved());
            }
        }
    }

    /** 16 MiB at most, and not for the pass before as well: what groups take is a little more than half of it here. */
    @Test
    void shouldHoldTheCellsOfOnePassAtATime() {
        try (GroupMemory of = new GroupMemory(new QueryMemory(38 << 20))) {
            GroupStates states = new GroupStates(of, VALUE);
            GroupRanks ranks = new GroupRanks(of, states, VALUE, List.of(BigDecimal.valueOf(50)), null);
            for (int group = 0; group < 1 << 17; group++) {
                states.add();
                states.addValue(group, 0, 0);
                states.addValue(group, 1L << 40, 0);
                ranks.ask(group);
            }
            ranks.begin();
            ranks.begin();
        }
    }
}
