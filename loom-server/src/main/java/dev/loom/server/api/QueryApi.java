package dev.loom.server.api;

import dev.loom.api.Snapshot;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.TailRequest;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.json.JsonResults;
import dev.loom.server.json.OtlpResults;
import dev.loom.server.json.RecordResults;
import dev.loom.server.json.ReportRows;
import dev.loom.server.json.RunTime;
import dev.loom.server.json.StoreRows;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.SeenFields;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.JsonObject;
import dev.loom.server.time.TimePrinter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Answers requests over one store with JSON lines: {@code POST /v1/NAME}. Usable from any thread. */
public final class QueryApi implements HttpApi {
    private static final String PREFIX = "/v1/";
    private static final String JSON_LINES = "application/jsonl";
    private static final Set<String> LOOKUPS = Set.of("sources", "indexes", "info");

    /** The outcome of requests that read no records. */
    private static final Map<String, Object> WHOLE =
            new TreeMap<>(Map.of("complete", true, "lost", 0, "stats", Map.of()));

    private final Path directory;
    private final StoreQueries queries;

    /** Prepares to answer from the store of a directory. */
    public QueryApi(Path directory, StoreQueries queries) {
        this.directory = directory;
        this.queries = queries;
    }

    @Override
    public Set<String> names() {
        Set<String> names = new TreeSet<>(LOOKUPS);
        names.addAll(ApiQuery.NAMES);
        return names;
    }

    @Override
    public @Nullable Route route(String method, String path) {
        String name = path.startsWith(PREFIX) ? path.substring(PREFIX.length()) : "";
        if (!names().contains(name)) {
            return null;
        }
        JsonBodies.requirePost(method);
        return new QueryRoute(name);
    }

    @Override
    public boolean reads(String type) {
        return type.equals(JsonBodies.TYPE);
    }

    @Override
    public Reply failure(ApiFailure failure) {
        return JsonBodies.failure(failure);
    }

    /** One of the requests. */
    private final class QueryRoute implements Route {
        private final String name;

        QueryRoute(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Load load(HttpCall call) {
            if (LOOKUPS.contains(name)) {
                return Load.LOOKUP;
            }
            return follows(call.body()) ? Load.FOLLOWER : Load.QUERY;
        }

        @Override
        public void answer(HttpCall call) throws IOException {
            answerTo(name, call.body(), call::cancelled, () -> call.beginLines(JSON_LINES));
        }
    }

    /** Whether a request asks for records until its client leaves. */
    private static boolean follows(byte[] body) {
        try {
            return Boolean.TRUE.equals(JsonObject.parse(body).get(ApiQuery.FOLLOW));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Writes the answer; its last line is the outcome.
     *
     * @param begin begins the answer once the request is known to be valid
     * @throws ApiFailure if there is no answer, if it broke off, or if memory ran out
     */
    void answerTo(String name, byte[] body, BooleanSupplier cancelled, Supplier<OutputStream> begin) {
        RequestMembers in = new RequestMembers(body);
        Answer answer = ApiQuery.NAMES.contains(name) ? query(read(name, in)) : lookup(name, in);
        DataOutput out = new DataOutput(begin.get(), false);
        queries.run(cancelled, session -> {
            Map<String, Object> outcome = answer.write(session, out);
            if ("time".equals(outcome.get("limit")) && out.untouched()) {
                throw new ApiFailure(504, "timeout", "query timed out before it found anything");
            }
            JsonResults.print(out, Map.of("end", outcome));
            out.flush();
            return outcome;
        });
    }

    private ApiQuery read(String name, RequestMembers in) {
        try {
            return ApiQuery.read(name, in, queries.limits());
        } catch (RequestException e) {
            throw ApiFailure.badRequest(String.valueOf(e.getMessage()));
        }
    }

    /** Writes an answer, and returns its outcome. */
    private interface Answer {
        Map<String, Object> write(StoreQueries.Session session, DataOutput out) throws IOException;
    }

    private Answer query(ApiQuery query) {
        return (session, out) -> {
            RunTime time = new RunTime();
            RecordResults results = query.otlp()
                    ? new OtlpResults(out)
                    : new JsonResults(out, new TimePrinter(query.times().zone()), query.fields(), query.causes());
            QueryReport report = query.tail() == null ? run(query, session, results) : tail(query, session, results);
            results.onFlush();
            return new ReportRows(report, query.limits(), results, time).outcome();
        };
    }

    private static QueryReport run(ApiQuery query, StoreQueries.Session session, RecordResults results)
            throws IOException {
        return session.read((store, snapshot) -> SeenFields.hinting(hints(snapshot, query), () -> {
            RequestBuilder builder = session.requests(store, snapshot, query.times(), query.limits());
            return session.run(snapshot, Objects.requireNonNull(query.request()).apply(builder), results);
        }));
    }

    private static UnaryOperator<String> hints(Snapshot snapshot, ApiQuery query) {
        String source = query.source();
        return source == null ? field -> "" : SeenFields.hints(snapshot, source);
    }

    private static QueryReport tail(ApiQuery query, StoreQueries.Session session, RecordResults results) {
        return session.service()
                .tail(
                        session.stores(),
                        snapshot -> SeenFields.hinting(hints(snapshot, query), () -> {
                            TailRequest request =
                                    Objects.requireNonNull(query.tail()).apply(snapshot);
                            JsonResults.chosen(request.source().format(), query.fields());
                            return request;
                        }),
                        results);
    }

    private Answer lookup(String name, RequestMembers in) {
        String source = name.equals("indexes") ? in.text("source") : null;
        in.end();
        return (session, out) -> session.read((store, snapshot) -> {
            switch (name) {
                case "sources" ->
                    snapshot.sources()
                            .forEach(each ->
                                    JsonResults.print(out, StoreRows.source(each, snapshot.statistics(each.id()))));
                case "indexes" -> StoreRows.indexes(snapshot, source, row -> JsonResults.print(out, row));
                default -> JsonResults.print(out, StoreRows.info(store, directory));
            }
            return WHOLE;
        });
    }
}
