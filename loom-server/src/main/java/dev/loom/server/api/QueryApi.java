package dev.loom.server.api;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.query.model.Completeness;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.QueryRequest;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.TailRequest;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.json.JsonResults;
import dev.loom.server.json.JsonText;
import dev.loom.server.json.RecordResults;
import dev.loom.server.json.ReportRows;
import dev.loom.server.json.RunTime;
import dev.loom.server.json.StoreRows;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.SeenFields;
import dev.loom.server.table.StoreTables;
import dev.loom.server.table.TableForm;
import dev.loom.server.table.TableResults;
import dev.loom.server.text.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Answers requests over one store, in the form that the client accepts: {@code POST /v1/NAME}. Usable from any thread. */
public final class QueryApi implements HttpApi {
    private static final String PREFIX = "/v1/";
    private static final String OUTCOME = "Loom-Outcome";
    private static final List<String> OUTCOME_MEMBERS =
            List.of("complete", "lost", "damaged_pages", "expired", "limit", ReportRows.WITHOUT_TIME);
    private static final Set<String> LOOKUPS = Set.of("sources", "indexes", "fields", "info");

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
            AnswerForm form = AnswerForm.of(call.header("accept"));
            if (!form.inColumns()) {
                answerTo(name, call.body(), form, call::cancelled, () -> call.beginLines(form.type()));
                return;
            }
            AtomicReference<@Nullable String> outcome = new AtomicReference<>();
            call.answerTrailer(OUTCOME, outcome::get);
            answerTo(name, call.body(), form, call::cancelled, () -> call.beginData(form.type()), outcome::set);
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
     * Writes the answer, with its outcome at the end.
     *
     * @param begin begins the answer once the request is known to be valid
     * @throws ApiFailure if there is no answer, if it broke off, or if memory ran out
     */
    void answerTo(String name, byte[] body, AnswerForm form, BooleanSupplier cancelled, Supplier<OutputStream> begin) {
        answerTo(name, body, form, cancelled, begin, outcome -> {});
    }

    private void answerTo(
            String name,
            byte[] body,
            AnswerForm form,
            BooleanSupplier cancelled,
            Supplier<OutputStream> begin,
            Consumer<String> told) {
        answer(name, RequestMembers.of(body), form, cancelled, begin, told);
    }

    /** Whether a request takes a moment. */
    public static boolean isLookup(String name) {
        return LOOKUPS.contains(name);
    }

    /**
     * Writes the answer to a request that is not a body: JSON lines, the last of which is the outcome.
     *
     * @param name of the request
     * @param members as {@link JsonObject} has them
     * @param cancelled ends a query soon, with what it has found
     * @param begin begins the answer once the request is known to be valid
     * @throws ApiFailure if there is no answer, if it broke off, or if memory ran out
     */
    public void answer(
            String name,
            Map<String, @Nullable Object> members,
            BooleanSupplier cancelled,
            Supplier<OutputStream> begin) {
        answer(name, new RequestMembers(members), AnswerForm.JSON_LINES, cancelled, begin, outcome -> {});
    }

    /** @param told takes what the answer lacks, as JSON, before its end is written */
    private void answer(
            String name,
            RequestMembers in,
            AnswerForm form,
            BooleanSupplier cancelled,
            Supplier<OutputStream> begin,
            Consumer<String> told) {
        Answer answer = ApiQuery.NAMES.contains(name) ? query(read(name, in, form)) : lookup(name, in);
        OutputStream stream = begin.get();
        queries.run(cancelled, session -> {
            Map<String, Object> outcome = answer.write(session, new AnswerOutput(form, stream, session.memory()));
            Map<String, Object> lacks = new LinkedHashMap<>(outcome);
            lacks.keySet().retainAll(OUTCOME_MEMBERS);
            told.accept(JsonText.of(lacks));
            return outcome;
        });
    }

    private ApiQuery read(String name, RequestMembers in, AnswerForm form) {
        try {
            return ApiQuery.read(name, in, form, queries.limits());
        } catch (RequestException e) {
            throw ApiFailure.badRequest(String.valueOf(e.getMessage()));
        }
    }

    /** Writes an answer, and returns its outcome. */
    private interface Answer {
        Map<String, Object> write(StoreQueries.Session session, AnswerOutput out) throws IOException;
    }

    private Answer query(ApiQuery query) {
        return (session, out) -> {
            RunTime time = new RunTime();
            RecordResults results = out.results(query);
            QueryReport report = query.tail() == null ? run(query, session, results) : tail(query, session, results);
            if (results.printed() == 0 && report.completeness().limit() == Completeness.Limit.TIME) {
                throw new ApiFailure(504, "timeout", "query timed out before it found anything");
            }
            results.onFlush();
            return out.end(results, new ReportRows(report, query.limits(), results, time).outcome());
        };
    }

    private static QueryReport run(ApiQuery query, StoreQueries.Session session, RecordResults results)
            throws IOException {
        return session.read((store, snapshot) -> SeenFields.hinting(hints(snapshot, query), () -> {
            RequestBuilder builder = session.requests(store, snapshot, query.times(), query.limits());
            QueryRequest request = Objects.requireNonNull(query.request()).apply(builder);
            if (results instanceof TableResults inColumns) {
                inColumns.asked(request);
            }
            return session.run(snapshot, request, results);
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
        String source =
                name.equals("fields") ? in.required("source") : name.equals("indexes") ? in.text("source") : null;
        String begin = name.equals("sources") ? Objects.requireNonNullElse(in.text("name"), "") : "";
        in.end();
        return (session, out) -> session.read((store, snapshot) -> {
            TableForm table = out.table();
            switch (name) {
                case "sources" -> {
                    List<Source> sources = snapshot.sources().stream()
                            .filter(each -> each.name().startsWith(begin))
                            .toList();
                    if (table == null) {
                        sources.forEach(each -> out.print(StoreRows.source(each, snapshot.statistics(each.id()))));
                    } else {
                        StoreTables.sources(snapshot, sources, table);
                    }
                }
                case "indexes" -> {
                    if (table == null) {
                        StoreRows.indexes(snapshot, source, out::print);
                    } else {
                        StoreTables.indexes(snapshot, source, table);
                    }
                }
                case "fields" -> {
                    if (table == null) {
                        StoreRows.fields(snapshot, Objects.requireNonNull(source), out::print);
                    } else {
                        StoreTables.fields(snapshot, Objects.requireNonNull(source), table);
                    }
                }
                default -> {
                    Map<String, Object> values = StoreRows.info(store, directory);
                    if (table == null) {
                        out.print(values);
                    } else {
                        StoreTables.info(values, table);
                    }
                }
            }
            out.end(WHOLE);
            return WHOLE;
        });
    }
}
