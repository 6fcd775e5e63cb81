package dev.loom.query.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TraceLimitException;
import dev.loom.query.trace.TraceSpan.SpanEvent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records in JSON, whose fields may be anything. */
final class SpanReaderTest {
    private static final String TRACE = "\"trace_id\":\"5B8EFFF798038103d269b633813fc60c\"";
    private static final String SPAN = TRACE + ",\"span_id\":\"00000000000000aB\"";
    private static final long ARRIVAL_NS = 77;

    @TempDir
    Path directory;

    private Loom loom;
    private Snapshot snapshot;
    private RecordLookup lookup;
    private SpanReader reader;

    @BeforeEach
    void open() {
        loom = Loom.open(directory.resolve("store"));
        loom.defineSource("json", Formats.parse("json"));
        snapshot = loom.snapshot();
        lookup = snapshot.lookup();
        Source source = snapshot.source("json").orElseThrow();
        reader = new SpanReader(source, lookup, null);
    }

    @AfterEach
    void close() {
        lookup.close();
        snapshot.close();
        loom.close();
    }

    private SpanReader at(String members) {
        byte[] json = ("{" + members + "}").getBytes(StandardCharsets.UTF_8);
        reader.wrap(8, new UnsafeBuffer(json), 0, json.length);
        return reader;
    }

    private TraceSpan span(String members) {
        assertTrue(at(SPAN + "," + members).isSpan(), members);
        return reader.span(8, ARRIVAL_NS);
    }

    @Test
    void shouldTellTimesFromTwoOfThree() {
        TraceSpan both = span("\"start\":100,\"end\":250");
        assertEquals(100, both.startNs());
        assertEquals(250, both.endNs());
        assertEquals(150, reader.durationNs());
        TraceSpan fromStart = span("\"start\":100,\"duration\":50");
        assertEquals(150, fromStart.endNs());
        TraceSpan fromEnd = span("\"end\":100,\"duration\":50");
        assertEquals(50, fromEnd.startNs());
        assertEquals(50, reader.durationNs());
        assertTrue(both.timed() && fromStart.timed() && fromEnd.timed());
        assertEquals(-100, at(SPAN + ",\"start\":200,\"end\":100").durationNs());
        for (String one : List.of("\"start\":1", "\"end\":1", "\"duration\":1", "\"start\":\"1\",\"end\":\"2\"")) {
            assertFalse(at(SPAN + "," + one).isSpan(), one);
            assertEquals(one.contains("duration") ? 1 : SpanReader.UNKNOWN, reader.durationNs(), one);
        }
    }

    @Test
    void shouldKeepTimesWithinWhatClocksCanTell() {
        TraceSpan early = span("\"start\":-5,\"end\":10");
        assertEquals(0, early.startNs());
        TraceSpan late = span("\"start\":18446744073709551615,\"end\":18446744073709551615");
        assertEquals(Long.MAX_VALUE, late.startNs());
        assertEquals(Long.MAX_VALUE, late.endNs());
        assertEquals(
                Long.MAX_VALUE,
                span("\"start\":5,\"duration\":9223372036854775807").endNs());
        assertEquals(0, span("\"end\":5,\"duration\":9223372036854775807").startNs());
        assertEquals(
                Long.MAX_VALUE,
                span("\"start\":9223372036854775807,\"duration\":1").endNs());
        assertEquals(0, span("\"start\":5,\"duration\":-9223372036854775808").endNs());
        assertEquals(5, span("\"start\":5,\"duration\":-9223372036854775808").lastNs());
    }

    @Test
    void shouldTakeIdsOfTheRightLengthAlone() {
        assertEquals("5b8efff798038103d269b633813fc60c", String.valueOf(at(SPAN).traceId()));
        assertEquals(0xab, reader.spanId());
        Map<String, Boolean> traces = new LinkedHashMap<>();
        traces.put("\"trace_id\":\"5b8efff798038103d269b633813fc60\"", false);
        traces.put("\"trace_id\":\"5b8efff798038103d269b633813fc60c0\"", false);
        traces.put("\"trace_id\":\"5b8efff798038103d269b633813fc60g\"", false);
        traces.put("\"trace_id\":\"00000000000000000000000000000000\"", false);
        traces.put("\"trace_id\":\"00000000000000010000000000000000\"", true);
        traces.put("\"trace_id\":\"00000000000000000000000000000001\"", true);
        traces.put("\"trace_id\":7", false);
        traces.put("\"trace_id\":\"\\u0661b8efff798038103d269b633813fc60\"", false);
        traces.put("\"other\":1", false);
        traces.forEach((members, there) -> assertEquals(there, at(members).traceId() != null, members));
        assertNull(at("\"trace_id\":{}").traceId());
        for (String id : List.of("\"ab\"", "\"00000000000000000\"", "\"0000000000000000\"", "171", "null")) {
            assertEquals(0, at(TRACE + ",\"span_id\":" + id).spanId(), id);
            assertFalse(at(TRACE + ",\"start\":1,\"end\":2,\"span_id\":" + id).isSpan(), id);
        }
        assertEquals(0, span("\"start\":1,\"end\":2,\"parent_span_id\":\"x\"").parentId());
        assertEquals(
                -1,
                span("\"start\":1,\"end\":2,\"parent_span_id\":\"ffffffffffffffff\"")
                        .parentId());
    }

