package dev.loom.server.jaeger;

import dev.loom.api.Source;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.query.trace.TraceFields;
import dev.loom.query.trace.TraceId;
import dev.loom.query.where.Where;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import dev.loom.server.http.RouteTable;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.json.JsonText;
import dev.loom.server.text.DataOutput;
import dev.loom.server.trace.SpanQueries;
import dev.loom.server.trace.SpanTimes;
import dev.loom.server.trace.TraceIds;
import dev.loom.server.trace.TraceParameters;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Answers Jaeger's queries: {@code GET /jaeger/api/...}. Usable from any thread. */
public final class JaegerApi implements HttpApi {
    private static final String JSON = "application/json";
    private static final String PREFIX = "/jaeger/api/";
    private static final String OPERATIONS = "jaeger_operations";
    private static final String TRACES = "jaeger_traces";

    /** What a name in an answer takes, besides its characters. */
    private static final long NAME_BYTES = 100;

    private final StoreQueries queries;
    private final RouteTable routes = new RouteTable(PREFIX, "GET");

    /** Prepares to answer from a store. */
    public JaegerApi(StoreQueries queries) {
        this.queries = queries;
        routes.add("jaeger_services", Load.QUERY, "services", (call, none) -> services(call))
                .add(OPERATIONS, Load.QUERY, "operations", (call, none) -> operationsAndKinds(call))
                .add(OPERATIONS, Load.QUERY, "services/*/operations", this::operations)
                .add("jaeger_dependencies", Load.QUERY, "dependencies", (call, none) -> dependencies(call))
                .add(TRACES, Load.QUERY, "traces", (call, none) -> traces(call))
                .add(TRACES, Load.QUERY, "traces/*", this::trace);
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
        Map<String, @Nullable Object> answer = answer(null, 0, List.of(), List.of());
        answer.put("errors", List.of(error(failure.status(), String.valueOf(failure.getMessage()))));
        return new Reply(JSON, JsonText.line(answer).toString());
    }

    private void services(HttpCall call) {
        new TraceParameters(call).end();
        SpanQueries.ask(queries, call, spans -> {
            TreeSet<String> services = new TreeSet<>();
            for (Source source : spans.sources()) {
                String field = TraceFields.serviceField(source.format());
                if (field != null) {
                    values(spans, source, List.of(field), List.of(), key -> {
                        boolean named = key.get(0).kind() != FieldValue.Kind.ABSENT;
                        add(spans, services, OfService.name(named ? key.get(0).text() : ""));
                    });
                }
            }
            print(call, spans, services);
        });
    }

    private void operations(HttpCall call, String encoded) {
        String service = TraceParameters.decoded(encoded);
        new TraceParameters(call).end();
        SpanQueries.ask(queries, call, spans -> {
            TreeSet<String> operations = new TreeSet<>();
            for (Source source : named(spans)) {
                List<Where> conditions = List.of(OfService.condition(source.format(), service));
                values(spans, source, List.of("name"), conditions, key -> add(spans, operations, key.get(0)));
            }
            print(call, spans, operations);
        });
    }

    /** Sources whose spans have a service and a name. */
    private static List<Source> named(SpanQueries spans) {
        return spans.sources().stream()
                .filter(source -> TraceFields.serviceField(source.format()) != null
                        && source.format().field("name") != null)
                .toList();
    }

    private void operationsAndKinds(HttpCall call) {
        TraceParameters in = new TraceParameters(call);
        String service = in.required("service");
        String kind = in.text("spanKind");
        in.end();
        SpanQueries.ask(queries, call, spans -> {
            Map<List<String>, Map<String, String>> operations = new LinkedHashMap<>();
            for (Source source : named(spans)) {
                PayloadFormat format = source.format();
                List<Where> conditions = List.of(OfService.condition(format, service));
                List<String> fields = format.field("kind") == null ? List.of("name") : List.of("name", "kind");
                values(spans, source, fields, conditions, key -> {
                    String name = key.get(0).text();
                    String ofKind =
                            JaegerSpans.kind(key.size() == 1 ? "" : key.get(1).text());
                    if (kind == null || kind.equals(ofKind)) {
                        reserve(spans, name);
                        operations.put(List.of(name, ofKind), Map.of("name", name, "spanKind", ofKind));
                    }
                });
            }
            print(call, spans, operations.values());
        });
    }

    private static void values(
            SpanQueries spans,
            Source source,
            List<String> fields,
            List<Where> conditions,
            Consumer<List<FieldValue>> into) {
        spans.values(source, fields, conditions, SpanTimes.ALL, Integer.MAX_VALUE, into);
    }

