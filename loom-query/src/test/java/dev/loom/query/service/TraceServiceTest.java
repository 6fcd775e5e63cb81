package dev.loom.query.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.FieldValue;
import dev.loom.format.Formats;
import dev.loom.format.RecordLookup;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.query.model.TraceLimitException;
import dev.loom.query.model.Value;
import dev.loom.query.trace.Trace;
import dev.loom.query.trace.TraceId;
import dev.loom.query.trace.TraceSummary;
import dev.loom.query.where.Where;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Questions about traces over two sources of spans, one of them without token filters, against the list of what was pushed. A record
 * arrives every 6 minutes; its own time is its end. {@code -Dloom.test.seed=S} sets the seed.
 */
final class TraceServiceTest {
    private static final StructFormat FORMAT = Formats.struct(
            "trace_id:utf8,span_id:utf8,parent_span_id:utf8?,service:utf8,name:utf8,start:i64,end:i64,status:utf8?");
    private static final long STEP_NS = 360_000_000_000L;
    private static final long BEGIN_NS = 1_000_000_000_000_000L;
    private static final int SPANS = 2_000;
    private static final int TRACES = 150;
    private static final int MATCHES_MAX = 2;
    private static final Pattern BY_TRACE = Pattern.compile("by trace_id: .*chunks covered=([0-9]+)");

    private record Pushed(
            String trace,
            long id,
            long parent,
            String service,
            String name,
            long start,
            long end,
            boolean error,
            long arrival,
            int source) {
        /** What a span that was sent again has as well; others may have its id. */
        List<Object> same() {
            return List.of(id, parent, service, name, start, end);
        }
    }

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<Pushed> pushed = new ArrayList<>();
    private final QueryMemory memory = new QueryMemory(64 << 20);
    private volatile boolean cancelled;
    private final QueryService service = new QueryService(source -> new EndClock(), memory, () -> cancelled);

    @TempDir
    Path directory;

    /** Reads the end of a span. */
    private static final class EndClock implements SourceClock {
        private final FieldValue value = new FieldValue();

        @Override
        public boolean start() {
            return false;
        }

        @Override
        public long withoutTime() {
            return 0;
        }

        @Override
        public long epochNs(RecordLookup lookup, DirectBuffer payload, int offset, int length) {
            Objects.requireNonNull(FORMAT.field("end")).read(payload, offset, length, value);
            return value.longValue();
        }

        @Override
        public @Nullable IndexFunction function() {
            return null;
        }

        @Override
        public TimeRange times(Value min, Value max) {
            return TimeRange.ALL;
        }
    }

    private static final class Results implements ResultHandler {
        private @Nullable Trace trace;
        private List<TraceSummary> traces = List.of();
        private @Nullable String nothing;
        private long records;

        @Override
        public void onTrace(TraceRequest request, Trace found) {
            trace = found;
        }

        @Override
        public void onTraces(TracesRequest request, List<TraceSummary> found) {
            traces = found;
        }

        @Override
        public void onRecord(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
            records++;
        }

        @Override
        public void onNothing(String reason) {
            nothing = reason;
        }
    }

