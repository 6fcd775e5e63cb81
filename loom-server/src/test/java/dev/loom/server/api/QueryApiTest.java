package dev.loom.server.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.time.EventTime;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class QueryApiTest {
    @TempDir
    Path directory;

    private int groupsMax = 1_000;
    private static final StoreQueries.Limits LIMITS = new StoreQueries.Limits(Duration.ofMinutes(1), 1_000);

    @BeforeEach
    void fill() {
        StructFormat format = Formats.struct("op:utf8,latency_ns:i64");
        StructWriter writer = new StructWriter(format);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[64]);
        try (Loom loom =
                Loom.open(LoomConfig.at(directory).recordRingBytes(8 << 20).build())) {
            int requests = loom.defineSource("requests", format);
            for (int i = 1; i <= 1_000; i++) {
                writer.begin(payload, 0);
                writer.setUtf8(0, i % 2 == 0 ? "GET" : "SET");
                writer.setLong(1, i * 1_000L);
                loom.push(requests, payload, 0, writer.finish());
            }
            loom.defineIndex(requests, "latency_ns", IndexFunction.field(format, "latency_ns"), Bins.logLinear());
        }
    }

    private List<String> answer(String command, String body) {
        return answer(command, body, Duration.ofMinutes(1));
    }

    private List<String> answer(String command, String body, Duration timeMax) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StoreQueries.Limits limits = new StoreQueries.Limits(timeMax, groupsMax);
        answer(limits, QueryMemory.UNLIMITED, command, body, out);
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private void answer(
            StoreQueries.Limits limits, QueryMemory memory, String command, String body, ByteArrayOutputStream out) {
        new QueryApi(directory, new StoreQueries(() -> LoomReader.attach(directory), limits, memory))
                .answerTo(
                        command, body.getBytes(StandardCharsets.UTF_8), AnswerForm.JSON_LINES, () -> false, () -> out);
    }

    private void requireFailure(int status, String message, String command, String body) {
        ApiFailure failure = assertThrows(ApiFailure.class, () -> answer(command, body));
        assertEquals(status, failure.status());
        assertTrue(String.valueOf(failure.getMessage()).contains(message), failure.getMessage());
    }

    @Test
    void shouldTellWhatIsWrongWithARequest() {
        requireFailure(400, "not JSON", "scan", "{");
        requireFailure(400, "not a JSON object", "scan", "[]");
        requireFailure(400, "Missing required parameter", "scan", "{}");
        requireFailure(404, "no such source: none", "scan", "{\"source\":\"none\"}");
        requireFailure(400, "unknown member: dir", "scan", "{\"source\":\"requests\",\"dir\":\"/\"}");
        requireFailure(400, "unknown member: output", "scan", "{\"source\":\"requests\",\"output\":\"raw\"}");
        requireFailure(400, "unknown member: nonsense", "scan", "{\"source\":\"requests\",\"nonsense\":1}");
        requireFailure(400, "limit", "scan", "{\"source\":\"requests\",\"limit\":\"many\"}");
        requireFailure(400, "limit", "scan", "{\"source\":\"requests\",\"limit\":true}");
        requireFailure(400, "asc", "scan", "{\"source\":\"requests\",\"asc\":\"yes\"}");
        requireFailure(400, "where", "scan", "{\"source\":\"requests\",\"where\":{\"a\":1}}");
        requireFailure(400, "latency_ns >", "scan", "{\"source\":\"requests\",\"where\":\"latency_ns >\"}");
        requireFailure(
                400, "expected ) to close", "search", "{\"source\":\"requests\",\"query\":\"(a\",\"field\":\"op\"}");
        requireFailure(400, "timeout", "scan", "{\"source\":\"requests\",\"timeout\":\"soon\"}");
        requireFailure(404, "no such source: --help", "scan", "{\"source\":\"--help\"}");
    }

    /** Its client takes the first lines, and waits until much has been stored and deleted. */
    @Test
    void shouldSayWhatATailDoesNotReachInTime() {
        Path small = directory.resolve("small");
        try (Loom loom = Loom.open(LoomConfig.at(small)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(1 << 20)
                .maxBytes(8 << 20)
                .minFreeBytes(0)
                .build())) {
            int lines = loom.defineSource("lines", Formats.text());
            loom.push(lines, "first".getBytes(StandardCharsets.UTF_8));
            byte[] line = "x".repeat(1_000).getBytes(StandardCharsets.UTF_8);
            ByteArrayOutputStream out = new ByteArrayOutputStream() {
                private boolean pushed;

                @Override
                public void flush() {
                    if (!pushed && size() > 0) {
                        pushed = true;
                        for (int i = 0; i < 30_000; i++) {
                            loom.push(lines, line);
                        }
                        loom.force();
                    }
                }
            };
            byte[] body = "{\"source\":\"lines\",\"follow\":true}".getBytes(StandardCharsets.UTF_8);
            new QueryApi(small, new StoreQueries(() -> LoomReader.attach(small), LIMITS, QueryMemory.UNLIMITED))
                    .answerTo("tail", body, AnswerForm.JSON_LINES, () -> out.size() > line.length, () -> out);
            List<String> answered = out.toString(StandardCharsets.UTF_8).lines().toList();
            assertTrue(answered.get(0).contains("\"line\":\"first\""), answered.get(0));
            String missing = "{\"complete\":false,\"lost\":0,\"damaged_pages\":0,\"expired\":true,\"limit\":\"none\"}";
            assertEquals("{\"missing\":" + missing + "}", answered.get(1));
            assertTrue(answered.get(2).contains("\"addr\":"), answered.get(2));
            String end = answered.get(answered.size() - 1);
            String lacks = missing.substring(0, missing.length() - 1);
            assertTrue(end.startsWith("{\"end\":" + lacks), end);
            assertTrue(end.contains("\"records_printed\":" + (answered.size() - 2) + ","), end);
        }
    }

    @Test
    void shouldSayThatRecordsWithoutATimeAreLeftOut() {
        PayloadFormat json = Formats.json();
        try (Loom loom =
                Loom.open(LoomConfig.at(directory).recordRingBytes(8 << 20).build())) {
            int app = loom.defineSource("app", json, new EventTime("ts", null).attributes());
            for (String record : List.of("{\"ts\":1700000000000000000,\"ms\":1}", "{\"ms\":2}", "{\"ms\":3}")) {
                loom.push(app, record.getBytes(StandardCharsets.UTF_8));
            }
        }
        String asked = "{\"source\":\"app\",\"time\":\"event\",\"from\":\"2023-01-01T00:00:00Z\"";
        List<String> scan = answer("scan", asked + "}");
        assertEquals(2, scan.size(), scan::toString);
        assertTrue(scan.get(1).contains("\"complete\":true,"), scan::toString);
        assertTrue(scan.get(1).contains("\"limit\":\"none\",\"without_time\":2,"), scan::toString);
        List<String> agg = answer("agg", asked + ",\"field\":\"ms\"}");
        assertTrue(agg.get(0).contains("\"count\":1,"), agg::toString);
        assertTrue(agg.get(1).contains("\"limit\":\"none\",\"without_time\":true,"), agg::toString);
        assertFalse(answer("scan", "{\"source\":\"app\"}").toString().contains("without_time"));
    }

    @Test
    void shouldTakeNoMoreGroupsThanTheServer() {
        groupsMax = 500;
        String values = "{\"source\":\"requests\",\"field\":\"latency_ns\"";
        requireFailure(413, "too many groups: found=501, max=500, records read=", "values", values + "}");
        requireFailure(413, "max=499", "values", values + ",\"groups-max\":499}");
        assertEquals(
                501,
                answer("values", values + ",\"where\":\"latency_ns <= 500us\",\"groups-max\":500}")
                        .size());
        requireFailure(
                400,
                "groups-max is more than this server takes: 501, max=500",
                "values",
                values + ",\"groups-max\":501}");
        String by = "{\"source\":\"requests\",\"by\":\"op\",\"distinct\":\"latency_ns\"";
        requireFailure(413, "too many distinct values: found=501, max=500", "agg", by + "}");
        requireFailure(
                400, "distinct-max is more than this server takes: 501, max=500", "agg", by + ",\"distinct-max\":501}");
        assertEquals(
                3,
                answer("agg", by + ",\"where\":\"latency_ns <= 500us\",\"distinct-max\":500}")
                        .size());
    }

    @Test
    void shouldSayThatTimeIsOverWhenNothingWasFoundUntilThen() {
        ApiFailure failure =
                assertThrows(ApiFailure.class, () -> answer("scan", "{\"source\":\"requests\"}", Duration.ofNanos(1)));
        assertEquals(504, failure.status());
    }

    @Test
    void shouldSayThatTheAnswerIsIncompleteWhenABudgetEndsIt() {
        List<String> lines = answer("agg", "{\"source\":\"requests\",\"field\":\"latency_ns\",\"max-bytes-read\":1}");
        assertTrue(lines.get(lines.size() - 1).startsWith("{\"end\":{\"complete\":false"), lines.toString());
    }

    private void requireRefused(int status, QueryMemory memory, String command, String body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ApiFailure failure = assertThrows(ApiFailure.class, () -> answer(LIMITS, memory, command, body, out));
        assertEquals(status, failure.status(), failure.getMessage());
        assertTrue(
                failure.getMessage().matches("query memory is exhausted: needed=\\d+, left=\\d+, max=\\d+"),
                failure.getMessage());
    }

    @Test
    void shouldRefuseWhatNeedsMoreMemoryThanThereIs() {
        QueryMemory memory = new QueryMemory(4 << 20);
        requireRefused(413, new QueryMemory(1 << 20), "scan", "{\"source\":\"requests\"}");
        memory.reserve(3 << 20);
        requireRefused(429, memory, "scan", "{\"source\":\"requests\"}");
        memory.release(3 << 20);
        assertEquals(0, memory.reserved());
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseAnyFormBeforeItsFirstByte(AnswerForm form) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertEquals(504, refused(form, Duration.ofNanos(1), QueryMemory.UNLIMITED, out));
        assertEquals(413, refused(form, Duration.ofMinutes(1), new QueryMemory(1 << 20), out));
        QueryMemory memory = new QueryMemory(4 << 20);
        memory.reserve((4 << 20) - (2 << 20)); // enough for lines, which hold no batch
        if (form == AnswerForm.ARROW) {
            assertEquals(429, refused(form, Duration.ofMinutes(1), memory, out));
        }
        assertEquals(2 << 20, memory.reserved());
        assertEquals(0, out.size());
    }

    private int refused(AnswerForm form, Duration timeMax, QueryMemory memory, ByteArrayOutputStream out) {
        StoreQueries queries =
                new StoreQueries(() -> LoomReader.attach(directory), new StoreQueries.Limits(timeMax, 1_000), memory);
        byte[] body = "{\"source\":\"requests\"}".getBytes(StandardCharsets.UTF_8);
        return assertThrows(
                        ApiFailure.class,
                        () -> new QueryApi(directory, queries).answerTo("scan", body, form, () -> false, () -> out))
                .status();
    }

    @Test
    void shouldAnswerInTheMemoryThereIsAndGiveItBack() {
        QueryMemory memory = new QueryMemory(4 << 20);
        for (String command : List.of("scan", "tail", "sources", "agg", "values", "hist", "top")) {
            boolean field = List.of("agg", "values", "hist", "top").contains(command);
            String body = command.equals("sources")
                    ? "{}"
                    : "{\"source\":\"requests\"" + (field ? ",\"field\":\"latency_ns\"}" : "}");
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            answer(LIMITS, memory, command, body, out);
            assertEquals(
                    answer(command, body).size(),
                    out.toString(StandardCharsets.UTF_8).lines().count(),
                    command);
            assertEquals(0, memory.reserved(), command);
        }
    }
}
