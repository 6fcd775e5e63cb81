package dev.loom.server.loki;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.otlp.server.Endpoint;
import dev.loom.query.TextSearch;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import dev.loom.server.TestClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random filters over lines that are made of records, against the lines that a client is shown. */
final class LokiLinesTest {
    private static final int QUESTIONS = Integer.getInteger("loom.loki.questions", 150);
    private static final int REQUESTS = 2_500;
    private static final int OTHERS = 100;
    private static final Pattern OP = Pattern.compile("\"op\":\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final List<String> SOURCES = List.of("requests", "requests", "raw", "blobs", "sizes", "otlp.spans");
    private static final String[] TEXTS = {
        "GET", "SET", "a b", "x\"y\\z", "line\nbreak\tand \u0001", "\u00e4\u20ac", "\uD83D\uDE00", "\u202e", "null", ""
    };

    /** Of a source of JSON; some are none. */
    private static final List<String> PAYLOADS = List.of("{\"op\":\"GET\"}", "hello", "", "{\"op\":", "null", "[1,2]");

    @TempDir
    Path temp;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final Map<String, List<String>> shown = new HashMap<>();
    private SharedWriter writer;
    private LoomServer server;
    private LokiAnswers loki;

    @BeforeEach
    void start() throws Exception {
        System.out.println("LokiLinesTest: -Dloom.test.seed=" + seed);
        Loom loom = Loom.open(
                LoomConfig.at(temp.resolve("store")).recordRingBytes(8 << 20).build());
        storeRequests(loom);
        int raw = loom.defineSource("raw", Formats.bytes());
        StructFormat two = Formats.struct("size:u32,blob:bytes?");
        int blobs = loom.defineSource("blobs", two, Map.of(TextSearch.FIELD_ATTRIBUTE, "blob"));
        int sizes = loom.defineSource("sizes", two, Map.of(TextSearch.FIELD_ATTRIBUTE, "size"));
        int json = loom.defineSource("json", Formats.json());
        for (String payload : PAYLOADS) {
            loom.push(json, payload.getBytes(StandardCharsets.UTF_8));
        }
        StructWriter struct = new StructWriter(two);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[256]);
        for (int i = 0; i < OTHERS; i++) {
            byte[] bytes = new byte[random.nextInt(9)];
            random.nextBytes(bytes);
            loom.push(raw, bytes);
            struct.begin(payload, 0);
            struct.setLong(0, random.nextInt(1_000));
            if (random.nextInt(3) > 0) {
                struct.setBytes(1, new UnsafeBuffer(bytes), 0, bytes.length);
            }
            int length = struct.finish();
            loom.push(blobs, payload, 0, length);
            loom.push(sizes, payload, 0, length);
        }
        writer = new SharedWriter(loom);
        Endpoint any = Endpoint.parse("127.0.0.1:0");
        server = LoomServer.start(
                writer, ServerSettings.builder().api(any).otlpHttp(any).build());
        loki = new LokiAnswers(server);
        for (int i = 1; i <= 20; i++) {
            sendSpan(i);
        }
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        writer.loom().close();
    }

