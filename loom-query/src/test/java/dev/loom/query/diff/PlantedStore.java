package dev.loom.query.diff;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Random records as structs and as JSON, some of which are slow because of one to three fields: one cause, and fields of noise beside it.
 * Keeps all rows.
 */
final class PlantedStore implements AutoCloseable {
    static final StructFormat STRUCT = Formats.struct(
            "region:utf8,host:utf8,op:utf8?,code:i32,size:i64,temp:f64?,canary:bool?,id:utf8,key:utf8,latency:i64");

    /** A cause is one condition on each of some of these. */
    private static final List<String> CAUSES = List.of("region", "host", "op", "code", "size", "temp", "canary");

    /** One condition of the cause, for people and for checks. */
    record Condition(String field, Predicate<@Nullable Object> holds, boolean range) {}

    private final Random random;
    private final Loom loom;
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[4096]);
    private final StructWriter writer = new StructWriter(STRUCT);
    final List<Map<String, @Nullable Object>> rows = new ArrayList<>();
    final List<Condition> cause = new ArrayList<>();
    final int structs;
    final int jsons;
    private long nowNs = 1;

    PlantedStore(Path directory, Random random) {
        this.random = random;
        loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> nowNs)
                .build());
        structs = loom.defineSource("structs", STRUCT);
        jsons = loom.defineSource("jsons", Formats.parse("json"));
    }

    /** Plants a cause in fields of these numbers, and fills the store. */
    void fill(int records, int causes) {
        List<String> fields = new ArrayList<>(CAUSES);
        Collections.shuffle(fields, random);
        fields.subList(0, causes).forEach(field -> cause.add(condition(field)));
        double slowWith = 0.6 + 0.4 * random.nextDouble();
        double slowWithout = 0.02 * random.nextDouble();
        for (int i = 0; i < records; i++) {
            Map<String, @Nullable Object> row = row();
            // causes of three fields are rare by chance; the planted ones are not
            if (random.nextInt(20) == 0) {
                cause.forEach(condition -> {
                    while (!condition.holds().test(row.get(condition.field()))) {
                        row.put(condition.field(), row().get(condition.field()));
                    }
                });
            }
            boolean hit = cause.stream().allMatch(condition -> condition.holds().test(row.get(condition.field())));
            boolean slow = random.nextDouble() < (hit ? slowWith : slowWithout);
            row.put("latency", (slow ? 1_000_000L : 1_000L) + random.nextInt(1_000));
            push(row);
        }
    }

    private Condition condition(String field) {
        return switch (field) {
            case "size" -> {
                long low = 1L << (8 + random.nextInt(6));
                yield new Condition(field, value -> value instanceof Long size && size >= low && size < 4 * low, true);
            }
            case "temp" -> {
                double low = 10 + 50 * random.nextDouble();
                yield new Condition(
                        field, value -> value instanceof Double temp && temp >= low && temp < low + 20, true);
            }
            default -> {
                // with a rare host, no other condition makes a difference
                Object value = field.equals("host") ? "host-" + random.nextInt(10) : row().get(field);
                yield new Condition(field, other -> Objects.equals(value, other), false);
            }
        };
    }

    private Map<String, @Nullable Object> row() {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("region", "region-" + random.nextInt(4));
        row.put("host", "host-" + (int) Math.min(29, Math.abs(random.nextGaussian()) * 10));
        row.put(
                "op",
                random.nextInt(10) == 0
                        ? null
                        : List.of("GET", "SET", "DEL", "ä€", "").get(random.nextInt(5)));
        row.put("code", List.of(200L, 200L, 200L, 204L, 404L, 500L).get(random.nextInt(6)));
        row.put("size", (long) Math.exp(random.nextDouble() * 16));
        row.put("temp", random.nextInt(10) == 0 ? null : (Object) (100 * random.nextDouble()));
        row.put("canary", random.nextInt(5) == 0 ? null : (Object) (random.nextInt(4) == 0));
        row.put("id", Long.toHexString(random.nextLong()));
        row.put("key", "key:" + (int) Math.exp(random.nextDouble() * 8));
        return row;
    }

    private void push(Map<String, @Nullable Object> row) {
        nowNs += 1_000;
        rows.add(row);
        writer.begin(payload, 0);
        StringBuilder json = new StringBuilder("{\"more\": {\"a.b\": 1}");
        for (int i = 0; i < STRUCT.fields().size(); i++) {
            String field = STRUCT.fields().get(i).name();
            Object value = row.get(field);
            if (value instanceof Long number) {
                writer.setLong(i, number);
            } else if (value instanceof Double number) {
                writer.setDouble(i, number);
            } else if (value instanceof Boolean flag) {
                writer.setBoolean(i, flag);
            } else if (value instanceof String text) {
                writer.setUtf8(i, text);
            }
            if (value != null || random.nextBoolean()) {
                json.append(", \"").append(field).append("\" :");
                json.append(value instanceof String text ? '"' + text + '"' : String.valueOf(value));
            }
        }
        loom.push(structs, payload, 0, writer.finish());
        byte[] bytes = json.append('}').toString().getBytes(StandardCharsets.UTF_8);
        loom.push(jsons, new UnsafeBuffer(bytes), 0, bytes.length);
    }

    Snapshot snapshot() {
        return loom.snapshot();
    }

    @Override
    public void close() {
        loom.close();
    }
}
