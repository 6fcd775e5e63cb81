package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.server.text.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The Model Context Protocol as clients speak it, and its tools against the query API. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class McpApiTest {
    private static final List<String> TOOLS = List.of(
            "sources",
            "fields",
            "scan",
            "search",
            "agg",
            "values",
            "hist",
            "top",
            "correlate",
            "diff",
            "traces",
            "trace",
            "metrics",
            "series");

    /** Members that a tool does not offer: they are for people, for the page, or for tests. */
    private static final List<String> NOT_OFFERED = List.of(
            "addr",
            "disable-index",
            "explain",
            "from-address",
            "json",
            "lines",
            "max-bytes-read",
            "strict",
            "to-address",
            "tz");

    private final TestClient http = new TestClient();
    private LoomServer server;

    @BeforeAll
    void start(@TempDir Path temp) throws Exception {
        TestServers.store(temp, "lines", "error: timeout of order 7", 300);
        server = LoomServer.open(TestServers.settings(temp, "", TestServers.API, TestServers.OTLP_HTTP)
                .build());
        new SentSpans(server).send(new Random(7), 20);
    }

    @AfterAll
    void close() throws Exception {
        server.close();
    }

    private HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        return http.send(TestClient.request(server, path, TestClient.JSON, bytes, headers));
    }

    private static Map<String, @Nullable Object> json(HttpResponse<String> answer) {
        return JsonObject.parseLong(answer.body().getBytes(StandardCharsets.UTF_8));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, @Nullable Object> object(Map<String, @Nullable Object> of, String name) {
        return (Map<String, @Nullable Object>) Objects.requireNonNull(of.get(name), name);
    }

    private Map<String, @Nullable Object> result(String method, String params) throws Exception {
        HttpResponse<String> answer = post(
                "/mcp",
                "{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"1\",\"method\":\"" + method + "\",\"params\":" + params + "}",
                "Accept",
                "application/json, text/event-stream");
        assertEquals(200, answer.statusCode(), answer.body());
        assertEquals(
                "application/json", answer.headers().firstValue("content-type").orElse(""));
        assertTrue(answer.body().startsWith("{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"1\",\"result\":"), answer.body());
        return object(json(answer), "result");
    }

    private Map<String, @Nullable Object> call(String tool, String arguments) throws Exception {
        return result("tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}");
    }

    @Test
    void shouldNegotiateAVersion() throws Exception {
        for (String[] each : new String[][] {
            {"2025-06-18", "2025-06-18"},
            {"2025-11-25", "2025-11-25"},
            {"2024-11-05", "2025-11-25"},
            {"2026-07-28", "2025-11-25"},
            {"x", "2025-11-25"}
        }) {
            Map<String, @Nullable Object> result = result(
                    "initialize",
                    "{\"protocolVersion\":\"" + each[0] + "\",\"capabilities\":{\"a\":{\"b\":{\"c\":{\"d\":{}}}}},"
                            + "\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}");
            assertEquals(each[1], result.get("protocolVersion"));
            assertEquals(Map.of("tools", Map.of()), result.get("capabilities"));
            assertEquals("loom", object(result, "serverInfo").get("name"));
            assertTrue(String.valueOf(result.get("instructions")).contains("Begin with `sources`"));
        }
        for (String header : List.of("2025-03-26", "2026-07-28", "x")) {
            HttpResponse<String> answer = post(
                    "/mcp",
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}",
                    "MCP-Protocol-Version",
                    header);
            assertEquals("2025-06-18", object(json(answer), "result").get("protocolVersion"), answer.body());
        }
        assertEquals(Map.of(), result("ping", "{}"));
        String initialized = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
        HttpResponse<String> answer = post("/mcp", initialized, "MCP-Protocol-Version", "2025-06-18");
        assertEquals(202, answer.statusCode());
        assertEquals("", answer.body());
        assertEquals(
                202,
                post("/mcp", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}").statusCode());
    }

    private HttpResponse<String> modern(String method, String version, String more, String... headers)
            throws Exception {
        return post(
                "/mcp",
                "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"" + method + "\",\"params\":{" + more
                        + "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"" + version
                        + "\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
                headers);
    }

    @Test
    void shouldAnswerRequestsThatSayAllByThemselves() throws Exception {
        String version = "2026-07-28";
        HttpResponse<String> answer = modern(
                "server/discover", version, "", "MCP-Protocol-Version", version, "Mcp-Method", "server/discover");
        assertEquals(200, answer.statusCode(), answer.body());
        Map<String, @Nullable Object> result = object(json(answer), "result");
        assertEquals(List.of(version, "2025-11-25", "2025-06-18"), result.get("supportedVersions"));
        assertEquals("complete", result.get("resultType"));
        answer = modern(
                "tools/call",
                version,
                "\"name\":\"sources\",",
                "MCP-Protocol-Version",
                version,
                "Mcp-Method",
                "tools/call",
                "Mcp-Name",
                "sources");
        assertEquals("complete", object(json(answer), "result").get("resultType"), answer.body());
        for (String[] headers : new String[][] {
            {"MCP-Protocol-Version", version},
            {"MCP-Protocol-Version", version, "Mcp-Method", "ping"},
            {"MCP-Protocol-Version", version, "Mcp-Method", "tools/call"},
            {"MCP-Protocol-Version", version, "Mcp-Method", "tools/call", "Mcp-Name", "scan"}
        }) {
            answer = modern("tools/call", version, "\"name\":\"sources\",", headers);
            assertEquals(400, answer.statusCode(), answer.body());
            assertTrue(answer.body().contains("\"code\":-32020"), answer.body());
        }
        answer = modern("tools/list", "2025-11-25", "", "MCP-Protocol-Version", version, "Mcp-Method", "tools/list");
        assertTrue(answer.statusCode() == 400 && answer.body().contains("-32020"), answer.body());
        answer = post(
                "/mcp",
                "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}",
                "MCP-Protocol-Version",
                version,
                "Mcp-Method",
                "ping");
        assertTrue(answer.statusCode() == 400 && answer.body().contains("-32602"), answer.body());
        answer = modern("nothing", version, "", "MCP-Protocol-Version", version, "Mcp-Method", "nothing");
        assertTrue(answer.statusCode() == 404 && answer.body().contains("-32601"), answer.body());
        answer = modern("ping", "2031-01-01", "", "MCP-Protocol-Version", "2031-01-01", "Mcp-Method", "ping");
        assertEquals(400, answer.statusCode());
        assertTrue(
                answer.body().contains("\"code\":-32022")
                        && answer.body().contains("\"supported\":[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\"]"),
                answer.body());
    }

    private List<Object> sources(String arguments) throws Exception {
        Map<String, @Nullable Object> answer = object(call("sources", arguments), "structuredContent");
        return SentSpans.list(answer, "rows").stream()
                .map(row -> (Object) String.valueOf(row.get("name")))
                .toList();
    }

    @Test
    void shouldListTheSourcesWhoseNamesBeginSo() throws Exception {
        assertTrue(sources("{}").containsAll(List.of("lines", "otlp.spans")));
        assertEquals(List.of("lines"), sources("{\"name\":\"lin\"}"));
        assertEquals(List.of("otlp.spans"), sources("{\"name\":\"otlp.spans\"}"));
        assertEquals(List.of(), sources("{\"name\":\"none\"}"));
    }

    @Test
    void shouldListToolsWhoseParametersTheQueryApiKnows() throws Exception {
        List<String> names = new ArrayList<>();
        for (Map<String, @Nullable Object> tool : SentSpans.list(result("tools/list", "{}"), "tools")) {
            String name = String.valueOf(tool.get("name"));
            names.add(name);
            assertEquals(true, object(tool, "annotations").get("readOnlyHint"));
            Map<String, @Nullable Object> input = object(tool, "inputSchema");
            assertEquals(false, input.get("additionalProperties"));
            TreeSet<String> offered = new TreeSet<>(object(input, "properties").keySet());
            StringBuilder body = new StringBuilder("{\"nonsense\":1");
            for (Object required : (List<?>) Objects.requireNonNull(input.get("required"))) {
                body.append(",\"").append(required).append("\":\"1\"");
            }
            HttpResponse<String> refused = post("/v1/" + name, body + "}");
            Matcher known = Pattern.compile("unknown member: nonsense; known: \\[(.*)]\"")
                    .matcher(refused.body());
            assertTrue(known.find(), name + ": " + refused.body());
            TreeSet<String> members = new TreeSet<>(List.of(known.group(1).split(", ")));
            members.remove("");
            assertTrue(members.containsAll(offered), name + ": " + offered + " of " + members);
            members.removeAll(offered);
            NOT_OFFERED.forEach(members::remove);
            members.removeAll(name.equals("trace") ? List.of("rows") : List.of("n", "limit"));
            members.removeAll(List.of("groups-max", "distinct-max", "series-max", "rest", "within", "lookback"));
            members.remove("min-support");
            assertEquals(new TreeSet<>(), members, name + " does not offer these");
        }
        assertEquals(TOOLS, names);
    }

    /** The rows of the query API's answer, and its outcome without what it took. */
    private static String plain(String rows) {
        return rows.replaceAll("\"(wall|cpu)_ns\":\\d+", "");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\0',
            value = {
                "sources; {}; {}",
                "sources; {\"name\":\"otlp.\"}; {\"name\":\"otlp.\"}",
                "fields; {\"source\":\"otlp.spans\"}; {\"source\":\"otlp.spans\"}",
                "scan; {\"source\":\"lines\"}; {\"source\":\"lines\",\"limit\":20}",
                "scan; {\"source\":\"lines\",\"limit\":2}; {\"source\":\"lines\",\"limit\":2}",
                "search; {\"source\":\"lines\",\"query\":\"timeout\",\"limit\":1};"
                        + " {\"source\":\"lines\",\"query\":\"timeout\",\"limit\":1}",
                "search; {\"source\":\"lines\",\"query\":\"timeout\",\"count\":true,\"step\":\"1h\"};"
                        + " {\"source\":\"lines\",\"query\":\"timeout\",\"count\":true,\"step\":\"1h\"}",
                "agg; {\"source\":\"otlp.spans\",\"field\":\"duration\",\"percentile\":[\"50\",\"p99\"]};"
                        + " {\"source\":\"otlp.spans\",\"field\":\"duration\",\"percentile\":[50,99]}",
                "agg; {\"source\":\"otlp.spans\",\"by\":[\"service.name\",\"name\"],\"where\":[\"status == 'error'\"]};"
                        + " {\"source\":\"otlp.spans\",\"by\":\"service.name,name\",\"where\":\"status == 'error'\",\"limit\":20}",
                "values; {\"source\":\"otlp.spans\",\"field\":\"name\"}; {\"source\":\"otlp.spans\",\"field\":\"name\"}",
                "hist; {\"source\":\"otlp.spans\",\"field\":\"duration\"}; {\"source\":\"otlp.spans\",\"field\":\"duration\"}",
                "top; {\"source\":\"otlp.spans\",\"field\":\"duration\",\"n\":3};"
                        + " {\"source\":\"otlp.spans\",\"field\":\"duration\",\"n\":3}",
                "correlate; {\"source\":\"otlp.spans\",\"field\":\"duration\",\"above\":\"p90\",\"with\":\"otlp.spans\",\"within\":\"1ms\"};"
                        + " {\"source\":\"otlp.spans\",\"field\":\"duration\",\"above\":\"p90\",\"with\":\"otlp.spans\",\"within\":\"1ms\",\"limit\":20}",
                "diff; {\"source\":\"otlp.spans\",\"field\":\"duration\",\"above\":\"p70\"};"
                        + " {\"source\":\"otlp.spans\",\"field\":\"duration\",\"above\":\"p70\"}",
                "traces; {\"service\":\"web\",\"limit\":3}; {\"service\":\"web\",\"limit\":3}",
                "trace; {\"trace_id\":\"00000000000000000000000000000003\"};"
                        + " {\"trace_id\":\"00000000000000000000000000000003\",\"rows\":true}",
                "metrics; {\"source\":\"otlp.metrics\"}; {\"source\":\"otlp.metrics\"}",
                "series; {\"source\":\"otlp.metrics\",\"name\":\"m\"}; {\"source\":\"otlp.metrics\",\"name\":\"m\"}",
            })
    void shouldAnswerAsTheQueryApiDoes(String tool, String arguments, String request) throws Exception {
        new SentSpans(server).postMetric();
        Map<String, @Nullable Object> result = call(tool, arguments);
        assertEquals(false, result.get("isError"), result.toString());
        List<String> lines = post("/v1/" + tool, request).body().lines().toList();
        String expected = "{\"rows\":[" + String.join(",", lines.subList(0, lines.size() - 1)) + "],"
                + lines.get(lines.size() - 1).substring(1);
        String text = String.valueOf(SentSpans.list(result, "content").get(0).get("text"));
        assertEquals(plain(expected), plain(text));
        assertEquals(JsonObject.parseLong(text.getBytes(StandardCharsets.UTF_8)), result.get("structuredContent"));
        assertTrue(lines.size() > 1 || tool.equals("diff"), "rows of " + tool); // random spans differ by chance alone
    }

    @Test
    void shouldCapAnswersAndSaySo() throws Exception {
        Map<String, @Nullable Object> result = call("scan", "{\"source\":\"lines\",\"limit\":100000}");
        Map<String, @Nullable Object> content = object(result, "structuredContent");
        int rows = SentSpans.list(content, "rows").size();
        assertTrue(rows > 100 && rows < 300, "rows=" + rows);
        assertTrue(
                String.valueOf(content.get("truncated")).startsWith("rows are left out beyond 32768 bytes: at least "),
                content.toString());
        assertTrue(String.valueOf(SentSpans.list(result, "content").get(0).get("text"))
                        .length()
                < 40_000);
        assertFalse(object(call("scan", "{\"source\":\"lines\"}"), "structuredContent")
                .containsKey("truncated"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '\0',
            value = {
                "scan; {}; Missing required parameter: source",
                "scan; {\"source\":\"nothing\"}; not_found: no such source: nothing",
                "scan; {\"source\":\"lines\",\"where\":[\"line ==\"]}; position=7",
                "scan; {\"source\":\"lines\",\"where\":{\"a\":1}}; member is not a string or number: where",
                "scan; {\"source\":\"lines\",\"limit\":\"many\"}; member is not a 64-bit integer: limit: many",
                "scan; {\"source\":\"lines\",\"limit\":99999999999999999999}; member is not a 64-bit integer",
                "scan; {\"source\":\"lines\",\"explain\":true}; unknown argument: explain; known: [source, limit",
                "scan; {\"source\":\"lines\",\"from\":\"never\"}; not a time",
                "agg; {\"source\":\"lines\",\"field\":\"line\"}; line",
                "trace; {\"trace_id\":\"1\"}; not a trace id: 1",
                "fields; {\"source\":\"nothing\"}; no such source: nothing",
            })
    void shouldTellTheAssistantWhatIsWrong(String tool, String arguments, String message) throws Exception {
        Map<String, @Nullable Object> result = call(tool, arguments);
        assertEquals(true, result.get("isError"), result.toString());
        assertTrue(result.toString().contains(message), result.toString());
        assertFalse(result.containsKey("structuredContent"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "''|400|-32600",
                "{|400|-32700",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]|400|-32600",
                "7|400|-32600",
                "{}|400|-32600",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}|400|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}|400|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}|400|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}|400|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":{}}|400|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}|400|-32700",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}|400|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x|400|-32700",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}{}|400|-32600",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}|200|-32601",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}|200|-32601",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}|400|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}|400|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":5.5e3}}|200|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"tail\"}}|200|-32602",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"scan\",\"arguments\":[]}}|400|-32602",
            })
    void shouldRefuseMessages(String body, int status, int code) throws Exception {
        HttpResponse<String> answer = post("/mcp", body.equals("''") ? "" : body);
        assertEquals(status, answer.statusCode(), answer.body());
        assertTrue(answer.body().contains("\"error\":{\"code\":" + code + ','), answer.body());
    }

    @Test
    void shouldRefuseRequests() throws Exception {
        for (String method : List.of("GET", "DELETE", "PUT")) {
            HttpRequest.Builder request = TestClient.request(server, "/mcp").method(method, BodyPublishers.noBody());
            assertEquals(405, http.send(request).statusCode(), method);
        }
        String ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
        assertEquals(406, post("/mcp", ping, "Accept", "text/html").statusCode());
        assertEquals(
                415,
                http.post(server, TestClient.API, "/mcp", "text/plain", ping).statusCode());
        HttpResponse<String> deep = post(
                "/mcp",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":" + "{\"a\":".repeat(40) + "1"
                        + "}".repeat(41));
        assertTrue(deep.statusCode() == 400 && deep.body().contains("-32700"), deep.body());
        HttpResponse<String> large = post("/mcp", " ".repeat(70_000));
        assertTrue(large.statusCode() == 413 && large.body().contains("\"id\":null,\"error\""), large.body());
        assertTrue(post("/mcp", ping.replace("ping", "x".repeat(60_000))).body().length() < 5_000);
        assertEquals(
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
                post("/mcp", ping).body());
    }
}
