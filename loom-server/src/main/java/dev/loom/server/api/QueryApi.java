package dev.loom.server.api;

import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.error.ExpiredException;
import dev.loom.error.LoomException;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TraceLimitException;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.QueryService;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.TailRequest;
import dev.loom.server.json.JsonResults;
import dev.loom.server.json.OtlpResults;
import dev.loom.server.json.RecordResults;
import dev.loom.server.json.ReportRows;
import dev.loom.server.json.RunTime;
import dev.loom.server.json.StoreRows;
import dev.loom.server.request.RefusedException;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.SeenFields;
import dev.loom.server.text.BrokenPipeException;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.JsonObject;
import dev.loom.server.time.EpochTime;
import dev.loom.server.time.EventTime;
import dev.loom.server.time.TimePrinter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Answers requests over one store with JSON lines. Usable from any thread. */
public final class QueryApi {
    private static final Set<String> LOOKUPS = Set.of("sources", "indexes", "info");

    /** A query's memory besides what its operators state: buffers and the parsed request. */
    private static final long MEMORY_BYTES = 256 << 10;

    /** The outcome of requests that read no records. */
    private static final Map<String, Object> WHOLE =
            new TreeMap<>(Map.of("complete", true, "lost", 0, "stats", Map.of()));

    private final Path directory;
    private final Supplier<Store> store;
    private final Limits limits;
    private final QueryMemory memory;

    /**
     * Prepares to answer from a store.
     *
     * @param store supplies the store; each query closes what it gets
     * @param limits of each query
     * @param memory the memory budget of all queries together
     */
    public QueryApi(Path directory, Supplier<Store> store, Limits limits, QueryMemory memory) {
        this.directory = directory;
        this.store = store;
        this.limits = limits;
        this.memory = memory;
    }

    /**
     * What a query may take, whatever it asks for.
     *
     * @param timeMax the longest time of a query that does not run until its client leaves
     * @param groupsMax the most groups and distinct values
     */
    public record Limits(Duration timeMax, int groupsMax) {}

    /** The names of all requests. */
    public static Set<String> names() {
        Set<String> names = new TreeSet<>(LOOKUPS);
        names.addAll(ApiQuery.NAMES);
        return names;
    }

    /** Whether a request reads records, which may take long. */
    public static boolean reads(String name) {
        return ApiQuery.NAMES.contains(name);
    }