    private static void add(SpanQueries spans, Set<String> names, FieldValue value) {
        if (value.kind() != FieldValue.Kind.ABSENT) {
            add(spans, names, value.text());
        }
    }

    private static void add(SpanQueries spans, Set<String> names, String name) {
        if (names.add(name)) {
            reserve(spans, name);
        }
    }

    private static void reserve(SpanQueries spans, String name) {
        spans.memory().reserve(NAME_BYTES + 2L * name.length());
    }

    /** Which services called which, by spans that ended in the range, as did their parents. */
    private void dependencies(HttpCall call) {
        TraceParameters in = new TraceParameters(call);
        String service = in.text("service");
        SpanTimes times = JaegerSearch.readLookback(in);
        SpanQueries.ask(queries, call, spans -> {
            JaegerCalls calls = new JaegerCalls(spans.memory(), JaegerCalls.SPANS_MAX);
            for (Source source : spans.sources()) {
                spans.read(source, times, span -> {
                    TraceId trace = span.traceId();
                    if (trace != null && span.isSpan()) {
                        calls.add(trace, span.spanId(), span.parentId(), OfService.name(span.service()));
                    }
                });
            }
            List<Map<String, Object>> rows = new ArrayList<>();
            for (JaegerCalls.Calls found : calls.calls()) {
                if (service == null || service.equals(found.parent()) || service.equals(found.child())) {
                    Map<String, Object> row = new LinkedHashMap<>();
                    row.put("parent", found.parent());
                    row.put("child", found.child());
                    row.put("callCount", found.count());
                    rows.add(row);
                }
            }
            print(call, spans, rows);
        });
    }

    private void traces(HttpCall call) {
        JaegerSearch search = JaegerSearch.read(new TraceParameters(call));
        SpanQueries.ask(queries, call, spans -> {
            JaegerTraces traces = new JaegerTraces(spans.memory());
            List<Map<String, Object>> missing = new ArrayList<>();
            for (TraceId id : search.ids()) {
                int before = traces.count();
                spans.trace(id.toString(), traces);
                if (traces.count() == before) {
                    ApiFailure nothing = spans.nothing("trace not found");
                    Map<String, Object> error = error(nothing.status(), String.valueOf(nothing.getMessage()));
                    error.put("traceID", id.toString());
                    missing.add(error);
                }
            }
            if (search.ids().isEmpty()) {
                spans.spans(search.spans(), search.times(), search.limit(), traces);
            }
            print(call, spans, traces, missing);
        });
    }

    private void trace(HttpCall call, String text) {
        TraceId id = TraceIds.parse(text);
        JaegerSearch.readTimes(new TraceParameters(call));
        SpanQueries.ask(queries, call, spans -> {
            JaegerTraces traces = new JaegerTraces(spans.memory());
            spans.trace(id.toString(), traces);
            if (traces.count() == 0) {
                throw spans.nothing("trace not found: " + text);
            }
            print(call, spans, traces, List.of());
        });
    }

    private static void print(HttpCall call, SpanQueries spans, Collection<?> data) throws IOException {
        DataOutput out = new DataOutput(call.begin(200, JSON), false);
        out.write(JsonText.line(answer(List.copyOf(data), data.size(), spans.warnings(), List.of())));
        out.flush();
    }

    private static void print(HttpCall call, SpanQueries spans, JaegerTraces traces, List<Map<String, Object>> missing)
            throws IOException {
        List<String> warnings = spans.warnings();
        DataOutput out = new DataOutput(call.begin(200, JSON), false);
        String rest =
                JsonText.object(answer(null, traces.count(), warnings, missing)).toString();
        traces.print(out, "{\"data\":", warnings);
        out.write((rest.substring(rest.indexOf(',')) + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** An answer as Jaeger gives it; what it lacks stands among its errors, and so do traces that were asked for and are missing. */
    private static Map<String, @Nullable Object> answer(
            @Nullable Object data, int total, List<String> warnings, List<Map<String, Object>> missing) {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("data", data);
        answer.put("total", total);
        answer.put("limit", 0);
        answer.put("offset", 0);
        List<Map<String, Object>> errors = new ArrayList<>();
        warnings.forEach(text -> errors.add(error(206, text)));
        errors.addAll(missing);
        answer.put("errors", errors.isEmpty() ? null : errors);
        return answer;
    }

    private static Map<String, Object> error(int code, String message) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("code", code);
        error.put("msg", message);
        return error;
    }
}