    /** Requests in several chunks, with an index by a field, which must not be taken for an index of lines. */
    private void storeRequests(Loom loom) {
        StructFormat format = Formats.struct("latency_ns:i64,op:utf8?,ok:bool,ratio:f64");
        int source = loom.defineSource("requests", format);
        IndexFunction latency = IndexFunction.field(format, "latency_ns");
        loom.defineIndex(source, "latency", latency, Bins.logLinear());
        loom.defineIndex(source, "latency-by-op", latency, Bins.logLinear(), List.of("op"));
        StructWriter struct = new StructWriter(format);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[256]);
        for (int i = 0; i < REQUESTS; i++) {
            struct.begin(payload, 0);
            struct.setLong(0, random.nextInt(50_000));
            String op = TEXTS[random.nextInt(TEXTS.length)];
            if (random.nextInt(8) > 0) {
                struct.setUtf8(1, op);
            }
            struct.setBoolean(2, random.nextBoolean());
            struct.setDouble(3, random.nextInt(20) == 0 ? Double.NaN : random.nextInt(64) / 8.0);
            loom.push(source, payload, 0, struct.finish());
        }
        loom.push(source, new byte[3]); // too short for any field
    }

    /** The service is in another record, to which a span's record refers. */
    private void sendSpan(int i) throws Exception {
        String id = String.format("%016x", i);
        String body =
                "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":"
                        + "\"service " + i % 3 + "\"}}]},\"scopeSpans\":[{\"spans\":[{\"traceId\":\"" + id + id
                        + "\",\"spanId\":\"" + id
                        + "\",\"name\":\"span " + i % 4
                        + "\",\"startTimeUnixNano\":\"1700000000000000000\",\"endTimeUnixNano\":\""
                        + (1_700_000_000_000_000_000L + i) + "\"}]}]}]}";
        assertEquals(200, new TestClient().postOtlp(server, "/v1/traces", body).statusCode());
    }

    private List<String> lines(String query) throws Exception {
        List<String> lines = new ArrayList<>();
        loki.lines("query", query, "start", "0", "direction", "forward", "limit", "5000")
                .forEach(line -> lines.add(line.text()));
        return lines;
    }

    /** All lines of a source, as they are shown. */
    private List<String> all(String source) throws Exception {
        List<String> lines = shown.get(source);
        if (lines == null) {
            lines = lines("{source=\"" + source + "\"}");
            shown.put(source, lines);
        }
        return lines;
    }

    /** A part of a line, or a text that may be one. */
    private String part(List<String> lines) {
        if (random.nextInt(4) == 0) {
            return TEXTS[random.nextInt(TEXTS.length)];
        }
        String line = lines.get(random.nextInt(lines.size()));
        int from = random.nextInt(line.length() + 1);
        int to = from + random.nextInt(Math.min(12, line.length() - from) + 1);
        return new String(line.substring(from, to).getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    private static String escaped(String text) {
        StringBuilder regex = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (c < 0x80 && !Character.isLetterOrDigit(c)) {
                regex.append(String.format("\\x%02x", c));
            } else {
                regex.appendCodePoint(c);
            }
        });
        return regex.toString();
    }

    private Predicate<String> filter(StringBuilder query, List<String> lines) {
        String one = part(lines);
        String two = part(lines);
        boolean or = random.nextInt(3) == 0;
        switch (random.nextInt(5)) {
            case 0, 1 -> {
                query.append(" |= ").append(LogQlLexer.quoted(one));
                query.append(or ? " or " + LogQlLexer.quoted(two) : "");
                return line -> line.contains(one) || (or && line.contains(two));
            }
            case 2 -> {
                query.append(" != ").append(LogQlLexer.quoted(one));
                query.append(or ? " or " + LogQlLexer.quoted(two) : "");
                return line -> !line.contains(one) && !(or && line.contains(two));
            }
            case 3 -> {
                String regex =
                        (random.nextBoolean() ? "^.{0,20}" : "") + escaped(one) + (or ? ".*" + escaped(two) : "");
                query.append(" |~ ").append(LogQlLexer.quoted(regex));
                return Pattern.compile(regex).asPredicate();
            }
            default -> {
                String regex = escaped(one) + (or ? "[0-9a-f]" : "") + (random.nextBoolean() ? "$" : "");
                query.append(" !~ ").append(LogQlLexer.quoted(regex));
                return Pattern.compile(regex).asPredicate().negate();
            }
        }
    }

    @Test
    void shouldFindTheLinesThatAreShownWhenFiltersAskForThem() throws Exception {
        int some = 0;
        for (int i = 0; i < QUESTIONS; i++) {
            String source = SOURCES.get(random.nextInt(SOURCES.size()));
            List<String> lines = all(source);
            StringBuilder query = new StringBuilder("{source=\"" + source + "\"}");
            Predicate<String> test = line -> true;
            for (int n = 1 + random.nextInt(2); n > 0; n--) {
                test = test.and(filter(query, lines));
            }
            List<String> expected = lines.stream().filter(test).toList();
            String what = "seed=" + seed + ", query=" + query;
            assertEquals(expected, lines(query.toString()), what);
            some += !expected.isEmpty() && expected.size() < lines.size() ? 1 : 0;
            Map<String, Double> counts = new TreeMap<>();
            expected.forEach(line -> counts.merge(op(source, line), 1.0, Double::sum));
            assertEquals(counts, counts("sum by (op) (count_over_time(" + query + "[200000h]))"), what);
        }
        assertTrue(some > QUESTIONS / 10, "questions that tell some lines from others: " + some);
    }

    private static String op(String source, String line) {
        Matcher op = OP.matcher(line);
        if (!source.equals("requests") || !op.find()) {
            return "{}";
        }
        // the label is the field, without the escapes of JSON
        String text = op.group(1)
                .replace("\\n", "\n")
                .replace("\\t", "\t")
                .replace("\\u0001", "\u0001")
                .replace("\\u202e", "\u202e")
                .replace("\\\"", "\"")
                .replace("\\\\", "\\");
        return text.isEmpty() ? "{}" : "{op=" + text + "}";
    }

    private Map<String, Double> counts(String query) throws Exception {
        Map<String, Double> counts = new TreeMap<>();
        loki.points("query", "query", query)
                .forEach(point -> counts.merge(point.labels().toString(), point.value(), Double::sum));
        return counts;
    }

    @Test
    void shouldShowAPayloadThatIsNoJsonAsItIs() throws Exception {
        assertEquals(PAYLOADS, lines("{source=\"json\"}"));
    }

    /** A service stands in no span's record, but in its line. */
    @Test
    void shouldSearchWhatRecordsReferTo() throws Exception {
        List<String> found = lines("{source=\"otlp.spans\"} |= `\"service 1\"`");
        assertEquals(7, found.size(), () -> all(found));
        assertEquals(
                all("otlp.spans").stream()
                        .filter(line -> line.contains("\"service 1\""))
                        .toList(),
                found);
    }

    private static String all(List<String> lines) {
        return String.join("\n", lines);
    }
}