    /** Whether a request asks for records until its client leaves. */
    public static boolean follows(byte[] body) {
        try {
            return Boolean.TRUE.equals(JsonObject.parse(body).get(ApiQuery.FOLLOW));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** A query that can be cancelled. */
    public final class Run {
        private final DataOutput out;
        private volatile boolean cancelled;
        private final Answer answer;
        private Map<String, Object> outcome = WHOLE;

        /**
         * Prepares the query; writes nothing yet.
         *
         * @param body the request, a JSON object
         * @param stream takes the answer
         * @throws ApiFailure if the request is invalid
         */
        public Run(String name, byte[] body, OutputStream stream) {
            out = new DataOutput(stream, false);
            if (!names().contains(name)) {
                throw ApiFailure.notFound("unknown query: " + name);
            }
            RequestMembers in = new RequestMembers(body);
            answer = ApiQuery.NAMES.contains(name) ? query(read(name, in)) : lookup(name, in);
        }

        private ApiQuery read(String name, RequestMembers in) {
            try {
                return ApiQuery.read(name, in, limits);
            } catch (RequestException e) {
                throw ApiFailure.badRequest(String.valueOf(e.getMessage()));
            }
        }

        private Answer query(ApiQuery query) {
            return part -> {
                RunTime time = new RunTime();
                QueryService service = new QueryService(EventTime::clock, part, () -> cancelled);
                RecordResults results = query.otlp()
                        ? new OtlpResults(out)
                        : new JsonResults(out, new TimePrinter(query.times().zone()), query.fields(), query.causes());
                QueryReport report =
                        query.tail() == null ? run(query, service, results) : tail(query, service, results);
                results.onFlush();
                outcome = new ReportRows(report, query.limits(), results, time).outcome();
            };
        }

        private QueryReport run(ApiQuery query, QueryService service, RecordResults results) {
            try (Store opened = store.get();
                    Snapshot snapshot = opened.snapshot()) {
                RequestBuilder builder = new RequestBuilder(
                        opened, snapshot, query.times(), EpochTime.of(Instant.now()), query.limits(), remark -> {});
                return SeenFields.hinting(
                        hints(snapshot, query),
                        () -> service.run(
                                snapshot,
                                Objects.requireNonNull(query.request()).apply(builder),
                                results));
            }
        }

        private static UnaryOperator<String> hints(Snapshot snapshot, ApiQuery query) {
            String source = query.source();
            return source == null ? field -> "" : SeenFields.hints(snapshot, source);
        }

        private QueryReport tail(ApiQuery query, QueryService service, RecordResults results) {
            return service.tail(
                    store,
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
            return part -> {
                try (Store opened = store.get();
                        Snapshot snapshot = opened.snapshot()) {
                    switch (name) {
                        case "sources" ->
                            snapshot.sources()
                                    .forEach(each -> JsonResults.print(
                                            out, StoreRows.source(each, snapshot.statistics(each.id()))));
                        case "indexes" -> StoreRows.indexes(snapshot, source, row -> JsonResults.print(out, row));
                        default -> JsonResults.print(out, StoreRows.info(opened, directory));
                    }
                }
            };
        }

        /**
         * Writes the answer; its last line is the outcome.
         *
         * @throws ApiFailure if there is no answer, if it broke off, or if memory ran out
         * @throws BrokenPipeException if the client has gone
         * @throws UncheckedIOException if the client has gone
         */
        public void run() {
            try (QueryMemory part = memory.part()) {
                part.reserve(MEMORY_BYTES);
                answer.write(part);
                if ("time".equals(outcome.get("limit")) && out.untouched()) {
                    throw new ApiFailure(504, "timeout", "query timed out before it found anything");
                }
                JsonResults.print(out, Map.of("end", outcome));
                out.flush();
            } catch (OutOfMemoryError e) {
                // what the query held is garbage now
                throw new ApiFailure(503, "out_of_memory", "heap is exhausted: " + e.getMessage());
            } catch (RuntimeException | IOException e) {
                throw apiFailure(e);
            }
        }

        /** Makes the query end soon. Usable from any thread. */
        public void cancel() {
            cancelled = true;
        }

        /** The outcome, as in the answer's last line. */
        public Map<String, Object> outcome() {
            return outcome;
        }
    }

    /** Writes an answer. */
    private interface Answer {
        /** @param part the memory that the query may reserve */
        void write(QueryMemory part) throws IOException;
    }

    private static RuntimeException apiFailure(Exception e) {
        String message = String.valueOf(e.getMessage());
        if (e instanceof RefusedException failure) {
            return ApiFailure.of(failure);
        } else if (e instanceof RequestException) {
            return ApiFailure.badRequest(message);
        } else if (e instanceof QueryMemory.Exhausted exhausted) {
            return exhausted.mayPass()
                    ? new ApiFailure(429, "out_of_memory", message)
                    : new ApiFailure(413, "too_large", message);
        } else if (e instanceof GroupLimitException limit) {
            return new ApiFailure(
                    413,
                    "too_many_groups",
                    message
                            + switch (limit.cap()) {
                                case GROUPS -> "; groups-max sets the cap, rest counts those beyond it as other";
                                case DISTINCT_VALUES -> "; distinct-max sets the cap, rest leaves those beyond it out";
                                case GROUPS_AND_STEPS -> "; a longer step or a shorter range makes fewer";
                                case SERIES -> "; series-max sets the cap, where leaves series out";
                                case KEY_BYTES -> "; rest counts it as other";
                                case VALUE_BYTES -> "; rest leaves it out";
                            },
                    new TreeMap<>(Map.of(
                            "cap",
                            limit.cap().name().toLowerCase(Locale.ROOT),
                            "found",
                            limit.found(),
                            "max",
                            limit.max())));
        } else if (e instanceof TraceLimitException limit) {
            return new ApiFailure(
                    413,
                    "too_many_records",
                    message + "; records-max sets the cap, and without rows there is none",
                    new TreeMap<>(Map.of("found", limit.found(), "max", limit.max())));
        } else if (e instanceof ExpiredException) {
            return new ApiFailure(410, "expired", message);
        } else if (e instanceof LoomException) {
            return new ApiFailure(500, "store", message);
        } else if (e instanceof ApiFailure || e instanceof BrokenPipeException || e instanceof UncheckedIOException) {
            return (RuntimeException) e;
        }
        return new ApiFailure(500, "internal", "internal error: " + e);
    }
}
