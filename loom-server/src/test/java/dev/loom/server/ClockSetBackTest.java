package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.otlp.server.Endpoint;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store whose newest records have times after the machine's now, as when its clock was set back by an hour. Clients that ask up to now
 * don't get them, and are told why.
 */
final class ClockSetBackTest {
    private static final String TOLD = "the store's clock is ahead of the machine's: seconds=";

    @TempDir
    Path temp;

    private final HttpClient http = HttpClient.newHttpClient();
    private String api = "";

    private HttpResponse<String> get(String path, String query) throws Exception {
        URI uri = URI.create("http://" + api + path + "?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
        return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    @Test
    void shouldTellThatNewRecordsAreAfterNow() throws Exception {
        StructFormat format = Formats.struct("latency_ns:i64");
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[32]);
        long nowNs = TimeUnit.SECONDS.toNanos(Instant.now().getEpochSecond());
        AtomicLong clock = new AtomicLong(nowNs - TimeUnit.MINUTES.toNanos(5));
        try (Loom loom = Loom.open(LoomConfig.at(temp.resolve("store"))
                .recordRingBytes(8 << 20)
                .clock(clock::get)
                .build())) {
            int lines = loom.defineSource("lines", Formats.text());
            int requests = loom.defineSource("requests", format);
            loom.defineIndex(requests, "latency_ns", IndexFunction.field(format, "latency_ns"), Bins.logLinear());
            for (int i = 0; i < 2; i++) {
                payload.putByte(0, (byte) ('a' + i));
                loom.push(lines, payload, 0, 1);
                writer.begin(payload, 0);
                writer.setLong(0, 7);
                loom.push(requests, payload, 0, writer.finish());
                clock.addAndGet(TimeUnit.HOURS.toNanos(1));
            }
        }
        try (LoomServer server = LoomServer.attach(
                temp.resolve("store"),
                ServerSettings.builder().api(Endpoint.parse("127.0.0.1:0")).build())) {
            api = String.valueOf(server.addresses().get("http"));
            String found = get("/loki/api/v1/query_range", "{source=\"lines\"}").body();
            assertTrue(found.contains("\"a\"]") && !found.contains("\"b\"]"), found);
            assertTrue(found.contains("\"warnings\":[\"" + TOLD), found);
            String counted = get("/loki/api/v1/query", "count_over_time({source=\"lines\"}[1h])")
                    .body();
            assertTrue(counted.contains(TOLD), counted);
            String increase = get("/prometheus/api/v1/query", "histogram_count(increase(loom:requests:latency_ns[1h]))")
                    .body();
            assertTrue(increase.contains("\"1\"]") && increase.contains(TOLD), increase);
            HttpRequest scan = HttpRequest.newBuilder(URI.create("http://" + api + "/v1/scan"))
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString("{\"source\":\"lines\",\"since\":\"10m\"}"))
                    .build();
            String own = http.send(scan, BodyHandlers.ofString()).body();
            assertTrue(own.contains("\"b\"") && !own.contains("\"a\""), own); // by the store's clock
        }
    }

    @Test
    void shouldTellNothingAsLongAsClocksAgree() throws Exception {
        TestServers.store(temp, "lines", "a", 3);
        try (LoomServer server = LoomServer.attach(
                temp.resolve("store"),
                ServerSettings.builder().api(Endpoint.parse("127.0.0.1:0")).build())) {
            api = String.valueOf(server.addresses().get("http"));
            HttpResponse<String> found = get("/loki/api/v1/query_range", "{source=\"lines\"}");
            assertEquals(200, found.statusCode());
            assertFalse(found.body().contains("warnings"), found.body());
        }
    }
}