    @BeforeEach
    void fill() {
        System.out.println("TraceServiceTest: -Dloom.test.seed=" + seed);
        StructWriter writer = new StructWriter(FORMAT);
        UnsafeBuffer payload = new UnsafeBuffer(new byte[512]);
        long[] nowNs = {BEGIN_NS};
        try (Loom loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .clock(() -> nowNs[0])
                .textIndexShare(1)
                .build())) {
            int[] sources = {
                loom.defineSource("a", FORMAT, Map.of("text.index", "trace_id:value,name:value")),
                loom.defineSource("b", FORMAT)
            };
            IndexFunction end = IndexFunction.field(FORMAT, "end");
            for (int source : sources) {
                loom.defineIndex(source, "end-by-trace", end, Bins.logLinear(), List.of("trace_id"));
            }
            for (int i = 0; i < SPANS; i++) {
                nowNs[0] += STEP_NS;
                // a trace's spans arrive within some hours, a few much later
                int trace = random.nextInt(30) == 0 ? random.nextInt(TRACES) : i * TRACES / SPANS;
                long start = nowNs[0] + (random.nextInt(40) - 20) * STEP_NS;
                Pushed span = new Pushed(
                        String.format("%032x", trace + 1),
                        1 + random.nextInt(SPANS / 200), // some spans of a trace share theirs
                        random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(SPANS / 2),
                        "s" + random.nextInt(20),
                        "n" + random.nextInt(4),
                        start,
                        start + random.nextInt(1_000_000),
                        random.nextInt(10) == 0,
                        nowNs[0],
                        random.nextInt(2));
                if (random.nextInt(8) == 0 && !pushed.isEmpty()) {
                    Pushed again = pushed.get(pushed.size() - 1 - random.nextInt(Math.min(20, pushed.size())));
                    span = new Pushed(
                            again.trace(),
                            again.id(),
                            again.parent(),
                            // a client's and a server's half of a call share the rest
                            random.nextInt(3) == 0 ? "s" + random.nextInt(20) : again.service(),
                            again.name(),
                            again.start(),
                            again.end(),
                            again.error(),
                            nowNs[0],
                            random.nextInt(2));
                }
                writer.begin(payload, 0);
                writer.setUtf8(0, span.trace());
                writer.setUtf8(1, String.format("%016x", span.id()));
                if (span.parent() != 0) {
                    writer.setUtf8(2, String.format("%016x", span.parent()));
                }
                writer.setUtf8(3, span.service());
                writer.setUtf8(4, span.name());
                writer.setLong(5, span.start());
                writer.setLong(6, span.end());
                if (span.error()) {
                    writer.setUtf8(7, "ERROR");
                }
                loom.push(sources[span.source()], payload, 0, writer.finish());
                pushed.add(span);
            }
            assertTrue(loom.finishTextIndex((done, total) -> true));
        }
    }

    private QueryReport ask(List<String> sources, Asking asking, Results results) {
        try (Store store = LoomReader.attach(directory);
                Snapshot snapshot = store.snapshot()) {
            List<Source> found = sources.stream()
                    .map(name -> snapshot.source(name).orElseThrow())
                    .toList();
            return service.run(snapshot, asking.request(found), results);
        }
    }

    private interface Asking {
        QueryRequest request(List<Source> sources);
    }

    private static QueryLimits limits(boolean text) {
        return new QueryLimits(
                QueryBudget.UNLIMITED, text ? QueryIndex.ALL : Set.of(QueryIndex.TIME, QueryIndex.CHUNK));
    }

    private Results traces(
            TimeRange range,
            boolean eventTime,
            boolean lastArrived,
            List<Where> where,
            TracesRequest.Took took,
            int limit,
            boolean text) {
        Results results = new Results();
        ask(
                List.of("a", "b"),
                sources -> new TracesRequest(
                        sources.stream()
                                .map(source -> new RecordSelection(source, range, eventTime, where))
                                .toList(),
                        took,
                        false,
                        lastArrived,
                        MATCHES_MAX,
                        limit,
                        limits(text)),
                results);
        return results;
    }

    @Test
    void shouldListTheTracesThatAPlainComputationLists() {
        for (int round = 0; round < 120; round++) {
            boolean eventTime = random.nextBoolean();
            boolean lastArrived = random.nextBoolean();
            long from = BEGIN_NS + random.nextInt(SPANS) * STEP_NS;
            long to = from + 1 + random.nextInt(SPANS / 4) * STEP_NS;
            TimeRange range = random.nextInt(5) == 0 ? TimeRange.ALL : new TimeRange(from, to);
            String name = "n" + random.nextInt(4);
            boolean error = random.nextInt(3) == 0;
            List<Where> where = new ArrayList<>(List.of(Where.parse("name == '" + name + "'")));
            if (error) {
                where.add(Where.parse("status == 'ERROR'"));
            }
            TracesRequest.Took took = random.nextBoolean()
                    ? TracesRequest.Took.ANY
                    : new TracesRequest.Took(random.nextInt(500_000), 600_000);
            int limit = 1 + random.nextInt(40);
            Predicate<Pushed> asked = span -> in(range, eventTime ? span.end() : span.arrival(), 0)
                    && span.name().equals(name)
                    && (!error || span.error())
                    && span.end() - span.start() >= took.leastNs()
                    && span.end() - span.start() <= took.mostNs();
            List<String> expected = new ArrayList<>();
            Map<String, Long> newest = new HashMap<>();
            for (Pushed span : pushed) {
                long time = eventTime ? span.end() : span.arrival();
                if (asked.test(span)) {
                    newest.merge(span.trace(), lastArrived ? span.arrival() : time, Math::max);
                }
            }
            newest.entrySet().stream()
                    .sorted(Comparator.comparing((Map.Entry<String, Long> each) -> -each.getValue()))
                    .limit(limit)
                    .forEach(each -> expected.add(row(each.getKey(), each.getValue(), range, eventTime)
                            + matches(each.getKey(), range, eventTime, asked)));
            for (boolean text : new boolean[] {true, false}) {
                Results results = traces(range, eventTime, lastArrived, where, took, limit, text);
                assertEquals(
                        String.join("\n", expected),
                        results.traces.stream()
                                .map(trace -> row(trace) + matches(trace))
                                .collect(Collectors.joining("\n")),
                        "seed=" + seed + ", round=" + round);
                assertEquals(expected.isEmpty() ? "no such spans in the range" : null, results.nothing);
            }
        }
    }

    private static boolean in(TimeRange range, long time, long marginNs) {
        return range.equals(TimeRange.ALL) || (time >= range.fromNs() - marginNs && time < range.toNs() + marginNs);
    }

    /** A trace by its spans in the range and an hour around it. */
    private String row(String trace, long found, TimeRange range, boolean eventTime) {
        Map<List<Object>, Pushed> spans = new LinkedHashMap<>();
        List<Pushed> all = new ArrayList<>();
        // if a span was sent again, the counts are those of the one that is read first: the newest, source by source
        for (Pushed span : pushed) {
            if (span.trace().equals(trace) && in(range, eventTime ? span.end() : span.arrival(), 3_600_000_000_000L)) {
                all.add(span);
                spans.put(span.same(), span);
            }
        }
        boolean rooted = all.stream().anyMatch(span -> span.parent() == 0);
        Pushed root = all.stream()
                .filter(span -> !rooted || span.parent() == 0)
                .min(Comparator.comparing(Pushed::start).thenComparing(Pushed::arrival))
                .orElseThrow();
        TreeSet<String> services =
                new TreeSet<>(all.stream().map(Pushed::service).toList());
        return trace + " found=" + found + " start="
                + all.stream().mapToLong(Pushed::start).min().orElseThrow() + " end="
                + all.stream().mapToLong(Pushed::end).max().orElseThrow() + " root=" + rooted + " " + root.service()
                + " " + root.name() + " spans=" + spans.size() + " exact=" + (services.size() <= 16)
                + (services.size() <= 16 ? services : "");
    }

    /** How many spans of a trace were asked for, and the first of them: source by source, the last arrived first. */
    private String matches(String trace, TimeRange range, boolean eventTime, Predicate<Pushed> asked) {
        Map<List<Object>, Pushed> first = new LinkedHashMap<>();
        for (int source = 0; source < 2; source++) {
            for (int i = pushed.size() - 1; i >= 0; i--) {
                Pushed span = pushed.get(i);
                if (span.source() == source
                        && span.trace().equals(trace)
                        && in(range, eventTime ? span.end() : span.arrival(), 3_600_000_000_000L)) {
                    first.putIfAbsent(span.same(), span);
                }
            }
        }
        List<Pushed> matched = first.values().stream().filter(asked).toList();
        return " matched=" + matched.size() + ' '
                + matched.stream()
                        .limit(MATCHES_MAX)
                        .map(span -> span.id() + "/" + span.service() + '/' + span.name() + '/' + span.start() + '/'
                                + span.end())
                        .toList();
    }

    private static String matches(TraceSummary trace) {
        return " matched=" + trace.matched() + ' '
                + trace.matches().stream()
                        .map(span -> span.spanId() + "/" + span.service() + '/' + span.name() + '/' + span.startNs()
                                + '/' + span.endNs())
                        .toList();
    }

    private static String row(TraceSummary trace) {
        return trace.id() + " found=" + trace.foundNs() + " start=" + trace.startNs() + " end=" + trace.endNs()
                + " root=" + trace.rooted() + " " + trace.service() + " " + trace.name() + " spans=" + trace.spans()
                + " exact=" + trace.servicesExact() + (trace.servicesExact() ? trace.services() : "");
    }

    private QueryReport trace(String id, boolean tree, int recordsMax, QueryLimits limits, Results results) {
        TraceId trace = TraceId.parse(id);
        return ask(
                List.of("a", "b"),
                sources -> new TraceRequest(
                        trace,
                        sources.stream()
                                .map(source -> TraceRequest.records(trace, source, TimeRange.ALL, false))
                                .toList(),
                        tree,
                        recordsMax,
                        limits),
                results);
    }

    private String largest() {
        return pushed.stream().collect(Collectors.groupingBy(Pushed::trace, Collectors.counting())).entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
    }

    @Test
    void shouldHoldATraceUpToTheCap() {
        String id = largest();
        int count =
                (int) pushed.stream().filter(span -> span.trace().equals(id)).count();
        Results results = new Results();
        trace(id, true, count, QueryLimits.NONE, results);
        assertEquals(
                count,
                Objects.requireNonNull(results.trace).nodes().stream()
                        .mapToInt(Trace.Node::copies)
                        .sum());
        TraceLimitException e = assertThrows(
                TraceLimitException.class, () -> trace(id, true, count - 1, QueryLimits.NONE, new Results()));
        assertEquals(count, e.found());
        assertEquals(count - 1, e.max());
        // records that are handed over are not held
        Results streamed = new Results();
        trace(id, false, 1, QueryLimits.NONE, streamed);
        assertEquals(count, streamed.records);
        Results none = new Results();
        QueryReport report = trace("f".repeat(32), true, 1, QueryLimits.NONE, none);
        assertEquals("no span and no log record of the trace in the range: trace=" + "f".repeat(32), none.nothing);
        assertTrue(report.completeness().complete());
    }

    @Test
    void shouldReadLessWithTokenFiltersAndFindTheSame() {
        for (int i = 0; i < 20; i++) {
            String id = pushed.get(random.nextInt(SPANS)).trace();
            Results with = new Results();
            Results without = new Results();
            QueryReport through = trace(id, true, SPANS, limits(true), with);
            QueryReport plain = trace(id, true, SPANS, limits(false), without);
            assertEquals(without.trace, with.trace, "seed=" + seed);
            assertEquals(
                    pushed.stream().filter(span -> span.trace().equals(id)).count(),
                    Objects.requireNonNull(with.trace).nodes().stream()
                            .mapToInt(Trace.Node::copies)
                            .sum());
            assertTrue(
                    through.statistics().plan().stream().anyMatch(line -> line.contains(": text index, ")),
                    through.statistics().plan().toString());
            assertTrue(
                    plain.statistics().plan().stream().noneMatch(line -> line.contains(": text index, ")),
                    plain.statistics().plan().toString());
        }
    }

    @Test
    void shouldReadLessWithAnIndexByTraceAndFindTheSame() {
        long read = 0;
        long readPlainly = 0;
        for (int i = 0; i < 20; i++) {
            TraceId id = TraceId.parse(pushed.get(random.nextInt(SPANS)).trace());
            Results with = new Results();
            Results without = new Results();
            QueryReport keyed = trace("b", id, Set.of(QueryIndex.TIME, QueryIndex.CHUNK), with);
            QueryReport plain = trace("b", id, Set.of(QueryIndex.TIME), without);
            assertEquals(without.trace, with.trace, "seed=" + seed);
            assertTrue(
                    keyed.statistics().plan().stream()
                            .anyMatch(line -> line.contains("by trace_id: index end-by-trace")),
                    keyed.statistics().plan().toString());
            read += keyed.statistics().pagesRead();
            readPlainly += plain.statistics().pagesRead();
        }
        assertTrue(read < readPlainly, "read=" + read + ", without the index=" + readPlainly + ", seed=" + seed);
    }

    @Test
    void shouldAskAnIndexByTraceOnlyWhereTokenFiltersRuleNothingOut() {
        int asked = 0;
        int askedWithoutText = 0;
        for (int i = 0; i < 20; i++) {
            TraceId id = TraceId.parse(pushed.get(random.nextInt(SPANS)).trace());
            asked += chunksAsked(
                    trace("a", id, Set.of(QueryIndex.TIME, QueryIndex.CHUNK, QueryIndex.TEXT), new Results()));
            askedWithoutText += chunksAsked(trace("a", id, Set.of(QueryIndex.TIME, QueryIndex.CHUNK), new Results()));
        }
        assertTrue(
                asked < askedWithoutText, "asked=" + asked + ", without text=" + askedWithoutText + ", seed=" + seed);
    }

    private static int chunksAsked(QueryReport report) {
        return report.statistics().plan().stream()
                .map(BY_TRACE::matcher)
                .filter(Matcher::find)
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .findFirst()
                .orElseThrow();
    }

    private QueryReport trace(String source, TraceId id, Set<QueryIndex> indexes, Results results) {
        return ask(
                List.of(source),
                sources -> new TraceRequest(
                        id,
                        List.of(TraceRequest.records(id, sources.get(0), TimeRange.ALL, false)),
                        true,
                        SPANS,
                        new QueryLimits(QueryBudget.UNLIMITED, indexes)),
                results);
    }

    @Test
    void shouldEndEarlyAndSaySo() {
        String id = largest();
        QueryLimits bytes = new QueryLimits(new QueryBudget(1, Duration.ofHours(1)), QueryIndex.ALL);
        assertEquals(
                Limit.BYTES,
                trace(id, true, SPANS, bytes, new Results()).completeness().limit());
        QueryLimits time = new QueryLimits(new QueryBudget(Long.MAX_VALUE, Duration.ZERO), QueryIndex.ALL);
        assertEquals(
                Limit.TIME,
                trace(id, true, SPANS, time, new Results()).completeness().limit());
        cancelled = true;
        assertEquals(
                Limit.CANCELLED,
                trace(id, true, SPANS, QueryLimits.NONE, new Results())
                        .completeness()
                        .limit());
        assertEquals(List.of(), traces(TimeRange.ALL, false, false, List.of(), TracesRequest.Took.ANY, 5, true).traces);
    }

    @Test
    void shouldReserveWhatATraceTakes() {
        String id = largest();
        trace(id, true, SPANS, QueryLimits.NONE, new Results());
        long reserved = memory.reserved();
        long count = pushed.stream().filter(span -> span.trace().equals(id)).count();
        assertTrue(reserved >= count * 600 && reserved < count * 1_000, "reserved=" + reserved + ", spans=" + count);
        // the text index of one scan after the other, and then no room for spans
        memory.reserve(memory.bytesMax() - reserved - (3 << 20));
        long left = memory.bytesMax() - memory.reserved();
        memory.reserve(left - (1 << 20) - 2_000);
        assertThrows(QueryMemory.Exhausted.class, () -> trace(id, true, SPANS, limits(false), new Results()));
    }

    @Test
    void shouldRefuseWhatIsOutOfRange() {
        for (int limit : new int[] {0, -1, TracesRequest.LIMIT_MAX + 1}) {
            RequestException e = assertThrows(
                    RequestException.class,
                    () -> traces(TimeRange.ALL, false, false, List.of(), TracesRequest.Took.ANY, limit, true));
            assertEquals("limit must be 1 to 1000: " + limit, e.getMessage());
        }
        assertEquals(
                TRACES,
                traces(TimeRange.ALL, false, false, List.of(), TracesRequest.Took.ANY, TracesRequest.LIMIT_MAX, true)
                        .traces
                        .size());
        assertThrows(
                RequestException.class,
                () -> new TraceRequest(TraceId.parse(largest()), List.of(), true, 1, QueryLimits.NONE));
        assertThrows(
                RequestException.class,
                () -> new TracesRequest(List.of(), TracesRequest.Took.ANY, false, false, 0, 1, QueryLimits.NONE));
    }
}
