package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import dev.loom.server.ApiRoutes.Asked;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each parameter of each route of the API port with values that somebody made up to do harm. Whatever comes, there is an answer that is well
 * formed, it is not that the server failed, and what is refused is refused in few words.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class HostileParametersTest {
    /** A number that was asked for comes back as long as it was. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private static final int FAILURE_LENGTH_MAX = 20_000;

    /** As long as it may be in an address. */
    private static final int DEPTH = 1_500;

    private static final List<String> LOKI = List.of(
            "query",
            "start",
            "end",
            "time",
            "since",
            "step",
            "limit",
            "direction",
            "interval",
            "match[]",
            "line_limit",
            "field_limit",
            "aggregateBy",
            "targetLabels",
            "delay_for",
            "regexp");
    private static final List<String> PROMETHEUS =
            List.of("query", "time", "start", "end", "step", "timeout", "limit", "match[]", "metric");

    private static final List<String> VALUES = values();
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());

    /** How many of the values each parameter gets; there are less than 300. */
    private static final int COUNT = Integer.getInteger("loom.hostile.values", 6);

    private final Random random = new Random(SEED);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private LoomServer server;
    private long sent;

    private static List<String> values() {
        List<String> values = new ArrayList<>(List.of(
                "",
                " ",
                "\u0000",
                "\r\nSet-Cookie: x=1",
                "\ud83d\ude00",
                "\ufeff",
                "\u202etxt.exe",
                "\u001b[2J",
                "<script>alert(1)</script>",
                "../../../etc/passwd",
                "'; drop table x; --",
                "${jndi:ldap://x}",
                "%s%n"));
        // numbers and sizes
        values.addAll(List.of(
                "0",
                "-0",
                "-1",
                "1",
                "NaN",
                "-Inf",
                "Infinity",
                "1e400",
                "-1e400",
                "1e-400",
                "0x10",
                "1_000",
                "1e999999999",
                "1e2147483647",
                "1e-2147483648",
                "0.1e-2147483640",
                "1e99999999999",
                "9223372036854775807",
                "9223372036854775808",
                "-9223372036854775808",
                "18446744073709551616",
                "2147483648",
                "-2147483649",
                "4294967296",
                "1.".concat("0".repeat(1_000)),
                "9".repeat(DEPTH),
                "9223372036854775807EiB"));
        // times and durations
        values.addAll(List.of(
                "9999-12-31T23:59:59.999999999Z",
                "-999999999-01-01T00:00:00Z",
                "+999999999-12-31T23:59:59.999999999Z",
                "1677-09-21T00:12:43Z",
                "2262-04-11T23:47:17Z",
                "0000-00-00T00:00:00Z",
                "now-1e9y",
                "now+292y",
                "9223372036854775807s",
                "1e300y",
                "-5m",
                "9223372036854775807ns9223372036854775807ns",
                "106751991167d",
                "0ns",
                "1ns",
                "9223372036854775.807",
                "-9223372036.854775808"));
        // what is deep
        for (String open :
                List.of("(", "{", "[", "!", "-", "a(", "{a=\"", "not ", "a and ", "sum(", "((a))||", "\"", "`", "\\")) {
            values.add(open.repeat(DEPTH / open.length()));
        }
        values.add("(".repeat(400) + "1" + ")".repeat(400));
        values.add("1" + "+1".repeat(DEPTH / 2));
        values.add("2" + "^2".repeat(DEPTH / 2));
        // what takes long to match, or to build
        for (String regex : List.of(
                "(a+)+$",
                "(a|a)*b",
                "((((.*)*)*)*)*x",
                "(.{1000}){1000}",
                "((a{1000}){1000}){1000}",
                "(?i)" + "a?".repeat(300),
                "[".repeat(300),
                "(",
                "\\p{L}".repeat(200),
                "\\C",
                "(?P<x>a)(?P<x>b)")) {
            values.add(regex);
            String quoted = regex.replace("\\", "\\\\");
            values.add("{source=~\"" + quoted + "\"}");
            values.add("{__name__=~\"" + quoted + "\"}");
            values.add("{source=\"lines\"} |~ \"" + quoted + "\"");
            values.add("{ name =~ \"" + quoted + "\" }");
            values.add("line =~ '" + quoted + "'");
        }
        values.add("{" + "a=\"b\",".repeat(200) + "a=\"b\"}");
        values.add("{source=\"lines\"}" + " |= \"x\"".repeat(200));
        values.add("quantile_over_time(1e300, {source=\"lines\"} | unwrap x [9223372036854775807ns])");
        values.add("count_over_time({source=\"lines\"} [1ns] offset 292y)");
        values.add("rate(m[292y] offset -292y)");
        values.add("topk(9223372036854775807, m)");
        values.add("label_replace(m, \"a\", \"$1$2${x}$99999999999\", \"job\", \"(.*)\")");
        values.add("{ duration > 99999999999999999999h }");
        values.add("{ .x > " + "9".repeat(1_000) + " }");
        values.addAll(List.of(
                "linear:0,1e300,2147483647",
                "linear:-1e308,1e308,1000000000",
                "linear:0,600,0",
                "linear:600,0,60",
                "linear:0,1,1000000",
                "log:0,1,10",
                "log:1e-308,1e308,2147483647",
                "loglinear:63",
                "0,1,2,1",
                "struct:" + "a:i64,".repeat(250) + "a:i64",
                "timed:".repeat(200),
                "struct:a:i64[]",
                "struct::i64",
                "struct:a:utf8[99999999999]"));
        values.add("{\"a\":".repeat(300));
        values.add("a=b ".repeat(300));
        return List.copyOf(values);
    }

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        TestServers.store(folder, "lines", "error: timeout of order 7", 300);
        server = LoomServer.open(TestServers.settings(folder, "", TestServers.API, TestServers.OTLP_HTTP)
                .build());
        ApiRoutes.fill(server);
    }

    @AfterAll
    void requireLittleLeft() throws Exception {
        System.out.println("HostileParametersTest: -Dloom.test.seed=" + SEED + " requests=" + sent);
        assertTrue(sent > 5_000, "sent=" + sent);
        System.out.println("row=R32 faults=" + sent + " checked=" + sent + " seed=" + SEED);
        String metrics = "";
        while (!metrics.contains("loom_queries_running{kind=\"query\"} 0")
                || !metrics.contains("loom_queries_queued{kind=\"query\"} 0")) {
            metrics = send(request("/metrics").build()).body(); // a thread is done a moment after its answer
        }
        assertEquals("ok\n", send(request("/healthz").build()).body());
        server.close();
    }

    private static Stream<Asked> gets() {
        return ApiRoutes.all().stream().filter(asked -> !asked.hasBody());
    }

    private static Stream<Asked> posts() {
        Asked schema = ApiRoutes.all().stream()
                .filter(asked -> asked.name().equals("schema"))
                .findFirst()
                .orElseThrow();
        return Stream.concat(
                ApiRoutes.all().stream().filter(Asked::hasBody),
                Stream.of(
                        schema.withBody(
                                "{\"op\":\"define-source\",\"name\":\"x\",\"format\":\"timed:struct:code:i64\"}"),
                        schema.withBody("{\"op\":\"define-index\",\"source\":\"otlp.spans\",\"field\":\"duration\","
                                + "\"bins\":\"linear:0,600,60\"}")));
    }

    private HttpRequest.Builder request(String target) {
        return HttpRequest.newBuilder(URI.create("http://" + server.addresses().get("http") + target))
                .timeout(Duration.ofMinutes(2)); // it hangs
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        sent++;
        return http.send(request, BodyHandlers.ofString());
    }

    private void get(Asked asked) throws Exception {
        require(send(request(asked.target()).build()), asked.target());
    }

    private void postForm(Asked asked) throws Exception {
        require(
                send(request(asked.path().replace("*", "x"))
                        .header("Content-Type", ApiRoutes.FORM)
                        .POST(BodyPublishers.ofString(asked.form()))
                        .build()),
                asked.form());
    }

    private int post(Asked asked, byte[] body) throws Exception {
        HttpResponse<String> answer = send(request(asked.path())
                .header("Content-Type", ApiRoutes.JSON)
                .POST(BodyPublishers.ofByteArray(body))
                .build());
        require(answer, asked + ": " + new String(body, StandardCharsets.UTF_8));
        return answer.statusCode();
    }

    /** Requires an answer as it should be, whatever was asked. */
    private static void require(HttpResponse<String> answer, String asked) throws IOException {
        int status = answer.statusCode();
        String told = asked.substring(0, Math.min(300, asked.length())) + "\n -> " + status + ": "
                + answer.body().substring(0, Math.min(500, answer.body().length()));
        assertTrue(List.of(200, 400, 404, 410, 413, 414, 422, 429, 431, 504).contains(status), told);
        assertFalse(answer.headers().firstValue("Set-Cookie").isPresent(), told);
        String type = answer.headers().firstValue("Content-Type").orElse("");
        if (status != 200) {
            assertTrue(answer.body().length() < FAILURE_LENGTH_MAX, told);
            assertFalse(
                    Pattern.compile("internal error|Exception|\\bat dev\\.loom|java\\.")
                            .matcher(answer.body())
                            .find(),
                    told);
        }
        if (type.contains("json")) {
            requireJson(answer.body(), told);
        } else {
            assertTrue(type.startsWith("text/"), told + type); // never a page
            assertTrue(!type.contains("html") || answer.body().startsWith("<!doctype html>"), told);
        }
    }

    private static void requireJson(String text, String told) throws IOException {
        try (JsonParser parser = JSON.createParser(text)) {
            while (parser.nextToken() != null) {
                parser.skipChildren();
            }
        } catch (IOException e) {
            throw new IOException(told, e);
        }
    }

    /** The parameters that a route knows, as it names them when it gets another. */
    private Set<String> known(Asked asked) throws Exception {
        Set<String> known = new TreeSet<>(asked.parameters().keySet());
        if (asked.path().startsWith("/loki/")) {
            known.addAll(LOKI);
        } else if (asked.path().startsWith("/prometheus")) {
            known.addAll(PROMETHEUS);
        } else {
            String refused =
                    send(request(asked.with("zzz", "1").target()).build()).body();
            Matcher names = Pattern.compile("known: \\[([^\\]]*)]").matcher(refused);
            if (names.find() && !names.group(1).isEmpty()) {
                known.addAll(List.of(names.group(1).split(", ")));
            }
        }
        return known;
    }

    @ParameterizedTest
    @MethodSource("gets")
    void shouldAnswerOrRefuseAnyParameter(Asked asked) throws Exception {
        Set<String> known = known(asked);
        assertTrue(!asked.path().startsWith("/jaeger/") || asked.path().contains("services") || !known.isEmpty());
        for (String name : known) {
            for (String value : some(VALUES)) {
                get(asked.with(name, value));
            }
        }
        for (String value : some(VALUES)) {
            get(asked.path().contains("*") ? asked.withNamed(value) : asked.with(value, value));
        }
    }

    /** Some of these values, others each time. */
    private List<String> some(List<String> values) {
        List<String> shuffled = new ArrayList<>(values);
        Collections.shuffle(shuffled, random);
        return shuffled.subList(0, Math.min(COUNT, shuffled.size()));
    }

    /** A request of 64 KiB may say the same a thousand times. */
    @ParameterizedTest
    @MethodSource("gets")
    void shouldAnswerOrRefuseWhatIsLong(Asked asked) throws Exception {
        if (!asked.takesForms()) {
            return;
        }
        Asked form = new Asked(asked.name(), "POST", asked.path(), asked.named(), asked.parameters(), "");
        postForm(form);
        for (String name : List.of("query", "match[]")) {
            for (String part :
                    List.of("(", "{a=\"b\"} or ", "1+", "!", "sum(", "x", "{source=~\"", "((((a|b)*)*)*)*")) {
                postForm(form.with(name, part.repeat(20_000 / part.length())));
            }
            postForm(form.with(name, "{" + "source=\"lines\",".repeat(1_200) + "source=\"lines\"}"));
            postForm(form.with(name, "{source=\"lines\"}" + " |~ \"a+b\"".repeat(1_000)));
            postForm(form.with(name, "{source=~\"" + "lines|".repeat(3_000) + "x\"}"));
            postForm(form.with(name, "sum by (" + "a,".repeat(8_000) + "b) (m)"));
            postForm(form.with(name, "m" + " or m".repeat(4_000)));
        }
        String many = "match%5B%5D=m&".repeat(4_000);
        require(
                send(request(asked.path().replace("*", "x"))
                        .header("Content-Type", ApiRoutes.FORM)
                        .POST(BodyPublishers.ofString(many))
                        .build()),
                many);
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < 8_000; i++) {
            names.append(i).append("=&");
        }
        require(
                send(request(asked.path().replace("*", "x"))
                        .header("Content-Type", ApiRoutes.FORM)
                        .POST(BodyPublishers.ofString(names.toString()))
                        .build()),
                "names");
    }

    private static String json(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", c));
            } else {
                quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }

    /** The members that a request takes. */
    private Set<String> members(Asked asked) throws Exception {
        if (asked.name().equals("schema")) {
            return Set.of("op", "name", "format", "source", "field", "bins", "by", "attributes", "backfill");
        } else if (asked.name().equals("mcp")) {
            return Set.of("jsonrpc", "id", "method", "params");
        }
        String body = asked.body().equals("{}")
                ? "{\"zzz\":1}"
                : "{\"zzz\":1," + asked.body().substring(1);
        String refused = send(request(asked.path())
                        .header("Content-Type", ApiRoutes.JSON)
                        .POST(BodyPublishers.ofString(body))
                        .build())
                .body();
        Matcher names = Pattern.compile("known: \\[([^\\]]*)]").matcher(refused);
        return names.find() && !names.group(1).isEmpty() ? Set.of(names.group(1).split(", ")) : Set.of();
    }

    /** The object with another value of a member. */
    private static byte[] replaced(String object, String member, String value) {
        String others = object.substring(1, object.length() - 1)
                .replaceAll(",?\"" + Pattern.quote(member) + "\":(\"[^\"]*\"|\\d+|\\{.*})", "");
        String kept = others.startsWith(",") ? others.substring(1) : others;
        return ("{" + json(member) + ":" + value + (kept.isBlank() ? "" : "," + kept) + "}")
                .getBytes(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("posts")
    void shouldAnswerOrRefuseAnyMember(Asked asked) throws Exception {
        Set<String> members = members(asked);
        assertTrue(!members.isEmpty() || Set.of("sources", "info").contains(asked.name()), asked.name());
        List<String> typed = List.of(
                "[]",
                "{}",
                "[[[[]]]]",
                "[".repeat(2_000),
                "{\"a\":".repeat(2_000),
                "true",
                "null",
                "-0",
                "1e999999999",
                "1E400",
                "123456789012345678901234567890",
                "0.".concat("1".repeat(2_000)),
                "[\"a\",1,null,true]",
                "[" + "\"a\",".repeat(9_000) + "\"a\"]",
                "\"" + "a,".repeat(20_000) + "a\"");
        for (String member : members) {
            if (List.of("follow", "f").contains(member)) {
                continue; // it has no end
            }
            for (String value : some(VALUES)) {
                post(asked, replaced(asked.body(), member, json(value)));
            }
            for (String value : some(typed)) {
                post(asked, replaced(asked.body(), member, value));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("posts")
    void shouldRefuseAnyOtherBody(Asked asked) throws Exception {
        List<byte[]> bodies = new ArrayList<>();
        for (String text : List.of(
                "",
                " ",
                "nul",
                "[]",
                "[" + asked.body() + "]",
                asked.body() + asked.body(),
                asked.body() + ",",
                "{\"a\":1,\"a\":2}",
                "{\"a\":NaN}",
                "{'a':1}",
                "{\"a\":01}",
                "{\"a\":\"\\ud800\"",
                "{\"a\":\"\n\"}",
                "//\n" + asked.body(),
                "[".repeat(60_000),
                "{\"a\":".repeat(12_000),
                "\"" + "x".repeat(60_000))) {
            bodies.add(text.getBytes(StandardCharsets.UTF_8));
        }
        byte[] right = asked.body().getBytes(StandardCharsets.UTF_8);
        bodies.add(new byte[] {(byte) 0xff, (byte) 0xfe, '{', 0, '}'}); // half a character of UTF-16
        bodies.add(new byte[] {'{', '"', (byte) 0xc0, (byte) 0xaf, '"', ':', '1', '}'});
        bodies.add(new byte[] {'{', '"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"', ':', '1', '}'});
        bodies.add(new byte[] {0, 0, 0, '{', 0, 0x11, 0, 0}); // beyond what UTF-32 has
        bodies.add(new byte[] {'{', 0, 0, 0, '"', 0, 0, 0, 1}); // ends in a character
        bodies.add(new byte[] {0, 0, '{', 0, 0, 0, '}', 0}); // an order of bytes that nobody has
        bodies.add(new byte[64 << 10]);
        for (int length = 1; length < right.length; length += 7) {
            bodies.add(Arrays.copyOf(right, length));
        }
        for (byte[] body : bodies) {
            assertEquals(400, post(asked, body), () -> new String(body, StandardCharsets.UTF_8));
        }
    }
}
