package dev.loom.otlp.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.where.Where;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.ArrayValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.common.v1.KeyValueList;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.trace.v1.Span;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Searches for ids, attributes and words of OpenTelemetry's records by the text index, against scans that read every record. */
final class OtlpTextIndexTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int SPANS = Integer.getInteger("loom.otlp.spans", 60_000);

    @TempDir
    Path temp;

    private final Random random = new Random(SEED);
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[1 << 16]);
    private QueryStatistics statistics = QueryStatistics.NONE;

    private Loom open() {
        System.out.println("OtlpTextIndexTest: -Dloom.test.seed=" + SEED);
        return Loom.open(LoomConfig.at(temp.resolve("store"))
                .recordRingBytes(8 << 20)
                .maxBytes(LoomConfig.UNLIMITED)
                .minFreeBytes(0)
                .textIndexShare(1)
                .build());
    }

    private void push(Loom loom, int source, MessageLite message) {
        byte[] bytes = message.toByteArray();
        payload.putLong(0, 0);
        payload.putBytes(Long.BYTES, bytes);
        loom.push(source, payload, 0, Long.BYTES + bytes.length);
    }

    private ByteString id(int length) {
        byte[] id = new byte[length];
        random.nextBytes(id);
        return ByteString.copyFrom(id);
    }

    private static String hex(ByteString id) {
        StringBuilder text = new StringBuilder();
        for (byte b : id.toByteArray()) {
            text.append(String.format("%02x", b));
        }
        return text.toString();
    }

    private static AnyValue text(String text) {
        return AnyValue.newBuilder().setStringValue(text).build();
    }

    private static KeyValue pair(String key, AnyValue value) {
        return KeyValue.newBuilder().setKey(key).setValue(value).build();
    }

    private AnyValue any(int depth) {
        AnyValue.Builder value = AnyValue.newBuilder();
        return switch (random.nextInt(depth == 0 ? 6 : 9)) {
            case 0 -> value.setIntValue(random.nextInt(50)).build();
            case 1 ->
                value.setDoubleValue(random.nextInt(50) / (double) (1 + random.nextInt(2)))
                        .build();
            case 2 -> value.setBoolValue(random.nextBoolean()).build();
            case 3 ->
                value.setBytesValue(ByteString.copyFromUtf8("v" + random.nextInt(50)))
                        .build();
            case 6 ->
                value.setArrayValue(ArrayValue.newBuilder()
                                .addValues(any(depth - 1))
                                .addValues(any(depth - 1)))
                        .build();
            case 7 ->
                value.setKvlistValue(KeyValueList.newBuilder()
                                .addValues(pair("k" + random.nextInt(3), any(depth - 1)))
                                .addValues(pair("k" + random.nextInt(3), any(depth - 1))))
                        .build();
            case 8 -> value.build();
            default -> text("v" + random.nextInt(50));
        };
    }

    private List<Long> find(Snapshot snapshot, int source, String where, boolean indexed) {
        List<Long> found = new ArrayList<>();
        try (QueryCursor cursor = RawScan.of(snapshot, source)
                .where(Where.parse(where))
                .order(Order.NEWEST_FIRST)
                .use(QueryIndex.CHUNK, indexed)
                .use(QueryIndex.TEXT, indexed)
                .open()) {
            while (cursor.next()) {
                found.add(cursor.address());
            }
            statistics = cursor.statistics();
        }
        return found;
    }

    @Test
    void shouldFindATraceByReadingItsPagesAndFewOthers() {
        List<ByteString> traces = new ArrayList<>();
        try (Loom loom = open()) {
            int source = loom.defineSource("spans", Formats.parse("otlp-span"));
            ByteString trace = id(16);
            long every = Math.max(1, SPANS / 50);
            for (int i = 0; i < SPANS; i++) {
                trace = i % 5 == 0 ? id(16) : trace;
                if (i % every == 0) {
                    traces.add(trace);
                }
                push(
                        loom,
                        source,
                        Span.newBuilder()
                                .setName("GET /cart" + random.nextInt(20))
                                .setTraceId(trace)
                                .setSpanId(id(8))
                                .addAttributes(pair("http.route", text("/cart/" + random.nextInt(100))))
                                .addAttributes(pair("user.id", text("user-" + random.nextInt(100_000))))
                                .build());
            }
            assertTrue(loom.finishTextIndex((done, total) -> true));
            try (Snapshot snapshot = loom.snapshot()) {
                long pages = 0;
                long bytes = 0;
                for (ByteString id : traces) {
                    String where = "trace_id == '" + hex(id) + "'";
                    int spans = find(snapshot, source, where, true).size();
                    assertTrue(spans >= 1 && spans <= 5, () -> "seed=" + SEED + ", spans=" + spans);
                    pages += statistics.pagesRead();
                    bytes += statistics.bytesRead();
                }
                long mean = pages / traces.size();
                System.out.println("pages read for a trace of " + SPANS + " spans: " + pages / (double) traces.size()
                        + ", bytes: " + bytes / traces.size() + ", index: " + snapshot.textIndex(source));
                assertTrue(mean <= 20, "pages=" + mean);
                String last = "trace_id == '" + hex(traces.get(traces.size() / 2)) + "'";
                assertEquals(find(snapshot, source, last, false), find(snapshot, source, last, true), "seed=" + SEED);
            }
        }
    }

    @Test
    void shouldFindWhatAScanFinds() {
        try (Loom loom = open()) {
            int spans = loom.defineSource("spans", Formats.parse("otlp-span"));
            int logs = loom.defineSource("logs", Formats.parse("otlp-log"));
            for (int i = 0; i < 4_000; i++) {
                Span.Builder span = Span.newBuilder().setName("op " + random.nextInt(500));
                LogRecord.Builder log = LogRecord.newBuilder()
                        .setBody(random.nextInt(4) == 0 ? any(2) : text("Word" + random.nextInt(500) + " tail"));
                // few have arrays and maps
                int depth = random.nextInt(50) == 0 ? 2 : 0;
                for (int j = random.nextInt(4); j > 0; j--) {
                    KeyValue pair = pair(
                            random.nextBoolean() ? "k" + random.nextInt(60) : "k1.k" + random.nextInt(9), any(depth));
                    span.addAttributes(pair);
                    log.addAttributes(pair);
                }
                push(loom, spans, span.build());
                push(loom, logs, log.build());
                if (i % 1_500 == 1_499) {
                    assertTrue(loom.finishTextIndex((done, total) -> true));
                }
            }
            long skipped = 0;
            try (Snapshot snapshot = loom.snapshot()) {
                for (int i = 0; i < 400; i++) {
                    String key = random.nextBoolean() ? "k" + random.nextInt(60) : "k1.k" + random.nextInt(9);
                    String where = switch (random.nextInt(6)) {
                        case 0 -> "attr." + key + " == " + random.nextInt(50);
                        case 1 -> "attr." + key + " in ('v" + random.nextInt(50) + "', 3, 'v1')";
                        case 2 -> "name == 'op " + random.nextInt(600) + "'";
                        case 3 -> "body matches 'word" + random.nextInt(600) + "'";
                        case 4 -> "body == 'v" + random.nextInt(50) + "'";
                        default -> "attr." + key + " == 'v" + random.nextInt(50) + "'";
                    };
                    int source = where.startsWith("body") ? logs : spans;
                    assertEquals(
                            find(snapshot, source, where, false),
                            find(snapshot, source, where, true),
                            () -> "seed=" + SEED + ", where=" + where);
                    skipped += statistics.pagesSkippedByTokens();
                }
            }
            assertTrue(skipped > 0, "the index was of no use");
        }
    }
}
