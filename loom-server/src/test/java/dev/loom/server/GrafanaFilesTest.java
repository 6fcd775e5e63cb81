package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.otlp.server.Endpoint;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files for Grafana, against a server: each data source's path is there, and each query of the dashboard has an answer. */
final class GrafanaFilesTest {
    private static final Path FOLDER = Path.of("../docs/examples/grafana");
    private static final String END = "2000000";

    @TempDir
    Path temp;

    @Test
    void shouldBeAnswered() throws Exception {
        StructFormat format = Formats.struct("latency_ns:i64");
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[32]);
        try (Loom loom = Loom.open(LoomConfig.at(temp.resolve("store"))
                .recordRingBytes(8 << 20)
                .clock(() -> 1_999_990_000_000_000L)
                .build())) {
            int id = loom.defineSource("requests", format);
            loom.defineIndex(id, "latency_ns", IndexFunction.field(format, "latency_ns"), Bins.logLinear());
            for (int i = 1; i <= 1_000; i++) {
                writer.begin(payload, 0);
                writer.setLong(0, i * 1_000L);
                loom.push(id, payload, 0, writer.finish());
            }
        }
        try (LoomServer server = LoomServer.attach(
                temp.resolve("store"),
                ServerSettings.builder().api(Endpoint.parse("127.0.0.1:0")).build())) {
            askDashboard(server);
            askDataSources(server);
        }
    }

    /** The query of a span's link, with what Grafana puts in the place of its variables. */
    @Test
    void shouldFindTheLogsOfASpan() throws Exception {
        String trace = "0123456789abcdef0123456789abcdef";
        Matcher link = Pattern.compile("value: (\\w+)\\}\\]\\s+customQuery: true\\s+query: '(.+)'")
                .matcher(Files.readString(FOLDER.resolve("datasources.yaml")));
        assertTrue(link.find());
        String query =
                link.group(2).replace("$${__tags}", link.group(1) + "=\"cart\"").replace("$${__span.traceId}", trace);
        ServerSettings settings = TestServers.settings(temp, "", TestServers.API, TestServers.OTLP_HTTP)
                .build();
        try (LoomServer server = LoomServer.open(settings)) {
            String logs = "{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":"
                    + "{\"stringValue\":\"cart\"}}]},\"scopeLogs\":[{\"logRecords\":[" + log(trace, "paid") + ","
                    + log("f".repeat(32), "other") + "]}]}]}";
            HttpResponse<String> sent = new TestClient().postOtlp(server, "/v1/logs", logs);
            assertEquals(200, sent.statusCode(), sent.body());
            String body = get(
                    server,
                    "/loki/api/v1/query_range?start=1699999999&end=1700000001&query="
                            + URLEncoder.encode(query, StandardCharsets.UTF_8));
            assertTrue(body.contains("\"paid\"") && !body.contains("\"other\""), query + ": " + body);
        }
    }

    private static String log(String trace, String body) {
        return "{\"timeUnixNano\":\"1700000000000000000\",\"traceId\":\"" + trace + "\",\"body\":{\"stringValue\":\""
                + body + "\"}}";
    }

    private static void askDashboard(LoomServer server) throws Exception {
        int queries = 0;
        for (String line : Files.readAllLines(FOLDER.resolve("dashboard.json"))) {
            Matcher expression =
                    Pattern.compile("\"expr\": \"((?:[^\"\\\\]|\\\\.)*)\"").matcher(line);
            if (expression.find()) {
                queries++;
                String query = expression
                        .group(1)
                        .replace("\\\"", "\"")
                        .replace("$field", "loom:requests:latency_ns")
                        .replace("$logs", "requests")
                        .replace("$__interval", "30s")
                        .replace("$__auto", "30s");
                boolean isLoki = line.contains("queryType");
                String path = isLoki ? "/loki/api/v1/query_range" : "/prometheus/api/v1/query_range";
                String body = get(
                        server,
                        path + "?start=1999900&end=" + END + "&step=30&query="
                                + URLEncoder.encode(query, StandardCharsets.UTF_8));
                assertTrue(body.contains("\"status\":\"success\""), query + ": " + body);
                assertTrue(!body.contains("\"result\":[]"), query + ": " + body);
            }
        }
        assertEquals(6, queries);
        String names = get(
                server,
                "/prometheus/api/v1/label/__name__/values?start=0&end=" + END + "&match[]="
                        + URLEncoder.encode("{__name__=~\"loom:.+\"}", StandardCharsets.UTF_8));
        assertTrue(names.contains("\"loom:requests:latency_ns\""), names);
        assertTrue(get(server, "/loki/api/v1/label/source/values?start=0&end=" + END)
                .contains("\"requests\""));
    }

    private static void askDataSources(LoomServer server) throws Exception {
        String yaml = Files.readString(FOLDER.resolve("datasources.yaml"));
        Matcher url = Pattern.compile("type: (\\w+)\\s+access: proxy\\s+url: http://localhost:4319(\\S*)")
                .matcher(yaml);
        List<String> types = new ArrayList<>();
        while (url.find()) {
            types.add(url.group(1));
            String health = switch (url.group(1)) {
                case "prometheus" -> "/api/v1/status/buildinfo";
                case "loki" -> "/loki/api/v1/labels?start=0&end=" + END;
                case "jaeger" -> "/api/services";
                default -> "/api/echo";
            };
            get(server, url.group(2) + health);
        }
        assertEquals(List.of("prometheus", "loki", "jaeger", "tempo"), types);
    }

    private static String get(LoomServer server, String path) throws Exception {
        HttpResponse<String> answer = new TestClient().get(server, path);
        assertEquals(200, answer.statusCode(), path + ": " + answer.body());
        return answer.body();
    }
}
