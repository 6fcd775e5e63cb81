package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.time.EventTime;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the APIs of other systems say of records that are gone: each in the place where its clients look. */
final class LostRecordsTest {
    private static final String SPANS = "struct:trace_id:utf8,span_id:utf8,parent_span_id:utf8?,service:utf8,name:utf8,"
            + "start:i64,end:i64,duration:i64";
    private static final long BEGIN_NS = 1_795_000_000_000_000_000L;
    private static final int FEW = 100;
    /** Enough that the oldest are deleted. */
    private static final int MANY = 90_000;

    @TempDir
    Path temp;

    private final PayloadFormat format = Formats.parse("timed:" + SPANS);
    private final StructWriter struct = new StructWriter((StructFormat) Formats.parse(SPANS));
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[512]);
    private int source;

    private Loom open() {
        Loom loom = Loom.open(LoomConfig.at(temp.resolve("store"))
                .recordRingBytes(1 << 20)
                .segmentBytes(1 << 20)
                .maxBytes(8 << 20)
                .build());
        source = loom.defineSource("spans", format);
        Objects.requireNonNull(EventTime.of(format)).defineIndex(loom, source, format);
        loom.defineIndex(source, "duration", IndexFunction.field(format, "duration"), Bins.logLinear());
        return loom;
    }

    /** Traces of two spans, of which the first calls the second. */
    private void push(Loom loom, int spans) {
        for (int i = 0; i < spans; i++) {
            long endNs = BEGIN_NS + i * 1_000L;
            payload.putLong(0, endNs);
            struct.begin(payload, Long.BYTES);
            struct.setUtf8(0, String.format("%032x", 1 + i / 2));
            struct.setUtf8(1, String.format("%016x", 1 + i));
            if (i % 2 == 1) {
                struct.setUtf8(2, String.format("%016x", i));
            }
            struct.setUtf8(3, i % 2 == 0 ? "web" : "cart");
            struct.setUtf8(4, "n");
            struct.setLong(5, endNs - 500);
            struct.setLong(6, endNs);
            struct.setLong(7, 500);
            loom.push(source, payload, 0, Long.BYTES + struct.finish());
        }
    }

    private LoomServer serve(Loom loom) throws Exception {
        return LoomServer.start(
                loom,
                ServerSettings.builder().api(Endpoint.parse("127.0.0.1:0")).build());
    }

    /** A path, and how its answer says that something is missing: what is before that, and behind it. */
    private record Asked(String path, String before, String behind) {}

    private static List<Asked> questions(String trace) {
        long fromS = BEGIN_NS / 1_000_000_000L;
        String seconds = "start=" + fromS + "&end=" + (fromS + 10);
        String micros = "start=" + fromS + "000000&end=" + (fromS + 10) + "000000";
        String error = "\"errors\":[{\"code\":206,\"msg\":\"";
        List<Asked> asked = new ArrayList<>();
        asked.add(new Asked("/jaeger/api/services", error, "\"}]}\n"));
        asked.add(new Asked("/jaeger/api/services/web/operations", error, "\"}]}\n"));
        asked.add(new Asked("/jaeger/api/operations?service=web", error, "\"}]}\n"));
        asked.add(new Asked("/jaeger/api/dependencies?lookback=60000&endTs=" + (fromS + 10) + "000", error, "\"}]}\n"));
        asked.add(new Asked("/jaeger/api/traces/" + trace, error, "\"}]}\n"));
        asked.add(new Asked("/jaeger/api/traces/" + trace, "\"warnings\":[\"", "\"]},{\"traceID\""));
        asked.add(new Asked("/jaeger/api/traces?service=web&limit=3", error, "\"}]}\n"));
        asked.add(new Asked("/jaeger/api/traces?service=web&limit=100&" + micros, error, "\"}]}\n"));
        asked.add(new Asked("/jaeger/api/traces?service=web&limit=100&" + micros, "},\"warnings\":[\"", "\"]}]"));
        asked.add(new Asked("/tempo/api/search?tags=name%3Dn&limit=100", "\"warnings\":[\"", "\"]}\n"));
        asked.add(new Asked("/tempo/api/search?q=%7B%7D&limit=100&" + seconds, "\"warnings\":[\"", "\"]}\n"));
        asked.add(new Asked("/tempo/api/v2/traces/" + trace, "\"status\":\"PARTIAL\",\"message\":\"", "\"}"));
        asked.add(new Asked("/tempo/api/v2/search/tag/name/values?" + seconds, "\"warnings\":[\"", "\"]}\n"));
        asked.add(new Asked(
                "/loki/api/v1/query_range?query=%7Bsource%3D%22spans%22%7D&limit=5000&start=" + fromS + "&end="
                        + (fromS + 10),
                "\"warnings\":[\"incomplete answer: source=spans: ",
                "\"]}\n"));
        asked.add(new Asked(
                "/prometheus/api/v1/query?query=loom%3Aspans%3Aduration&time="
                        + Instant.now().getEpochSecond(),
                "\"warnings\":[\"incomplete: ",
                "\"]}"));
        return asked;
    }

    private static void check(LoomServer server, Asked asked, String what) throws Exception {
        HttpResponse<String> answer = new TestClient().get(server, asked.path);
        assertEquals(200, answer.statusCode(), asked.path + ": " + answer.body());
        assertTrue(answer.body().contains(asked.before + what + asked.behind), asked + ": " + answer.body());
    }

    @Test
    void shouldSayHowManyRecordsAreLost() throws Exception {
        try (Loom loom = open()) {
            push(loom, FEW);
            try (LoomServer server = serve(loom)) {
                TestClient client = new TestClient();
                for (Asked asked : questions("1")) {
                    String whole = client.get(server, asked.path).body();
                    assertFalse(whole.contains("lost"), whole);
                }
                HttpResponse<String> found = client.get(server, "/tempo/api/traces/1");
                assertTrue(found.headers().firstValue("Loom-Warning").isEmpty());
                long nowNs = Instant.now().toEpochMilli() * 1_000_000L;
                loom.noteLoss(source, LossReason.STORE_FULL, 3, nowNs, nowNs + 1);
                push(loom, 2);
                for (Asked asked : questions("1")) {
                    check(server, asked, "records lost in the range: 3");
                }
                found = client.get(server, "/tempo/api/traces/1");
                assertEquals(
                        "records lost in the range: 3",
                        found.headers().firstValue("Loom-Warning").orElse(""));
            }
        }
    }

    @Test
    void shouldSayThatAPartIsNoLongerRetained() throws Exception {
        try (Loom loom = open()) {
            push(loom, MANY);
            loom.force();
            awaitRetention(loom);
            try (LoomServer server = serve(loom)) {
                for (Asked asked : questions(Integer.toHexString(MANY / 2))) {
                    check(server, asked, "part of the range is no longer retained");
                }
            }
        }
    }

    /** Waits until the oldest records are deleted, of which there are more than the store may keep. */
    private static void awaitRetention(Loom loom) {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (begin(loom) == 0) {
            assertTrue(System.nanoTime() - end < 0, "nothing was deleted");
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static long begin(Loom loom) {
        try (Snapshot snapshot = loom.snapshot()) {
            return snapshot.beginAddress();
        }
    }
}
