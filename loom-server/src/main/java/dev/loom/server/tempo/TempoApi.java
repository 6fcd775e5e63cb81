package dev.loom.server.tempo;

import dev.loom.query.service.ResultHandler;
import dev.loom.query.service.TracesRequest;
import dev.loom.query.trace.TraceId;
import dev.loom.query.trace.TraceSummary;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import dev.loom.server.http.RouteTable;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.json.JsonText;
import dev.loom.server.request.SpanChoice;
import dev.loom.server.request.SpanTexts;
import dev.loom.server.trace.SpanQueries;
import dev.loom.server.trace.SpanTags;
import dev.loom.server.trace.SpanTimes;
import dev.loom.server.trace.TraceIds;
import dev.loom.server.trace.TraceParameters;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Answers Tempo's queries: {@code GET /tempo/api/...}. Usable from any thread. */
public final class TempoApi implements HttpApi {
    static final String JSON = "application/json";

    private static final String PROTOBUF = "application/protobuf";
    private static final String TEXT = "text/plain;charset=utf-8";
    private static final String PREFIX = "/tempo/api/";
    private static final String STATE = "tempo_state";
    private static final String TRACES = "tempo_traces";
    private static final String TAGS = "tempo_tags";

    /** The Tempo whose API this is. Clients choose by it what they ask. */
    private static final String VERSION = "2.6.0";

    private static final String NO_ROOT = "<root span not yet received>";
    /** How many spans of a trace are named if the client does not say. */
    private static final int SPANS_MAX = 3;

    private static final int BUFFER_LENGTH = 64 << 10;

    private static final long NS_PER_S = 1_000_000_000L;
    private static final long NS_PER_MS = 1_000_000L;
    private static final long SECONDS_MAX = Long.MAX_VALUE / NS_PER_S - 1;

    private final StoreQueries queries;
    private final String version;
    private final RouteTable routes = new RouteTable(PREFIX, "GET");

    /**
     * Prepares to answer from a store.
     *
     * @param version Loom's own
     */
    public TempoApi(StoreQueries queries, String version) {
        this.queries = queries;
        this.version = version;
        TempoTags tags = new TempoTags(queries);
        routes.add(STATE, Load.LOOKUP, "echo", (call, none) -> send(call, TEXT, bytes("echo")))
                .add(STATE, Load.LOOKUP, "status/buildinfo", (call, none) -> buildInfo(call))
                .add("tempo_search", Load.QUERY, "search", (call, none) -> search(call))
                .add(TAGS, Load.QUERY, "search/tags", (call, none) -> tags.names(call, false))
                .add(TAGS, Load.QUERY, "v2/search/tags", (call, none) -> tags.names(call, true))
                .add(
                        TAGS,
                        Load.QUERY,
                        "search/tag/*/values",
                        (call, tag) -> tags.values(TraceParameters.decoded(tag), false, call))
                .add(
                        TAGS,
                        Load.QUERY,
                        "v2/search/tag/*/values",
                        (call, tag) -> tags.values(TraceParameters.decoded(tag), true, call))
                .add(TRACES, Load.QUERY, "traces/*", (call, id) -> trace(id, false, call))
                .add(TRACES, Load.QUERY, "v2/traces/*", (call, id) -> trace(id, true, call));
    }

    @Override
    public Set<String> names() {
        return routes.names();
    }

    @Override
    public @Nullable Route route(String method, String path) {
        return routes.find(method, path);
    }

    @Override
    public boolean reads(String type) {
        return false;
    }

    @Override
    public Reply failure(ApiFailure failure) {
        return new Reply(TEXT, String.valueOf(failure.getMessage()));
    }

    private void buildInfo(HttpCall call) throws IOException {
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("version", VERSION);
        info.put("revision", "Loom " + version);
        List.of("branch", "buildUser", "buildDate", "goVersion").forEach(name -> info.put(name, ""));
        send(call, JSON, JsonText.line(info).toByteArray());
    }

    /** All spans of a trace, whenever they arrived: times only tell Tempo where to look. */
    private void trace(String text, boolean v2, HttpCall call) {
        String id = TraceIds.parse(text).toString();
        TraceParameters in = new TraceParameters(call);
        times(in);
        in.end();
        String accept = call.header("Accept");
        boolean protobuf = accept != null && accept.contains(PROTOBUF);
        SpanQueries.ask(queries, call, spans -> {
            TempoTrace trace = new TempoTrace(spans.memory());
            spans.trace(id, trace);
            if (trace.isEmpty()) {
                throw spans.nothing("trace not found: " + text);
            }
            List<String> missing = spans.warnings();
            if (!v2 && !missing.isEmpty()) {
                call.answerHeader("Loom-Warning", String.join("; ", missing)); // the first version has no place for it
            }
            byte[] answer = protobuf
                    ? v2 ? trace.protobufV2(missing) : trace.protobuf()
                    : v2 ? trace.jsonV2(missing) : trace.json();
            send(call, protobuf ? PROTOBUF : JSON, answer);
        });
    }

