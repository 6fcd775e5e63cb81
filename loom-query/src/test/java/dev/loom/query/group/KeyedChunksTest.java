package dev.loom.query.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.format.RecordLookup;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.Group;
import dev.loom.query.GroupedAggregate;
import dev.loom.query.Groups;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.IndexedScan;
import dev.loom.query.QueryCursor;
import dev.loom.query.TopRecords;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Groups from an index by keys while the keys change: as few as fit a chunk, just too many, others in each chunk, some too long. What the
 * index answers alone must be what was pushed. {@code -Dloom.test.seed=N} repeats a run.
 */
class KeyedChunksTest {
    private static final StructFormat FORMAT = Formats.struct("ts:i64,ms:i64?,op:utf8?,pod:utf8");
    private static final IndexFunction MS = IndexFunction.field(FORMAT, "ms");
    private static final IndexFunction TS = IndexFunction.field(FORMAT, "ts");
    private static final int PHASES = 12;
    private static final int PHASE_RECORDS = 6_000;

    @TempDir
    Path directory;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[2_000]);
    private final Map<String, List<Timed>> expected = new TreeMap<>();
    private final Map<String, Long> records = new TreeMap<>();

    /** Of a record. */
    private record Timed(long ms, long ts) {}

    private static final EventClock CLOCK = new EventClock() {
        @Override
        public long epochNs(RecordLookup lookup, DirectBuffer buffer, int offset, int length) {
            return buffer.getLong(offset + 1, ByteOrder.LITTLE_ENDIAN); // behind the presence bits
        }

        @Override
        public IndexFunction function() {
            return TS;
        }

        @Override
        public TimeRange times(Value min, Value max) {
            return new TimeRange(min.longValue(), max.longValue() + 1);
        }
    };

    /** A record. */
    private record Pushed(String op, String pod, @Nullable Long ms) {}

    private final List<Pushed> all = new ArrayList<>();
    private long pushed;

    /** The number of records by pod and operation. */
    private final Map<String, Long> ofPods = new TreeMap<>();

    private void push(Loom loom, int source, StructWriter writer, String op) {
        writer.begin(payload, 0);
        long ts = pushed + random.nextInt(100);
        pushed++;
        writer.setLong(0, ts);
        records.merge(op, 1L, Long::sum);
        Long ms = null;
        if (random.nextInt(1_000) > 0) {
            ms = Math.round(Math.exp(3 + 3 * random.nextGaussian()));
            writer.setLong(1, ms);
            expected.computeIfAbsent(op, unused -> new ArrayList<>()).add(new Timed(ms, ts));
        }
        String pod = "pod-" + random.nextInt(3);
        writer.setUtf8(2, op);
        writer.setUtf8(3, pod);
        all.add(new Pushed(op, pod, ms));
        ofPods.merge(pod + " " + op, 1L, Long::sum);
        loom.push(source, payload, 0, Math.max(writer.finish(), 40));
    }

    @Test
    void shouldKeepKeysApartWhateverChunksHadBefore() {
        System.out.println("KeyedChunksTest: -Dloom.test.seed=" + seed);
        long fromBins = 0;
        long fromKeys = 0;
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            int source = loom.defineSource("a", FORMAT);
            Bins bins = random.nextBoolean() ? Bins.logLinear().withValues() : Bins.logLinear(random.nextInt(4));
            loom.defineIndex(source, "ms", MS, bins, List.of("op"));
            loom.defineIndex(source, "ms-by-pod", MS, Bins.logLinear(), List.of("pod"));
            if (random.nextBoolean()) {
                loom.defineEventTimeIndex(source, "ts", TS);
            }
            StructWriter writer = new StructWriter(FORMAT);
            for (int phase = 0; phase < PHASES; phase++) {
                int keys = phase == 0 ? 16 : new int[] {1, 16, 60, 63, 64, 65, 70, 1_000}[random.nextInt(8)];
                int first = random.nextInt(3) * 40;
                int lengthMax = random.nextInt(3) == 0 ? 600 : 10;
                for (int i = 0; i < PHASE_RECORDS; i++) {
                    int key = first + random.nextInt(keys);
                    push(loom, source, writer, "op" + key + "-".repeat(key % lengthMax));
                }
            }
            try (Snapshot snapshot = loom.snapshot();
                    Groups groups = GroupedAggregate.of(snapshot, source, MS)
                            .by("op")
                            .percentiles(50)
                            .run()) {
                fromBins += groups.statistics().chunksFromBins();
                check(groups);
                checkOtherKey(snapshot, source);
                for (int i = 0; i < 30; i++) {
                    fromKeys += checkCondition(snapshot, source);
                }
            }
        }
        assertTrue(fromBins > 0, "no chunk was answered by keys");
        assertTrue(fromKeys > 0, "no condition was answered by keys");
    }

    /** Groups by some of a key's fields, in any order, of all records or of those of a key. */
    @Test
    void shouldAnswerByPartsOfAKey() {
        System.out.println("KeyedChunksTest: -Dloom.test.seed=" + seed);
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            int source = loom.defineSource("a", FORMAT);
            Bins bins = random.nextBoolean() ? Bins.logLinear().withValues() : Bins.logLinear(random.nextInt(4));
            loom.defineIndex(source, "ms", MS, bins, List.of("pod", "op"));
            if (random.nextBoolean()) {
                loom.defineIndex(source, "by-op", MS, Bins.logLinear(random.nextInt(4)), List.of("op"));
            }
            StructWriter writer = new StructWriter(FORMAT);
            int keys = 1 + random.nextInt(21);
            for (int i = 0; i < 2 * PHASE_RECORDS; i++) {
                push(loom, source, writer, "op" + random.nextInt(keys));
            }
            assertTrue(loom.finishRollups((done, total) -> true));
            try (Snapshot snapshot = loom.snapshot()) {
                for (List<String> by : List.of(
                        List.<String>of(), List.of("op"), List.of("pod"), List.of("pod", "op"), List.of("op", "pod"))) {
                    long records = checkParts(snapshot, source, by, null);
                    assertEquals(pushed, records, "seed=" + seed + ", by=" + by);
                    checkParts(snapshot, source, by, "pod-1");
                }
            }
        }
    }

    /** Groups of all records, or of those of a pod; returns how many there are. */
    private long checkParts(Snapshot snapshot, int source, List<String> by, @Nullable String pod) {
        GroupedAggregate query = GroupedAggregate.of(snapshot, source, MS)
                .by(by.toArray(new String[0]))
                .use(QueryIndex.ROLLUP, random.nextBoolean())
                .percentiles(50, 99);
        if (pod != null) {
            query.where(Where.parse("pod == '" + pod + "'"));
        }
        Map<String, List<Long>> wanted = new TreeMap<>();
        for (Pushed each : all) {
            if (pod == null || each.pod().equals(pod)) {
                String key = by.stream()
                        .map(field -> field.equals("op") ? each.op() : each.pod())
                        .collect(Collectors.joining(" "));
                List<Long> values = wanted.computeIfAbsent(key, unused -> new ArrayList<>());
                if (each.ms() != null) {
                    values.add(each.ms());
                }
            }
        }
        try (Groups groups = query.run()) {
            String what = "seed=" + seed + ", by=" + by + ", pod=" + pod + ", " + groups.statistics();
            assertEquals(wanted.size(), groups.size(), what);
            assertTrue(groups.statistics().chunksFromBins() > 0, what);
            long records = 0;
            for (Group group : groups) {
                String key = group.key().stream().map(FieldValue::text).collect(Collectors.joining(" "));
                List<Long> values =
                        wanted.getOrDefault(key, List.of()).stream().sorted().toList();
                records += group.records();
                assertEquals(values.size(), group.count(), what);
                assertEquals(
                        Long.toString(values.stream().mapToLong(Long::longValue).sum()), group.sum(), what);
                for (double p : new double[] {50, 99}) {
                    assertEquals(
                            values.get((int) Math.ceil(p / 100 * values.size()) - 1),
                            group.percentile(p).orElseThrow().longValue(),
                            what);
                }
            }
            return records;
        }
    }

    /** A question whose condition is about the key alone, or about the value as well. Returns how many chunks keys have answered. */
    private long checkCondition(Snapshot snapshot, int source) {
        List<String> ops = List.copyOf(records.keySet());
        String one = ops.get(random.nextInt(ops.size()));
        String other = random.nextInt(4) == 0 ? "none" : ops.get(random.nextInt(ops.size()));
        long limit = random.nextInt(300);
        String text = "seed=" + seed + ", one=" + one + ", other=" + other + ", limit=" + limit;
        Predicate<String> wanted = op -> op.equals(one) || op.equals(other);
        String condition = "op in (" + quoted(one) + ", " + quoted(other) + ")";
        switch (random.nextInt(5)) {
            case 0 -> {
                condition = "not " + condition;
                wanted = wanted.negate();
            }
            case 1 -> {
                condition = "op contains '1'";
                wanted = op -> op.contains("1");
            }
            case 2 -> {
                condition = "op =~ '^op[4-9].?$'";
                wanted = op -> op.matches("op[4-9].?");
            }
            case 3 -> {
                condition = "op is null";
                wanted = op -> false;
            }
            default -> {}
        }
        LongPredicate counts = random.nextInt(3) == 0 ? ms -> ms > limit : ms -> true;
        if (!counts.test(0)) {
            condition += " and ms > " + limit;
        }
        IndexedAggregate query = IndexedAggregate.of(snapshot, source, MS)
                .where(Where.parse(condition))
                .use(QueryIndex.ROLLUP, random.nextBoolean())
                .percentiles(50, 99);
        TimeRange times =
                random.nextInt(3) > 0 ? TimeRange.ALL : new TimeRange((long) (random.nextDouble() * pushed), pushed);
        if (!times.equals(TimeRange.ALL)) {
            query.eventRange(CLOCK, times);
        }
        IndexedAggregate.Result found = query.run();
        Predicate<String> meets = wanted;
        long[] sorted = expected.entrySet().stream()
                .filter(entry -> meets.test(entry.getKey()))
                .flatMap(entry -> entry.getValue().stream())
                .filter(value -> value.ts() >= times.fromNs() && value.ts() < times.toNs())
                .mapToLong(Timed::ms)
                .filter(counts)
                .sorted()
                .toArray();
        String what = text + ", times=" + times + ", where=" + condition + ", " + found.statistics();
        assertEquals(sorted.length, found.count(), what);
        assertEquals(Long.toString(LongStream.of(sorted).sum()), found.sum(), what);
        for (double p : new double[] {50, 99}) {
            assertEquals(
                    sorted.length == 0 ? null : (Long) sorted[(int) Math.ceil(p / 100 * sorted.length) - 1],
                    found.percentile(p).map(Value::longValue).orElse(null),
                    what);
        }
        checkGroups(snapshot, source, condition, meets, counts, times, what);
        checkRecords(snapshot, source, condition, times, sorted, what);
        checkSteps(snapshot, source, condition, meets, counts, what);
        return found.statistics().chunksFromBins();
    }

    /** Steps by the records' own times, of the keys that meet a condition and without fields. */
    private void checkSteps(
            Snapshot snapshot,
            int source,
            String condition,
            Predicate<String> meets,
            LongPredicate counts,
            String what) {
        long step = 1L + random.nextInt(3 * PHASE_RECORDS);
        long end = pushed + 100;
        TreeMap<Long, List<Long>> wanted = new TreeMap<>();
        expected.forEach((op, values) -> values.stream()
                .filter(value -> meets.test(op) && counts.test(value.ms()))
                .forEach(value -> wanted.computeIfAbsent(value.ts() / step * step, unused -> new ArrayList<>())
                        .add(value.ms())));
        try (Groups groups = GroupedAggregate.of(snapshot, source, MS)
                .where(Where.parse(condition))
                .eventRange(CLOCK, new TimeRange(0, end))
                .step(Duration.ofNanos(step))
                .use(QueryIndex.ROLLUP, random.nextBoolean())
                .percentiles(50)
                .run()) {
            TreeMap<Long, List<Long>> left = new TreeMap<>(wanted);
            for (Group group : groups) {
                List<Long> values = left.remove(group.range().fromNs());
                assertEquals(values == null ? 0 : values.size(), group.count(), () -> what + ", step=" + step);
                if (values != null) {
                    Collections.sort(values);
                    assertEquals(
                            values.get((values.size() + 1) / 2 - 1),
                            group.percentile(50).orElseThrow().longValue(),
                            () -> what + ", step=" + step);
                }
            }
            assertEquals(Map.of(), left, () -> what + ", step=" + step);
        }
    }

    /** The records with values in a range, and those with the largest or smallest ones, of the keys that meet a condition. */
    private void checkRecords(
            Snapshot snapshot, int source, String condition, TimeRange times, long[] sorted, String what) {
        long low = random.nextInt(2_000);
        long high = random.nextBoolean() ? Long.MAX_VALUE : low + random.nextInt(200);
        IndexedScan scan = IndexedScan.of(snapshot, source, MS)
                .values(ValueRange.atLeast(low).to(ValueRange.atMost(high)))
                .where(Where.parse(condition))
                .use(QueryIndex.ROLLUP, random.nextBoolean());
        TopRecords top = TopRecords.of(snapshot, source, MS, 1 + random.nextInt(20))
                .where(Where.parse(condition))
                .use(QueryIndex.ROLLUP, random.nextBoolean());
        boolean smallest = random.nextBoolean();
        if (smallest) {
            top.smallest();
        }
        if (!times.equals(TimeRange.ALL)) {
            scan.eventRange(CLOCK, times);
            top.eventRange(CLOCK, times);
        }
        List<Long> inRange = new ArrayList<>();
        try (QueryCursor cursor = scan.open()) {
            while (cursor.next()) {
                // behind the presence bits and the time
                inRange.add(cursor.buffer().getLong(cursor.offset() + 9, ByteOrder.LITTLE_ENDIAN));
            }
        }
        assertEquals(
                LongStream.of(sorted)
                        .filter(ms -> ms >= low && ms <= high)
                        .boxed()
                        .toList(),
                inRange.stream().sorted().toList(),
                () -> what + ", low=" + low + ", high=" + high);
        List<Long> ranked = new ArrayList<>();
        try (TopRecords.Cursor cursor = top.open()) {
            while (cursor.next()) {
                ranked.add(cursor.value().longValue());
            }
        }
        long[] wanted = smallest
                ? Arrays.copyOf(sorted, Math.min(sorted.length, ranked.size()))
                : LongStream.range(0, Math.min(sorted.length, ranked.size()))
                        .map(i -> sorted[(int) (sorted.length - 1 - i)])
                        .toArray();
        assertEquals(LongStream.of(wanted).boxed().toList(), ranked, () -> what + ", smallest=" + smallest);
    }

    /** Groups by the key of one index, and a condition on the key of another. */
    private void checkOtherKey(Snapshot snapshot, int source) {
        try (Groups groups = GroupedAggregate.of(snapshot, source, MS)
                .by("op")
                .where(Where.parse("pod == 'pod-1'"))
                .run()) {
            Map<String, Long> found = new TreeMap<>();
            groups.forEach(group -> found.put("pod-1 " + group.key().get(0).text(), group.records()));
            Map<String, Long> wanted = new TreeMap<>(ofPods);
            wanted.keySet().removeIf(name -> !name.startsWith("pod-1 "));
            assertEquals(wanted, found, "seed=" + seed);
        }
    }

    /** The same question for each group, by the field of the condition. */
    private void checkGroups(
            Snapshot snapshot,
            int source,
            String condition,
            Predicate<String> meets,
            LongPredicate counts,
            TimeRange times,
            String what) {
        GroupedAggregate query = GroupedAggregate.of(snapshot, source, MS)
                .by("op")
                .where(Where.parse(condition))
                .use(QueryIndex.ROLLUP, random.nextBoolean())
                .percentiles(50);
        if (!times.equals(TimeRange.ALL)) {
            query.eventRange(CLOCK, times);
        }
        try (Groups groups = query.run()) {
            long values = 0;
            for (Group group : groups) {
                String op = group.key().get(0).text();
                long[] sorted = expected.getOrDefault(op, List.of()).stream()
                        .filter(value -> value.ts() >= times.fromNs() && value.ts() < times.toNs())
                        .mapToLong(Timed::ms)
                        .filter(counts)
                        .sorted()
                        .toArray();
                assertTrue(meets.test(op), what);
                assertEquals(sorted.length, group.count(), what);
                assertEquals(Long.toString(LongStream.of(sorted).sum()), group.sum(), what);
                assertEquals(
                        sorted.length == 0 ? null : (Long) sorted[(sorted.length + 1) / 2 - 1],
                        group.percentile(50).map(Value::longValue).orElse(null),
                        what);
                values += sorted.length;
            }
            assertEquals(
                    expected.entrySet().stream()
                            .filter(entry -> meets.test(entry.getKey()))
                            .flatMap(entry -> entry.getValue().stream())
                            .filter(value -> value.ts() >= times.fromNs() && value.ts() < times.toNs())
                            .filter(value -> counts.test(value.ms()))
                            .count(),
                    values,
                    what);
        }
    }

    private static String quoted(String text) {
        return "'" + text + "'";
    }

    private void check(Groups groups) {
        assertEquals(records.size(), groups.size());
        for (Group group : groups) {
            String op = group.key().get(0).text();
            String what = "seed=" + seed + ", op=" + op;
            long[] values = expected.getOrDefault(op, List.of()).stream()
                    .mapToLong(Timed::ms)
                    .sorted()
                    .toArray();
            assertEquals(records.get(op), group.records(), what);
            assertEquals(values.length, group.count(), what);
            if (values.length == 0) {
                continue;
            }
            assertEquals(Long.toString(LongStream.of(values).sum()), group.sum(), what);
            assertEquals(values[0], group.min().orElseThrow().longValue(), what);
            assertEquals(values[values.length - 1], group.max().orElseThrow().longValue(), what);
            assertEquals(
                    values[(values.length + 1) / 2 - 1],
                    group.percentile(50).orElseThrow().longValue(),
                    what);
        }
    }
}
