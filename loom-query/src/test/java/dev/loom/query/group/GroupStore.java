package dev.loom.query.group;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.group.GroupOracle.Row;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.Value;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A store of random records of three sources, of declared fields, of JSON and of references, and the records as they were pushed. */
final class GroupStore implements AutoCloseable {
    static final StructFormat STRUCT =
            Formats.struct("ts:i64,v:i64,i:i64,u:u64,small:i8,f:f64,g:f32,flag:bool?,w:f64?,s:utf8?,raw:bytes,k:i32?");
    static final PayloadFormat JSON = Formats.parse("json");
    static final PayloadFormat REFERRING = Formats.parse("referring");
    /** The values of records that refer to others: the number behind the reference. */
    static final IndexFunction OWN = IndexFunction.of("own", ValueType.I64, ValueUnit.NONE, (b, at, length, into) -> {
        if (b.getLong(at + 8) >= 0) {
            into.setInteger(b.getLong(at + 8));
        }
    });

    private static final double[] DOUBLES = {
        0.0,
        -0.0,
        1,
        2.5,
        -2.5,
        1e300,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        0x1p53,
        0x1p63,
        0x1p64
    };
    private static final long[] LONGS = {0, 1, -1, (1L << 53), (1L << 53) + 1, Long.MAX_VALUE, Long.MIN_VALUE, 7, 8, 9};
    private static final String[] JSON_NUMBERS = {
        "1",
        "1.0",
        "1e0",
        "0",
        "-0.0",
        "2.5",
        "9007199254740992",
        "9007199254740993",
        "9007199254740992.0",
        "10000000000000000000",
        "1e19",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "1e300"
    };

    /** One of the sources. */
    final class Source {
        final int id;
        final PayloadFormat format;
        final List<String> fields;
        final List<IndexFunction> values;
        final List<Row> rows = new ArrayList<>();
        /** The values by the other of two functions, in the order of rows. */
        final List<@Nullable BigDecimal> others = new ArrayList<>();

        Source(String name, PayloadFormat format, List<String> fields, IndexFunction... values) {
            this.format = format;
            this.fields = fields;
            this.values = List.of(values);
            id = loom.source(name).map(dev.loom.api.Source::id).orElseGet(() -> loom.defineSource(name, format));
        }

        /** The rows with the values of one of the functions. */
        List<Row> rows(int function) {
            if (function == 0) {
                return rows;
            }
            List<Row> with = new ArrayList<>();
            for (int i = 0; i < rows.size(); i++) {
                Row row = rows.get(i);
                with.add(new Row(row.timeNs(), row.eventNs(), row.fields(), others.get(i)));
            }
            return with;
        }
    }