    /** Seconds; both ends are inclusive. */
    static SpanTimes times(TraceParameters in) {
        Long start = in.number("start", 0, SECONDS_MAX);
        Long end = in.number("end", 0, SECONDS_MAX);
        return new SpanTimes(
                start == null || start == 0 ? null : (Long) (start * NS_PER_S),
                end == null || end == 0 ? null : (Long) (end * NS_PER_S + 1));
    }

    private void search(HttpCall call) {
        TraceParameters in = new TraceParameters(call);
        SpanChoice choice = choice(in);
        SpanTimes times = times(in);
        Long limit = in.number("limit", 1, TracesRequest.LIMIT_MAX);
        Long spansMax = in.number("spss", 1, TracesRequest.MATCHES_MAX);
        in.end();
        SpanQueries.ask(queries, call, spans -> {
            List<TraceSummary> traces = new ArrayList<>();
            spans.traces(choice, times, spansMax == null ? SPANS_MAX : spansMax.intValue(), limit, new ResultHandler() {
                @Override
                public void onTraces(TracesRequest request, List<TraceSummary> found) {
                    traces.addAll(found);
                }
            });
            List<String> warnings = spans.warnings();
            Map<String, Object> rest = new LinkedHashMap<>();
            rest.put("metrics", metrics(spans, warnings));
            put(rest, warnings);
            send(call, traces, JsonText.line(rest).toByteArray());
        });
    }

    /** Writes one trace after the other, since all of them as JSON take several times the memory that they have. */
    private static void send(HttpCall call, List<TraceSummary> traces, byte[] rest) throws IOException {
        OutputStream out = new BufferedOutputStream(call.begin(200, JSON), BUFFER_LENGTH);
        out.write(bytes("{\"traces\":["));
        for (int i = 0; i < traces.size(); i++) {
            out.write(bytes(i == 0 ? "" : ","));
            out.write(JsonText.object(summary(traces.get(i))).toByteArray());
        }
        out.write(bytes("],"));
        out.write(rest, 1, rest.length - 1); // without its brace
        out.flush();
    }

    static void put(Map<String, Object> answer, List<String> warnings) {
        if (!warnings.isEmpty()) {
            answer.put("warnings", warnings);
        }
    }

    /** The work; Tempo says by its jobs whether it did all of it. */
    static Map<String, Object> metrics(SpanQueries spans, List<String> warnings) {
        Map<String, Object> metrics = new LinkedHashMap<>();
        metrics.put("inspectedBytes", Long.toString(spans.bytesRead()));
        metrics.put("completedJobs", warnings.isEmpty() ? 1 : 0);
        metrics.put("totalJobs", 1);
        return metrics;
    }

    private static SpanChoice choice(TraceParameters in) {
        String query = in.text("q");
        String text = in.text("tags");
        if (in.text("minDuration") != null || in.text("maxDuration") != null) {
            throw ApiFailure.badRequest(
                    "minDuration and maxDuration of traces are not supported; q={ duration > 100ms } asks for spans");
        } else if (query != null && text != null) {
            throw ApiFailure.badRequest("q and tags are both given");
        }
        try {
            return text == null ? TraceQl.parse(query == null ? "" : query) : tagged(Logfmt.parse(text));
        } catch (IllegalArgumentException e) {
            throw ApiFailure.badRequest(String.valueOf(e.getMessage()));
        }
    }

    private static SpanTags tagged(Map<String, String> given) {
        Map<String, String> named = new LinkedHashMap<>(given);
        String name = named.remove("name");
        return new SpanTags(new SpanTexts(null, name, null, null, false, List.of(), List.of()), named);
    }

    private static Map<String, Object> summary(TraceSummary trace) {
        Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("traceID", trace.id().toString());
        summary.put("rootServiceName", trace.rooted() ? trace.service() : NO_ROOT);
        summary.put("rootTraceName", trace.rooted() ? trace.name() : NO_ROOT);
        summary.put("startTimeUnixNano", Long.toString(trace.startNs()));
        summary.put("durationMs", (trace.endNs() - trace.startNs()) / NS_PER_MS);
        Map<String, Object> set = new LinkedHashMap<>();
        set.put("spans", trace.matches().stream().map(TempoApi::span).toList());
        set.put("matched", trace.matched());
        summary.put("spanSet", set); // older clients read this one
        summary.put("spanSets", List.of(set));
        return summary;
    }

    private static Map<String, Object> span(TraceSummary.Match match) {
        Map<String, Object> span = new LinkedHashMap<>();
        span.put("spanID", TraceId.text(match.spanId()));
        span.put("name", match.name());
        span.put("startTimeUnixNano", Long.toString(match.startNs()));
        span.put("durationNanos", Long.toString(match.endNs() - match.startNs()));
        span.put("attributes", List.of(Map.of("key", "service.name", "value", Map.of("stringValue", match.service()))));
        return span;
    }

    static void send(HttpCall call, String type, byte[] answer) throws IOException {
        call.begin(200, type).write(answer);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