    @Test
    void shouldBoundWhatItKeeps() {
        String exact = "é".repeat(512);
        assertEquals(
                exact, span("\"start\":1,\"end\":2,\"name\":\"" + exact + "\"").name());
        assertEquals(
                exact + "…",
                span("\"start\":1,\"end\":2,\"name\":\"" + exact + "x\"").name());
        // not within a character
        assertEquals(
                "x" + "é".repeat(511) + "…",
                span("\"start\":1,\"end\":2,\"name\":\"x" + exact + "\"").name());
        assertEquals(
                "x" + "𝄞".repeat(255) + "…",
                span("\"start\":1,\"end\":2,\"name\":\"x" + "𝄞".repeat(300) + "\"")
                        .name());
        StringBuilder events = new StringBuilder("\"start\":9,\"end\":20,\"events\":[7");
        for (int i = 0; i < 100; i++) {
            events.append(",{\"name\":\"e").append(i).append(i % 2 == 0 ? "\"}" : "\",\"time\":" + i + "}");
        }
        TraceSpan span = span(events + "]");
        assertEquals(SpanReader.EVENTS_MAX, span.events().size());
        assertEquals(100, span.eventsCount());
        assertEquals(new SpanEvent(9, "e0"), span.events().get(0));
        assertEquals(new SpanEvent(1, "e1"), span.events().get(1));
    }

    @Test
    void shouldKnowFieldsByTheirOtherNames() {
        TraceSpan span = span("\"start\":1,\"end\":2,\"service\":\"shop\",\"status\":\"ERROR\",\"kind\":3");
        assertEquals("shop", span.service());
        assertTrue(span.error());
        assertEquals("3", span.kind());
        assertEquals(
                "db",
                span("\"start\":1,\"end\":2,\"service\":{\"name\":\"db\"}").service());
        assertFalse(span("\"start\":1,\"end\":2,\"status\":\"ok\"").error());
        assertFalse(span("\"start\":1,\"end\":2,\"status\":2").error());
        at(TRACE + ",\"severity\":17,\"msg\":\"gone\"");
        assertEquals(new TraceLog("json", 8, 0, ARRIVAL_NS, "ERROR", "", "gone"), reader.log(8, ARRIVAL_NS));
        at(TRACE + ",\"severity\":24,\"message\":{\"a\":1}");
        assertEquals(new TraceLog("json", 8, 0, 0, "FATAL", "", "{\"a\":1}"), reader.log(8, -1));
        at(TRACE + ",\"severity\":25,\"level\":\"warn\"");
        assertEquals("warn", reader.log(8, 1).severity());
        at(TRACE + ",\"severity\":25");
        assertEquals("", reader.log(8, 1).severity());
    }

    @Test
    void shouldCountSpansUpToItsMemory() {
        TraceId id = TraceId.parse("5b8efff798038103d269b633813fc60c");
        QueryMemory memory = new QueryMemory(1 << 20);
        TraceSummaries summaries = new TraceSummaries(Map.of(id, 5L), 0, memory, 3);
        for (int i = 0; i < 8; i++) {
            // four spans, each twice
            at(TRACE + ",\"span_id\":\"000000000000000" + (1 + i % 4) + "\",\"start\":" + (10 + i % 4) + ",\"end\":30");
            summaries.add(reader, 8L * i, 0, false);
        }
        at("\"trace_id\":\"00000000000000010000000000000000\",\"span_id\":\"0000000000000001\",\"start\":1,\"end\":2");
        summaries.add(reader, 800, 0, false);
        at(SPAN);
        summaries.add(reader, 900, 0, false);
        TraceSummary summary = summaries.summaries().get(0);
        // the fourth is not remembered, and so counted twice
        assertEquals(5, summary.spans());
        assertFalse(summary.countsExact());
        assertEquals(10, summary.startNs());
        TraceSummaries room = new TraceSummaries(Map.of(id, 5L), 0, memory, 4);
        for (int i = 0; i < 8; i++) {
            at(TRACE + ",\"span_id\":\"000000000000000" + (1 + i % 4) + "\",\"start\":10,\"end\":30,\"service\":\"s"
                    + i % 4 + "\"");
            room.add(reader, 8L * i, 0, false);
        }
        assertEquals(4, room.summaries().get(0).spans());
        assertTrue(room.summaries().get(0).countsExact());
        assertEquals(4, room.summaries().get(0).services().size());
        // the halves of a call, which share an id
        at(TRACE + ",\"span_id\":\"0000000000000001\",\"start\":10,\"end\":30,\"service\":\"s0\",\"kind\":\"CLIENT\"");
        room.add(reader, 800, 0, false);
        assertEquals(5, room.summaries().get(0).spans());
        for (int i = 0; i < 20; i++) {
            at(TRACE + ",\"span_id\":\"0000000000000001\",\"start\":10,\"end\":30,\"service\":\"t" + i + "\"");
            room.add(reader, 8L * i, 0, false);
        }
        assertEquals(16, room.summaries().get(0).services().size());
        assertFalse(room.summaries().get(0).servicesExact());
        assertThrows(
                QueryMemory.Exhausted.class, () -> new TraceSummaries(Map.of(id, 5L), 0, new QueryMemory(8000), 4));
    }

    @Test
    void shouldRefuseMoreThanTheCap() {
        TraceId id = TraceId.parse("5b8efff798038103d269b633813fc60c");
        TraceParts parts = new TraceParts(id, 2, QueryMemory.UNLIMITED);
        parts.add(at(SPAN + ",\"start\":1,\"end\":2"), 8, 0);
        parts.add(at(SPAN), 16, 0);
        TraceLimitException e = assertThrows(TraceLimitException.class, () -> parts.add(at(SPAN), 24, 0));
        assertEquals(
                "too many spans and log records in a trace: found=3, max=2, trace=5b8efff798038103d269b633813fc60c",
                e.getMessage());
        assertEquals(2, parts.trace().rows().size());
    }
}
