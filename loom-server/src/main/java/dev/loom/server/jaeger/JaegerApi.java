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
import dev.loom.server.http.StoreQueries;
import dev.loom.server.json.JsonText;
import dev.loom.server.text.DataOutput;
import dev.loom.server.trace.SpanQueries;
import dev.loom.server.trace.SpanTimes;
import dev.loom.server.trace.TraceIds;
import dev.loom.server.trace.TraceParameters;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
    private static final String SERVICES = "services";
    private static final String OPERATIONS = "operations";
    private static final String TRACES = "traces";
    private static final String OPERATIONS_END = "/" + OPERATIONS;
    private static final String NAMES_BEGIN = "jaeger_";

    /** What a name in an answer takes, besides its characters. */
    private static final long NAME_BYTES = 100;

    private final StoreQueries queries;

    /** Prepares to answer from a store. */
    public JaegerApi(StoreQueries queries) {
        this.queries = queries;
    }

    @Override
    public Set<String> names() {
        return Set.of(NAMES_BEGIN + SERVICES, NAMES_BEGIN + OPERATIONS, NAMES_BEGIN + TRACES);
    }

    @Override
    public @Nullable Route route(String method, String path) {
        if (!path.startsWith(PREFIX)) {
            return null;
        } else if (!method.equals("GET")) {
            throw ApiFailure.method("GET", method);
        }
        String rest = path.substring(PREFIX.length());
        if (rest.equals(SERVICES)) {
            return new JaegerRoute(SERVICES, this::services);
        } else if (rest.equals(OPERATIONS)) {
            return new JaegerRoute(OPERATIONS, this::operationsAndKinds);
        } else if (rest.startsWith(SERVICES + "/") && rest.endsWith(OPERATIONS_END)) {
            String service = rest.substring(SERVICES.length() + 1, rest.length() - OPERATIONS_END.length());
            return new JaegerRoute(OPERATIONS, call -> operations(TraceParameters.decoded(service), call));
        } else if (rest.equals(TRACES)) {
            return new JaegerRoute(TRACES, this::traces);
        } else if (rest.startsWith(TRACES + "/")) {
            String id = rest.substring(TRACES.length() + 1);
            return new JaegerRoute(TRACES, call -> trace(id, call));
        }
        throw ApiFailure.notFound("no such path: " + path);
    }

    @Override
    public boolean reads(String type) {
        return false;
    }

    @Override
    public Reply failure(ApiFailure failure) {
        Map<String, @Nullable Object> answer = answer(null, 0, List.of());
        answer.put("errors", List.of(error(failure.status(), String.valueOf(failure.getMessage()))));
        return new Reply(JSON, JsonText.line(answer).toString());
    }

    /** What answers a request. */
    private interface Answer {
        void give(HttpCall call) throws IOException;
    }

    private record JaegerRoute(String asked, Answer answer) implements Route {
        @Override
        public String name() {
            return NAMES_BEGIN + asked;
        }

        @Override
        public Load load(HttpCall call) {
            return Load.QUERY;
        }

        @Override
        public void answer(HttpCall call) throws IOException {
            answer.give(call);
        }
    }

    private void services(HttpCall call) {
        new TraceParameters(call).end();
        SpanQueries.ask(queries, call, spans -> {
            TreeSet<String> services = new TreeSet<>();
            for (Source source : spans.sources()) {
                String field = TraceFields.serviceField(source.format());
                if (field != null) {
                    values(spans, source, List.of(field), List.of(), key -> add(spans, services, key.get(0)));
                }
            }
            print(call, spans, services);
        });
    }

    private void operations(String service, HttpCall call) {
        new TraceParameters(call).end();
        SpanQueries.ask(queries, call, spans -> {
            TreeSet<String> operations = new TreeSet<>();
            for (Source source : named(spans)) {
                List<Where> conditions = List.of(TraceFields.service(source.format(), service));
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
                List<Where> conditions = List.of(TraceFields.service(format, service));
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
        if (value.kind() != FieldValue.Kind.ABSENT && names.add(value.text())) {
            reserve(spans, value.text());
        }
    }

    private static void reserve(SpanQueries spans, String name) {
        spans.memory().reserve(NAME_BYTES + 2L * name.length());
    }

    private void traces(HttpCall call) {
        JaegerSearch search = JaegerSearch.read(new TraceParameters(call));
        SpanQueries.ask(queries, call, spans -> {
            JaegerTraces traces = new JaegerTraces(spans.memory());
            for (TraceId id : search.ids()) {
                spans.trace(id.toString(), traces);
            }
            if (search.ids().isEmpty()) {
                spans.spans(search.spans(), search.times(), search.limit(), traces);
            }
            print(call, spans, traces);
        });
    }

    private void trace(String text, HttpCall call) {
        TraceId id = TraceIds.parse(text);
        JaegerSearch.readTimes(new TraceParameters(call));
        SpanQueries.ask(queries, call, spans -> {
            JaegerTraces traces = new JaegerTraces(spans.memory());
            spans.trace(id.toString(), traces);
            if (traces.count() == 0) {
                throw spans.nothing("trace not found: " + text);
            }
            print(call, spans, traces);
        });
    }

    private static void print(HttpCall call, SpanQueries spans, Collection<?> data) throws IOException {
        DataOutput out = new DataOutput(call.begin(200, JSON), false);
        out.write(JsonText.line(answer(List.copyOf(data), data.size(), spans.warnings())));
        out.flush();
    }

    private static void print(HttpCall call, SpanQueries spans, JaegerTraces traces) throws IOException {
        List<String> warnings = spans.warnings();
        DataOutput out = new DataOutput(call.begin(200, JSON), false);
        String rest = JsonText.object(answer(null, traces.count(), warnings)).toString();
        traces.print(out, "{\"data\":", warnings);
        out.write((rest.substring(rest.indexOf(',')) + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    /** An answer as Jaeger gives it; what it lacks stands among its errors. */
    private static Map<String, @Nullable Object> answer(@Nullable Object data, int total, List<String> warnings) {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("data", data);
        answer.put("total", total);
        answer.put("limit", 0);
        answer.put("offset", 0);
        answer.put(
                "errors",
                warnings.isEmpty()
                        ? null
                        : warnings.stream().map(text -> error(206, text)).toList());
        return answer;
    }

    private static Map<String, Object> error(int code, String message) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("code", code);
        error.put("msg", message);
        return error;
    }
}