    final List<Source> sources = new ArrayList<>();
    private final Path directory;
    private final Random random;
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[200_000]);
    private final StructWriter writer = new StructWriter(STRUCT);
    private final Map<Long, Long> shared = new HashMap<>();
    private final Map<Integer, List<List<String>>> keyed = new HashMap<>();
    private Loom loom;
    private int sharedId;
    private int names;
    private long nowNs = 1_000_000;

    GroupStore(Path directory, Random random) {
        this.directory = directory;
        this.random = random;
        loom = open();
        sharedId = loom.defineSource("shared", Formats.parse("shared"));
        sources.add(new Source(
                "struct",
                STRUCT,
                List.of("i", "u", "small", "f", "g", "flag", "s", "raw", "k"),
                IndexFunction.field(STRUCT, "v"),
                IndexFunction.field(STRUCT, "w")));
        sources.add(new Source(
                "json",
                JSON,
                List.of("k", "s", "nested.a"),
                IndexFunction.field(JSON, "v"),
                IndexFunction.field(JSON, "w")));
        sources.add(new Source("referring", REFERRING, List.of("shared"), OWN, OWN));
    }

    private Loom open() {
        return Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> nowNs)
                .build());
    }

    Loom loom() {
        return loom;
    }

    long nowNs() {
        return nowNs;
    }

    /** Pushes records in some phases, between which indexes are defined or closed, or the store is opened again. */
    void fill(int records) {
        int phases = 1 + random.nextInt(4);
        for (int phase = 0; phase < phases; phase++) {
            sources.forEach(this::changeIndexes);
            for (int i = 0; i < records / phases; i++) {
                push();
            }
            if (random.nextInt(3) == 0) {
                loom.close();
                loom = open();
                shared.clear();
            } else if (random.nextInt(3) == 0) {
                loom.force();
            }
            if (random.nextBoolean()) {
                loom.force();
                loom.finishRollups((done, total) -> true);
            }
        }
    }

    private List<String> fields(Source source, int count) {
        List<String> fields = new ArrayList<>(source.fields);
        Collections.shuffle(fields, random);
        return List.copyOf(fields.subList(0, Math.min(fields.size(), count)));
    }

    /** The fields by which a source has or had an index; empty if there is none. */
    List<List<String>> keyed(Source source) {
        return keyed.getOrDefault(source.id, List.of());
    }

    private void changeIndexes(Source source) {
        for (int i = 0; i < 2; i++) {
            String name = "values-" + i;
            boolean open = loom.indexes().stream()
                    .anyMatch(index ->
                            index.sourceId() == source.id && index.name().equals(name) && !index.closed());
            if (!open && random.nextInt(3) > 0) {
                loom.defineIndex(source.id, name, source.values.get(i), Bins.logLinear());
            } else if (open && random.nextInt(3) == 0) {
                loom.indexes().stream()
                        .filter(index ->
                                index.sourceId() == source.id && index.name().equals(name) && !index.closed())
                        .forEach(index -> loom.closeIndex(index.id()));
            }
        }
        if (random.nextInt(3) > 0) {
            List<String> by = fields(source, 1 + random.nextInt(3));
            Bins bins =
                    random.nextBoolean() ? Bins.logLinear() : Bins.logLinear().withValues();
            int function = random.nextInt(2);
            String name = function + ":" + String.join(",", by) + ":" + names++;
            loom.defineIndex(source.id, name, source.values.get(function), bins, by);
            keyed.computeIfAbsent(source.id, id -> new ArrayList<>()).add(by);
        }
        if (source.format.equals(STRUCT) && random.nextInt(3) > 0) {
            loom.defineEventTimeIndex(source.id, "ts", IndexFunction.field(STRUCT, "ts"));
        }
    }

    void push() {
        nowNs += random.nextInt(3) == 0 ? 0 : random.nextInt(2_000);
        switch (random.nextInt(5)) {
            case 0, 1 -> pushStruct(sources.get(0));
            case 2, 3 -> pushJson(sources.get(1));
            default -> pushReferring(sources.get(2));
        }
    }

    private BigDecimal integer() {
        return BigDecimal.valueOf(
                random.nextInt(4) == 0 ? random.nextLong() >> random.nextInt(63) : random.nextInt(1_000));
    }

    private String text() {
        return switch (random.nextInt(8)) {
            case 0 -> "";
            case 1 -> "\u00e4\u20ac".repeat(random.nextInt(4));
            case 2 -> "x".repeat(random.nextInt(40));
            default -> "service-" + random.nextInt(6);
        };
    }

    private void pushStruct(Source source) {
        long ts = random.nextInt(50) == 0 ? -1 : nowNs - random.nextInt(5_000);
        BigDecimal value = integer();
        BigDecimal other = random.nextInt(5) == 0
                ? null
                : BigDecimal.valueOf(random.nextInt(4_000) - 1_000, 0).divide(BigDecimal.valueOf(4));
        long i = LONGS[random.nextInt(LONGS.length)];
        long u = LONGS[random.nextInt(LONGS.length)];
        int small = random.nextInt(3) - 1;
        double f = DOUBLES[random.nextInt(DOUBLES.length)];
        float g = (float) DOUBLES[random.nextInt(DOUBLES.length)];
        @Nullable Boolean flag = random.nextInt(3) == 0 ? null : (Boolean) random.nextBoolean();
        @Nullable String s = random.nextInt(5) == 0 ? null : text();
        byte[] raw = text().getBytes(StandardCharsets.UTF_8);
        @Nullable Integer k = random.nextInt(3) == 0 ? null : (Integer) random.nextInt(4);
        writer.begin(payload, 0);
        writer.setLong(0, ts);
        writer.setLong(1, value.longValueExact());
        writer.setLong(2, i);
        writer.setUnsigned(3, u);
        writer.setLong(4, small);
        writer.setDouble(5, f);
        writer.setDouble(6, g);
        if (flag != null) {
            writer.setBoolean(7, flag);
        }
        if (other != null) {
            writer.setDouble(8, other.doubleValue());
        }
        if (s != null) {
            writer.setUtf8(9, s);
        }
        writer.setBytes(10, new UnsafeBuffer(raw), 0, raw.length);
        if (k != null) {
            writer.setLong(11, k);
        }
        int length = writer.finish();
        loom.push(source.id, payload, 0, length + (random.nextInt(300) == 0 ? 90_000 : random.nextInt(300)));
        Map<String, KeyValue> fields = new HashMap<>();
        fields.put("i", KeyValue.of(i));
        fields.put("u", KeyValue.of(new BigDecimal(Long.toUnsignedString(u))));
        fields.put("small", KeyValue.of(small));
        fields.put("f", KeyValue.of(f));
        fields.put("g", KeyValue.of((double) g));
        fields.put("flag", flag == null ? KeyValue.ABSENT : KeyValue.of((boolean) flag));
        fields.put("s", s == null ? KeyValue.ABSENT : KeyValue.text(s));
        fields.put("raw", KeyValue.bytes(raw));
        fields.put("k", k == null ? KeyValue.ABSENT : KeyValue.of(k));
        source.rows.add(new Row(nowNs, ts == -1 ? EventClock.NONE : ts, fields, value));
        source.others.add(other);
    }

    private void pushJson(Source source) {
        Map<String, KeyValue> fields = new HashMap<>();
        StringBuilder json = new StringBuilder("{");
        member(json, fields, "k");
        member(json, fields, "s");
        StringBuilder nested = new StringBuilder("{");
        member(nested, fields, "nested.a");
        json.append(
                nested.toString().isEmpty()
                        ? ""
                        : "\"nested\": "
                                + nested.toString().replace("nested.", "").replaceAll(",$", "") + "},");
        @Nullable BigDecimal value = random.nextInt(8) == 0 ? null : integer();
        @Nullable
        BigDecimal other = random.nextInt(8) == 0
                ? null
                : new BigDecimal(random.nextInt(3) == 0 ? random.nextInt(4_000) / 4.0 : random.nextInt(100));
        json.append("\"v\":").append(value).append(",\"w\":").append(other).append('}');
        byte[] bytes = json.toString().getBytes(StandardCharsets.UTF_8);
        loom.push(source.id, new UnsafeBuffer(bytes), 0, bytes.length);
        source.rows.add(new Row(nowNs, EventClock.NONE, fields, value));
        source.others.add(other);
    }

    private void member(StringBuilder json, Map<String, KeyValue> fields, String name) {
        String text = text();
        record Member(String json, KeyValue value) {}
        Member member = switch (random.nextInt(7)) {
            case 0 -> new Member("null", KeyValue.ABSENT);
            case 1 -> new Member("true", KeyValue.of(true));
            case 2 -> new Member("[1,  \"a b\"]", KeyValue.json("[1,\"a b\"]"));
            case 3 -> new Member("\"" + text.replace("s", "\\u0073") + "\"", KeyValue.text(text));
            case 4 -> new Member("\"" + text + "\"", KeyValue.text(text));
            default -> {
                String number = JSON_NUMBERS[random.nextInt(JSON_NUMBERS.length)];
                boolean integer = number.matches("-?[0-9]+")
                        && new BigDecimal(number)
                                        .compareTo(BigDecimal.valueOf(2).pow(64))
                                < 0;
                yield new Member(
                        number,
                        integer ? KeyValue.of(new BigDecimal(number)) : KeyValue.of(Double.parseDouble(number)));
            }
        };
        json.append('"').append(name).append("\": ").append(member.json()).append(',');
        fields.put(name, member.value());
    }

    private void pushReferring(Source source) {
        if (shared.isEmpty() || random.nextInt(20) == 0) {
            long number = random.nextInt(10);
            payload.putLong(0, number);
            shared.put(loom.push(sharedId, payload, 0, 8), number);
        }
        List<Long> addresses = new ArrayList<>(shared.keySet());
        long address = random.nextInt(10) == 0 ? 8 : addresses.get(random.nextInt(addresses.size()));
        long value = random.nextInt(20) - 2L;
        payload.putLong(0, address);
        payload.putLong(8, value);
        loom.push(source.id, payload, 0, 16 + random.nextInt(100));
        @Nullable Long number = shared.get(address);
        source.rows.add(new Row(
                nowNs,
                EventClock.NONE,
                Map.of("shared", number == null ? KeyValue.ABSENT : KeyValue.of(number)),
                value < 0 ? null : BigDecimal.valueOf(value)));
        source.others.add(value < 0 ? null : BigDecimal.valueOf(value));
    }

    /** The times in {@code ts}, of which -1 is none. */
    static EventClock clock() {
        FieldReader reader = Objects.requireNonNull(STRUCT.field("ts"));
        FieldValue value = new FieldValue();
        return new EventClock() {
            @Override
            public long epochNs(RecordLookup lookup, DirectBuffer buffer, int offset, int length) {
                reader.read(buffer, offset, length, value);
                return value.longValue() == -1 ? NONE : value.longValue();
            }

            @Override
            public IndexFunction function() {
                return IndexFunction.field(STRUCT, "ts");
            }

            @Override
            public TimeRange times(Value min, Value max) {
                boolean all = min.longValue() > -1 || max.longValue() < -1;
                return all ? new TimeRange(min.longValue(), max.longValue() + 1) : TimeRange.ALL;
            }
        };
    }

    @Override
    public void close() {
        loom.close();
    }
}
