package dev.loom.server.http;

import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.error.ExpiredException;
import dev.loom.error.LoomException;
import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TraceLimitException;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.QueryReport;
import dev.loom.query.service.QueryRequest;
import dev.loom.query.service.QueryService;
import dev.loom.query.service.RequestException;
import dev.loom.query.service.ResultHandler;
import dev.loom.server.request.RefusedException;
import dev.loom.server.request.RequestBuilder;
import dev.loom.server.request.RequestTimes;
import dev.loom.server.text.BrokenPipeException;
import dev.loom.server.time.EpochTime;
import dev.loom.server.time.EventTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Runs the queries of all APIs over one store, within the server's limits. Usable from any thread. */
public final class StoreQueries {
    /** A request's memory besides what its operators state: buffers and what was parsed. */
    private static final long MEMORY_BYTES = 256 << 10;

    private final Supplier<Store> store;
    private final Limits limits;
    private final QueryMemory memory;

    /**
     * Prepares to run queries.
     *
     * @param store supplies the store; each reading closes what it gets
     * @param limits of each request
     * @param memory the memory budget of all requests together
     */
    public StoreQueries(Supplier<Store> store, Limits limits, QueryMemory memory) {
        this.store = store;
        this.limits = limits;
        this.memory = memory;
    }

    /**
     * What a request may take, whatever it asks for.
     *
     * @param timeMax the longest time of a query that does not run until its client leaves
     * @param groupsMax the most groups and distinct values
     */
    public record Limits(Duration timeMax, int groupsMax) {}

    /** What each request may take. */
    public Limits limits() {
        return limits;
    }

    /** What is done for one request. */
    public interface Work<T> {
        T run(Session session) throws IOException;
    }

    /** What is done with one snapshot. */
    public interface Reading<T> {
        T read(Store store, Snapshot snapshot) throws IOException;
    }

    /**
     * Works for one request with a part of the memory.
     *
     * @param cancelled whether nobody waits for the answer any more
     * @throws ApiFailure if the request is refused, or fails
     * @throws BrokenPipeException if the client has gone
     * @throws UncheckedIOException if the client has gone
     */
    public <T> T run(BooleanSupplier cancelled, Work<T> work) {
        try (QueryMemory part = memory.part()) {
            part.reserve(MEMORY_BYTES);
            return work.run(new Session(part, cancelled));
        } catch (OutOfMemoryError e) {
            // what the request held is garbage now
            throw new ApiFailure(503, "out_of_memory", "heap is exhausted: " + e.getMessage());
        } catch (RuntimeException | IOException e) {
            throw failure(e);
        }
    }

    /** One request, which may run several queries. For its thread. */
    public final class Session {
        private final QueryMemory part;
        private final BooleanSupplier cancelled;

        private Session(QueryMemory part, BooleanSupplier cancelled) {
            this.part = part;
            this.cancelled = cancelled;
        }

        /** Supplies the store; who takes it closes it. */
        public Supplier<Store> stores() {
            return store;
        }

        /** Runs queries with this request's memory, until nobody waits for them. */
        public QueryService service() {
            return new QueryService(EventTime::clock, part, cancelled);
        }

        /** The memory that this request may reserve. */
        public QueryMemory memory() {
            return part;
        }

        /** Reads one snapshot. */
        public <T> T read(Reading<T> reading) throws IOException {
            try (Store opened = store.get();
                    Snapshot snapshot = opened.snapshot()) {
                return reading.read(opened, snapshot);
            }
        }

        /** Makes requests to a snapshot from texts. */
        public RequestBuilder requests(Store opened, Snapshot snapshot, RequestTimes times, QueryLimits most) {
            return new RequestBuilder(opened, snapshot, times, EpochTime.of(Instant.now()), most, remark -> {});
        }

        /** Runs one query. */
        public QueryReport run(Snapshot snapshot, QueryRequest request, ResultHandler results) {
            return service().run(snapshot, request, results);
        }
    }

    private static RuntimeException failure(Exception e) {
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
            return failure(limit, message);
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
        } else if (e instanceof IOException io) {
            return new UncheckedIOException(io);
        } else if (e instanceof ApiFailure || e instanceof BrokenPipeException || e instanceof UncheckedIOException) {
            return (RuntimeException) e;
        }
        return new ApiFailure(500, "internal", "internal error: " + e);
    }

    private static ApiFailure failure(GroupLimitException limit, String message) {
        String remedy = switch (limit.cap()) {
            case GROUPS -> "; groups-max sets the cap, rest counts those beyond it as other";
            case DISTINCT_VALUES -> "; distinct-max sets the cap, rest leaves those beyond it out";
            case GROUPS_AND_STEPS -> "; a longer step or a shorter range makes fewer";
            case SERIES -> "; series-max sets the cap, where leaves series out";
            case KEY_BYTES -> "; rest counts it as other";
            case VALUE_BYTES -> "; rest leaves it out";
        };
        String cap = limit.cap().name().toLowerCase(Locale.ROOT);
        return new ApiFailure(
                413,
                "too_many_groups",
                message + remedy,
                new TreeMap<>(Map.of("cap", cap, "found", limit.found(), "max", limit.max())));
    }
}
