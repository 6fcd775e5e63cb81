package dev.loom.query.diff;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.format.UnknownFieldException;
import dev.loom.query.Difference;
import dev.loom.query.Difference.Finding;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.ValueRange;
import dev.loom.query.where.Where;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Limits, sets, and memory of comparisons of JSON records; record i arrives at i microseconds. */
final class DiffLimitsTest {
    /** What one field costs, and a query besides. */
    private static final long FIELD_BYTES = DiffField.MEMORY_BYTES;

    private static final long QUERY_BYTES = 1 << 20;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    private Loom loom;
    private int source;
    private long nowNs;

    @BeforeEach
    void open() {
        loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> nowNs)
                .build());
        source = loom.defineSource("s", Formats.parse("json"));
    }

    @AfterEach
    void close() {
        loom.close();
    }

    private void push(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        nowNs += 1_000;
        loom.push(source, new UnsafeBuffer(bytes), 0, bytes.length);
    }

    /**
     * Pushes records of which each tenth is slow and has another {@code op}. Each value of {@code k} is as frequent among them as among
     * the others, so that chance finds none.
     */
    private void pushSlow(int records) {
        for (int i = 0; i < records; i++) {
            boolean slow = i % 10 == 0;
            push("{\"i\":" + i + ",\"op\":\"" + (slow ? "SET" : "GET") + "\",\"ms\":" + (slow ? 50 : 1) + ",\"k\":"
                    + i / 10 % 5 + "}");
        }
    }

    private Difference slow(Snapshot snapshot) {
        return Difference.of(snapshot, source).selected(Where.parse("ms > 10"));
    }

    private static String texts(Difference.Result result) {
        List<String> texts = new ArrayList<>();
        for (Finding each : result.findings()) {
            texts.add(each.where().orElseThrow() + ": " + each.selected() + " of " + each.selectedOf() + ", "
                    + each.against() + " of " + each.againstOf());
        }
        return String.join("; ", texts);
    }

    @Test
    void shouldCompareAsManyFieldsAsThereIsRoomFor() {
        String members = String.join(
                ",",
                IntStream.range(0, Difference.FIELDS_MAX - 1)
                        .mapToObj(i -> "\"f" + i + "\":1")
                        .toList());
        for (int i = 0; i < 40; i++) {
            push("{\"ms\":" + (i % 4 == 0 ? 50 : 1) + ",\"op\":\"" + (i % 4) + "\"," + members + "}");
        }
        try (QueryMemory memory = new QueryMemory(QUERY_BYTES + FIELD_BYTES * Difference.FIELDS_MAX);
                Snapshot snapshot = loom.snapshot()) {
            Difference.Result whole = slow(snapshot).memory(memory).run();
            assertEquals(Difference.FIELDS_MAX, whole.fields().size());
            assertFalse(whole.hasMoreFields());
            assertEquals("op == \"0\": 10 of 10, 0 of 30", texts(whole));
            assertTrue(whole.findings().get(0).isExact());
            assertEquals(0, memory.reserved());

            Difference.Result cut = slow(snapshot)
                    .fieldsMax(Difference.FIELDS_MAX - 1)
                    .memory(memory)
                    .run();
            assertEquals(Difference.FIELDS_MAX - 1, cut.fields().size());
            assertTrue(cut.hasMoreFields());
            // a field that chooses needs no room
            assertFalse(cut.fields().contains("ms"));
        }
        try (QueryMemory memory = new QueryMemory(QUERY_BYTES + FIELD_BYTES * Difference.FIELDS_MAX - 1);
                Snapshot snapshot = loom.snapshot()) {
            Difference query = slow(snapshot).memory(memory);
            assertThrows(QueryMemory.Exhausted.class, query::run);
            assertEquals(0, memory.reserved());
        }
    }

    @Test
    void shouldHoldNoMoreForMoreRecords() {
        pushSlow(2_000);
        List<Long> needed = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            try (Snapshot snapshot = loom.snapshot()) {
                long room = QUERY_BYTES + 3 * FIELD_BYTES;
                needed.add(slow(snapshot).memory(new QueryMemory(room)).run().selected());
                Difference query = slow(snapshot).memory(new QueryMemory(room - 1));
                assertThrows(QueryMemory.Exhausted.class, query::run);
            }
            pushSlow(10_000);
        }
        assertEquals(List.of(200L, 1_200L, 2_200L), needed);
    }

    @Test
    void shouldRefuseWhatIsOutOfRange() {
        pushSlow(10);
        try (Snapshot snapshot = loom.snapshot()) {
            Difference query = slow(snapshot);
            for (double share : new double[] {0.00999, 1.001, -1, Double.NaN}) {
                assertThrows(IllegalArgumentException.class, () -> query.supportMin(share), () -> "share=" + share);
            }
            query.supportMin(Difference.SUPPORT_MIN)
                    .supportMin(1)
                    .order(1)
                    .order(Difference.ORDER_MAX)
                    .fieldsMax(1);
            assertThrows(IllegalArgumentException.class, () -> query.order(0));
            assertThrows(IllegalArgumentException.class, () -> query.order(Difference.ORDER_MAX + 1));
            assertThrows(IllegalArgumentException.class, () -> query.fieldsMax(0));
            assertThrows(IllegalArgumentException.class, () -> query.fieldsMax(Difference.FIELDS_MAX + 1));
            query.fields(Collections.nCopies(Difference.FIELDS_MAX, "op"));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> query.fields(Collections.nCopies(Difference.FIELDS_MAX + 1, "op")));
        }
        int structs = loom.defineSource("t", Formats.parse("struct:a:i64"));
        try (Snapshot snapshot = loom.snapshot()) {
            Difference query = Difference.of(snapshot, structs);
            assertThrows(UnknownFieldException.class, () -> query.fields(List.of("b")));
            assertThrows(IllegalArgumentException.class, () -> query.selected(Where.parse("b > 1")));
            assertThrows(IllegalArgumentException.class, () -> query.against(Where.parse("a == \"x\"")));
        }
    }

    @Test
    void shouldHoldAtLeastTheSupport() {
        for (int i = 0; i < 400; i++) {
            boolean slow = i < 100;
            push("{\"ms\":" + (slow ? 50 : 1) + ",\"a\":" + (i < 10 ? 1 : 0) + ",\"b\":" + (i < 11 ? 1 : 0) + "}");
        }
        try (Snapshot snapshot = loom.snapshot()) {
            assertEquals(
                    "b == 1: 11 of 100, 0 of 300",
                    texts(slow(snapshot).supportMin(0.101).run()));
            assertEquals(
                    "b == 1: 11 of 100, 0 of 300; a == 1: 10 of 100, 0 of 300",
                    texts(slow(snapshot).supportMin(0.1).run()));
            assertEquals(10, slow(snapshot).supportMin(0.1).run().supportMin());
        }
    }

    @Test
    void shouldChooseSetsByConditionsTimesAndValues() {
        pushSlow(1_000);
        try (Snapshot snapshot = loom.snapshot()) {
            assertEquals(
                    "op == \"SET\": 100 of 100, 0 of 900", texts(slow(snapshot).run()));
            // a record of both sets is a chosen one
            assertEquals(
                    "op == \"SET\": 100 of 100, 0 of 450",
                    texts(slow(snapshot).against(Where.parse("i < 500")).run()));
            // what narrows both
            assertEquals(
                    "op == \"SET\": 50 of 50, 0 of 450",
                    texts(slow(snapshot).where(Where.parse("i < 500")).run()));
            assertEquals(
                    "op == \"SET\": 20 of 20, 0 of 180",
                    texts(slow(snapshot).range(new TimeRange(1_000, 201_000)).run()));
            IndexFunction ms = IndexFunction.field(Formats.parse("json"), "ms");
            Difference byValue = Difference.of(snapshot, source).selected("ms", ms, ValueRange.atLeast(50));
            assertEquals("op == \"SET\": 100 of 100, 0 of 900", texts(byValue.run()));
            Difference.Result byTime = Difference.of(snapshot, source)
                    .selectedTimes(new TimeRange(500_000, 600_000))
                    .run();
            assertEquals(100, byTime.selected());
            Finding first = byTime.findings().get(0);
            assertEquals("i", first.parts().get(0).field());
            assertTrue(first.selected() >= 95 && first.against() <= 10, () -> texts(byTime));
            Difference.Shift shift = Objects.requireNonNull(first.shift());
            assertEquals(548.0, shift.selected().get(1), 1);
            // all of the chosen below 599, of the others 499 / 900
            assertEquals(0.555, shift.distance(), 0.05);
            Difference both = slow(snapshot).selectedTimes(new TimeRange(500_000, 600_000));
            assertEquals(10, both.run().selected());
            assertEquals(990, both.run().against());
        }
    }

    @Test
    void shouldLeaveOutFieldsThatChoose() {
        pushSlow(500);
        try (Snapshot snapshot = loom.snapshot()) {
            String where = "ms > 10 and not (k == 9 or `x.y` in (1, 2)) and (z is null or s contains \"a\")"
                    + " and not t icontains \"a\" and not u matches \"a\" and not v =~ \"a\" and not w not in (1, 2)";
            Difference.Result found = Difference.of(snapshot, source)
                    .selected(Where.parse(where))
                    .ignore(List.of("i"))
                    .run();
            assertEquals(List.of("op"), found.fields());
            assertEquals(
                    new ArrayList<>(new TreeSet<>(List.of("i", "ms", "k", "x.y", "z", "s", "t", "u", "v", "w"))),
                    new ArrayList<>(new TreeSet<>(found.ignored())));
            assertEquals(
                    List.of("op"),
                    slow(snapshot).fields(List.of("op", "ms")).run().fields());
        }
    }

    @Test
    void shouldFindNothingWhereThereIsNothing() {
        try (Snapshot snapshot = loom.snapshot()) {
            Difference.Result none = slow(snapshot).run();
            assertEquals(0, none.selected() + none.against() + none.findings().size());
        }
        pushSlow(100);
        try (Snapshot snapshot = loom.snapshot()) {
            Difference.Result all = Difference.of(snapshot, source)
                    .selected(Where.parse("ms > 0"))
                    .run();
            assertEquals(100, all.selected());
            assertEquals(0, all.against() + all.findings().size());
            Difference.Result nobody = Difference.of(snapshot, source)
                    .selected(Where.parse("nothing > 0"))
                    .run();
            assertEquals(100, nobody.against());
            assertEquals(0, nobody.selected() + nobody.findings().size());
            assertEquals(false, nobody.statistics().fieldsSeen().get("nothing"));
        }
    }

    @Test
    void shouldEndWithWhatItHasWhenCancelled() {
        for (int i = 0; i < 30_000; i++) {
            boolean slow = i % 10 == 0;
            push("{\"ms\":" + (slow ? 50 : 1) + ",\"op\":" + (slow ? 1 : 2) + ",\"z\":" + (slow && i % 50 > 0 ? 1 : 2)
                    + "}");
        }
        try (Snapshot snapshot = loom.snapshot()) {
            int[] asked = {0};
            Difference whole = slow(snapshot).pulse(() -> asked[0]++);
            String all = texts(whole.run());
            int pulses = asked[0];
            assertTrue(pulses > 12, () -> "pulses=" + pulses);
            for (int pass = 0; pass < 3; pass++) {
                int[] left = {pulses * (2 * pass + 1) / 6};
                Difference.Result cut =
                        slow(snapshot).cancelWhen(() -> left[0]-- <= 0).run();
                assertEquals(Limit.CANCELLED, cut.completeness().limit());
                assertFalse(cut.isCombined());
                assertEquals(pass < 2 ? "" : all, texts(cut), () -> "left=" + left[0] + ", pulses=" + pulses);
            }
            Difference.Result timed = slow(snapshot)
                    .budget(new QueryBudget(Long.MAX_VALUE, Duration.ZERO))
                    .run();
            assertEquals(Limit.TIME, timed.completeness().limit());
        }
    }

    @Test
    void shouldSkipWhatNeitherSetHoldsByIndexes() {
        int indexed = loom.defineSource("indexed", Formats.parse("struct:ms:i64,op:utf8"));
        loom.defineIndex(
                indexed, "ms", IndexFunction.field(Formats.parse("struct:ms:i64,op:utf8"), "ms"), Bins.logLinear());
        UnsafeBuffer payload = new UnsafeBuffer(new byte[256]);
        for (int i = 0; i < 20_000; i++) {
            nowNs += 1_000;
            long ms = i < 5_000 ? 1 : i < 15_000 ? 100 : 10_000;
            payload.putLong(0, ms, ByteOrder.LITTLE_ENDIAN);
            payload.putByte(8, (byte) 1);
            payload.putByte(9, (byte) (ms > 1_000 && i % 2 == 0 ? 'a' : 'b'));
            loom.push(indexed, payload, 0, 200);
        }
        try (Snapshot snapshot = loom.snapshot()) {
            Difference.Result found = Difference.of(snapshot, indexed)
                    .selected(Where.parse("ms > 5000"))
                    .against(Where.parse("ms < 10"))
                    .run();
            assertEquals("op == \"a\": 2500 of 5000, 0 of 5000", texts(found));
            assertTrue(found.statistics().pagesSkippedByBins() > 0);
            Difference.Result scanned = Difference.of(snapshot, indexed)
                    .selected(Where.parse("ms > 5000"))
                    .against(Where.parse("ms < 10"))
                    .use(QueryIndex.CHUNK, false)
                    .use(QueryIndex.TIME, false)
                    .run();
            assertEquals(texts(found), texts(scanned));
            assertEquals(0, scanned.statistics().pagesSkippedByBins());
        }
    }

    /** Random records without a cause: in at most one of twenty comparisons anything may be found. */
    @Test
    void shouldHardlyEverFindAnythingInNoise() {
        int sets = 60;
        int found = 0;
        for (int set = 0; set < sets; set++) {
            TimeRange range = new TimeRange(nowNs + 1_000, nowNs + 1_001_000);
            for (int i = 0; i < 1_000; i++) {
                push("{\"ms\":" + (random.nextInt(20) == 0 ? 50 : 1) + ",\"a\":\"" + random.nextInt(3) + "\",\"b\":"
                        + random.nextInt(30) + ",\"c\":" + random.nextGaussian() + ",\"d\":\"" + random.nextInt(400)
                        + "\",\"e\":" + random.nextInt(1_000_000) + ",\"id\":\"" + random.nextLong() + "\"}");
            }
            try (Snapshot snapshot = loom.snapshot()) {
                found += slow(snapshot).range(range).run().findings().isEmpty() ? 0 : 1;
            }
        }
        int count = found;
        // more than 12 of 60 at 5 % come once in 60,000 runs; the correction is wide, so that hardly one is met
        assertTrue(count <= 12, () -> "seed=" + seed + ", found=" + count);
    }

    @Test
    void shouldCountValuesOfOtherKindsAndUnusualNumbers() {
        for (int i = 0; i < 300; i++) {
            boolean slow = i % 3 == 0;
            String rare =
                    List.of("[1, 2]", "{}", "null", "\"1\"", "1.0", "true").get(i / 3 % 6);
            push("{\"ms\":" + (slow ? 50 : 1) + ",\"v\":" + (slow ? rare : "1") + ",\"n\":"
                    + (slow ? "18446744073709551615" : "9007199254740993") + ",\"long\":\""
                    + "x".repeat(slow ? 300 : 299) + "\"}");
        }
        try (Snapshot snapshot = loom.snapshot()) {
            Difference.Result found = slow(snapshot).order(1).run();
            List<String> values = found.findings().stream()
                    .map(each -> each.parts().get(0).field()
                            + '='
                            + Objects.requireNonNull(each.parts().get(0).value())
                                    .text()
                            + ' '
                            + each.selected()
                            + ' '
                            + each.against())
                    .sorted()
                    .toList();
            // 1 and 1.0 are one value, more frequent among the others; longer texts than 250 bytes are in no count
            assertEquals(
                    List.of(
                            "n=18446744073709551615 100 0",
                            "v= 17 0",
                            "v=1 17 0",
                            "v=[1,2] 17 0",
                            "v=true 16 0",
                            "v={} 17 0"),
                    values);
        }
    }

    /** A field whose values are all different, and that only the last of the chosen records has. */
    @Test
    void shouldCountRecordsBeforeAFieldWasMet() {
        for (int i = 0; i < 100; i++) {
            push("{\"ms\":50" + (i == 99 ? ",\"x\":\"last\"}" : "}"));
        }
        for (int i = 0; i < 300; i++) {
            push("{\"ms\":1,\"x\":\"x" + i + "\"}");
        }
        try (Snapshot snapshot = loom.snapshot()) {
            assertEquals("x is null: 99 of 100, 0 of 300", texts(slow(snapshot).run()));
        }
    }

    /** Floats, integers beyond the precision of doubles, and both sides of zero. */
    private long count(Snapshot snapshot, int of, Where where) {
        long count = 0;
        try (QueryCursor record = RawScan.of(snapshot, of).where(where).open()) {
            while (record.next()) {
                count++;
            }
        }
        return count;
    }

    /** Time-outs are often infinite, and no condition names that. */
    @Test
    void shouldFindRangesBesideInfiniteValues() {
        StructFormat format = Formats.struct("ms:i64,d:f64");
        int numbers = loom.defineSource("infinite", format);
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
        for (int i = 0; i < 3_000; i++) {
            boolean slow = i % 3 == 0;
            nowNs += 1_000;
            writer.begin(payload, 0);
            writer.setLong(0, slow ? 50 : 1);
            writer.setDouble(
                    1,
                    slow
                            ? 10 + 10 * random.nextDouble()
                            : i % 3 == 1 ? 10 * random.nextDouble() : Double.POSITIVE_INFINITY);
            loom.push(numbers, payload, 0, writer.finish());
        }
        try (Snapshot snapshot = loom.snapshot()) {
            Difference.Result found = Difference.of(snapshot, numbers)
                    .selected(Where.parse("ms > 10"))
                    .fields(List.of("d"))
                    .run();
            for (Finding each : found.findings()) {
                Where range = each.where().orElseThrow();
                String message = "seed=" + seed + ", range=" + range;
                assertEquals(
                        each.selected(),
                        count(snapshot, numbers, new Where.And(List.of(range, Where.parse("ms > 10")))),
                        message);
                assertEquals(
                        each.against(),
                        count(snapshot, numbers, new Where.And(List.of(range, Where.parse("ms < 10")))),
                        message);
            }
            assertFalse(found.findings().isEmpty(), "seed=" + seed);
        }
    }

    @Test
    void shouldFindLargeDoublesByTheirCondition() {
        StructFormat format = Formats.struct("ms:i64,v:f64");
        int numbers = loom.defineSource("large", format);
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
        for (int i = 0; i < 400; i++) {
            boolean slow = i % 4 == 0;
            nowNs += 1_000;
            writer.begin(payload, 0);
            writer.setLong(0, slow ? 50 : 1);
            writer.setDouble(1, slow ? (double) 1_763_612_345_678_901_248L : 1);
            loom.push(numbers, payload, 0, writer.finish());
        }
        try (Snapshot snapshot = loom.snapshot()) {
            Finding first = Difference.of(snapshot, numbers)
                    .selected(Where.parse("ms > 10"))
                    .run()
                    .findings()
                    .get(0);
            Where where = Where.parse(first.where().orElseThrow().toString());
            assertEquals(100, count(snapshot, numbers, where), where::toString);
        }
    }

    /** As attributes of OTLP may have an empty name, which no field has. */
    /** A condition compares bytes, and is written in characters. */
    @Test
    void shouldHaveNoConditionForATextThatIsNotUtf8() {
        for (int i = 0; i < 1_000; i++) {
            String json = "{\"ms\":" + (i % 10 == 0 ? 50 : 1) + ",\"op\":\"" + (i % 10 == 0 ? "a\u00ff" : "b") + "\"}";
            nowNs += 1_000;
            loom.push(source, json.getBytes(StandardCharsets.ISO_8859_1));
        }
        try (Snapshot snapshot = loom.snapshot()) {
            List<Finding> found = slow(snapshot).run().findings().stream()
                    .filter(each -> each.selected() == 100 && each.against() == 0)
                    .toList();
            assertFalse(found.isEmpty());
            for (Finding each : found) {
                assertTrue(each.where().isEmpty(), () -> "where=" + each.where());
            }
        }
    }

    @Test
    void shouldPassOverMembersThatAreNoFields() {
        PayloadFormat json = Formats.json();
        PayloadFormat format = new PayloadFormat() {
            @Override
            public String name() {
                return "x";
            }

            @Override
            public String text() {
                return "x";
            }

            @Override
            public List<Field> fields() {
                return List.of(new Field("attributes", Field.Type.JSON, true));
            }

            @Override
            public List<String> fieldPrefixes() {
                return List.of("attr.");
            }

            @Override
            public String fieldOfPrefix(String prefix) {
                return "attributes";
            }

            @Override
            public @Nullable FieldReader field(String name) {
                String member = name.startsWith("attr.") ? name.substring(5) : "";
                return name.equals("attributes") ? json.field("") : member.isEmpty() ? null : json.field(member);
            }
        };
        try (QueryMemory memory = new QueryMemory(1 << 22);
                Snapshot snapshot = loom.snapshot();
                RecordLookup lookup = snapshot.lookup()) {
            FieldRegister register = new FieldRegister(format, lookup, memory, Set.of(), 8);
            register.begin(List.of());
            byte[] payload = "{\"\":1,\"a\":2}".getBytes(StandardCharsets.UTF_8);
            register.discover(new UnsafeBuffer(payload), 0, payload.length);
            assertEquals(
                    List.of("attr.a"),
                    register.fields().stream().map(DiffField::name).toList());
            register.release();
        }
    }

    @Test
    void shouldFindRangesThatConditionsMeetExactly() {
        StructFormat format = Formats.struct("ms:i64,f:f32,u:u64,t:i64,d:f64,b:u8");
        int numbers = loom.defineSource("numbers", format);
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[256]);
        int records = 3_000;
        for (int i = 0; i < records; i++) {
            nowNs += 1_000;
            int rank = random.nextInt(1_000);
            boolean slow = rank > 600 && rank < 720;
            writer.begin(payload, 0);
            writer.setLong(0, slow ? 50 : 1);
            writer.setDouble(1, (rank - 500) * 0.1f);
            writer.setUnsigned(2, Long.MAX_VALUE - 600_000L + 1_000L * rank + random.nextInt(1_000));
            writer.setLong(3, 1_795_229_193_399_411_123L + 37L * rank + random.nextInt(37));
            writer.setDouble(4, (rank - 650) / 3.0);
            writer.setLong(5, rank / 4);
            loom.push(numbers, payload, 0, writer.finish());
        }
        try (Snapshot snapshot = loom.snapshot()) {
            for (String field : List.of("f", "u", "t", "d", "b")) {
                Difference.Result found = Difference.of(snapshot, numbers)
                        .selected(Where.parse("ms > 10"))
                        .fields(List.of(field))
                        .run();
                String message = "seed=" + seed + ", field=" + field + ", found=" + texts(found);
                Finding first = found.findings().get(0);
                assertTrue(first.parts().get(0).isRange(), message);
                assertTrue(first.selected() > 0.9 * first.selectedOf(), message);
                assertTrue(first.against() < 0.05 * first.againstOf(), message);
                Where range = first.where().orElseThrow();
                assertEquals(range, Where.parse(range.toString()), message);
                for (boolean slow : new boolean[] {true, false}) {
                    Where where = new Where.And(List.of(range, Where.parse(slow ? "ms > 10" : "ms < 10")));
                    long count = 0;
                    try (QueryCursor record =
                            RawScan.of(snapshot, numbers).where(where).open()) {
                        while (record.next()) {
                            count++;
                        }
                    }
                    assertEquals(slow ? first.selected() : first.against(), count, message);
                }
            }
        }
    }
}
