package dev.loom.server;

import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Store;
import dev.loom.error.LoomException;
import dev.loom.otlp.ingest.OtlpIngester;
import dev.loom.otlp.json.JsonRequests;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.HttpServers;
import dev.loom.otlp.server.HttpServers.Listener;
import dev.loom.otlp.server.InFlightBudget;
import dev.loom.otlp.server.OtlpReceiver;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.api.QueryApi;
import dev.loom.server.api.SchemaApi;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.ingest.IngestServer;
import dev.loom.server.jaeger.JaegerApi;
import dev.loom.server.loki.LokiApi;
import dev.loom.server.mcp.McpApi;
import dev.loom.server.page.PageApi;
import dev.loom.server.prometheus.PrometheusApi;
import dev.loom.server.protocol.SchemaRequests;
import dev.loom.server.tempo.TempoApi;
import dev.loom.server.time.ClockPair;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves one store: receives OTLP and raw records, and answers queries and requests for health and metrics, at the endpoints of
 * its settings. One thread starts and closes it.
 */
public final class LoomServer implements AutoCloseable {
    private static final Duration REQUESTS_GRACE = Duration.ofSeconds(4);

    private final ServerSettings settings;
    private final ServedStore store;
    private final StoreWatch watch;
    private final Health health;
    private final WarmUp warmUp;
    private final List<HttpApi> apis;
    private final QueryPool queries;
    private final @Nullable InFlightBudget budget;
    private final Optional<ServerMetrics.Otlp> otlp;
    private final Map<String, String> addresses = new LinkedHashMap<>();
    private volatile @Nullable IngestServer ingest;
    private volatile @Nullable HttpServers servers;
    private @Nullable ApiHandler api;

    private LoomServer(ServerSettings settings, Opening opening) throws IOException {
        this.settings = settings;
        OtlpTarget target = new OtlpTarget(this::unwritable);
        Deque<Closeable> opened = new ArrayDeque<>();
        try {
            store = opening.open(writer -> {
                if (settings.receivesOtlp()) {
                    target.ingester(new OtlpIngester(writer, settings.sources));
                }
            });
            opened.push(store::close);
            otlp = settings.receivesOtlp() ? Optional.of(otlp(target)) : Optional.empty();
            budget = otlp.isPresent() ? otlp.get().receiver().budget() : settings.receives() ? budget(settings) : null;
            if (budget != null) {
                opened.push(budget::close);
                noticeShortMemory(budget.capacity());
            }
            watch = new StoreWatch(store, settings.notices);
            StoreQueries stored = queries(settings.queryMemoryBytes);
            QueryApi queryApi = new QueryApi(store.directory(), stored);
            StoreQueries ofNobody = queries(Math.min(WarmUp.MEMORY_BYTES_MAX, settings.queryMemoryBytes));
            warmUp = new WarmUp(ofNobody, new QueryApi(store.directory(), ofNobody), Thread::new);
            apis = apis(stored, queryApi);
            queries = new QueryPool(
                    settings.queries,
                    apis.stream().flatMap(api -> api.names().stream()).toList());
            health = new Health(
                    watch::problem,
                    List.of(
                            target::problem,
                            () -> Optional.ofNullable(ingest).flatMap(IngestServer::problem),
                            () -> Optional.ofNullable(servers).flatMap(HttpServers::problem)));
        } catch (IOException | RuntimeException | Error e) {
            opened.forEach(closeable -> closeAfter(e, closeable));
            throw e;
        }
    }

    /** Provides the store. */
    private interface Opening {
        /** @param onWritable is given the writer as soon as the store can be written */
        ServedStore open(Consumer<SharedWriter> onWritable);
    }

    private StoreQueries queries(long memoryBytes) {
        return new StoreQueries(
                store::store,
                new StoreQueries.Limits(settings.queryTimeout, settings.maxGroups),
                new QueryMemory(memoryBytes));
    }

    private String unwritable() {
        return store.reason();
    }

    private ServerMetrics.Otlp otlp(OtlpTarget target) throws IOException {
        return new ServerMetrics.Otlp(
                new OtlpReceiver(settings.otlp, settings.protection, target, new JsonRequests(), settings.failures),
                target);
    }

    private static InFlightBudget budget(ServerSettings settings) throws IOException {
        return InFlightBudget.open(settings.otlp.budgetFolder(), settings.otlp.budgetLength());
    }

    private void noticeShortMemory(int bytes) {
        if (bytes < settings.otlp.budgetLength()) {
            settings.notices.accept("memory for requests in flight is short: bytes=" + bytes + ", wanted="
                    + settings.otlp.budgetLength() + ", folder=" + settings.otlp.budgetFolder()
                    + "; -XX:MaxDirectMemorySize limits what may take its place");
        }
    }

    /**
     * Serves a store that the application has open, to readers. The application closes it, after the server.
     *
     * @throws IOException if an endpoint can't be bound
     * @throws IllegalArgumentException for an endpoint that receives records, and for one that others could reach unprotected
     */
    public static LoomServer start(Store store, ServerSettings settings) throws IOException {
        if (settings.receives()) {
            throw new IllegalArgumentException(
                    "endpoint receives records, and needs a SharedWriter: settings=" + settings);
        }
        return start(settings, onWritable -> GivenStore.toRead(store));
    }

    /**
     * Serves a store that the application has open, to readers and to senders of records, which take turns with the
     * application's own threads. The application closes it, after the server.
     *
     * @throws IOException if an endpoint can't be bound
     * @throws IllegalArgumentException for an endpoint that others could reach unprotected
     */
    public static LoomServer start(SharedWriter writer, ServerSettings settings) throws IOException {
        return start(settings, onWritable -> {
            onWritable.accept(writer);
            return GivenStore.toWrite(writer);
        });
    }

    /**
     * Serves a store to readers that another process may write, now or later, without affecting that process.
     *
     * @throws dev.loom.error.LoomException if the store can't be read
     * @throws IOException if an endpoint can't be bound
     * @throws IllegalArgumentException for an endpoint that receives records, and for one that others could reach unprotected
     */
    public static LoomServer attach(Path directory, ServerSettings settings) throws IOException {
        if (settings.receives()) {
            throw new IllegalArgumentException(
                    "endpoint receives records, and a reader writes none: settings=" + settings);
        }
        return start(settings, onWritable -> GivenStore.followed(directory));
    }

    /**
     * Opens the store that the settings name, serves it, and closes it in the end. While the disk does not allow writing, the
     * store is served as it is.
     *
     * @throws dev.loom.error.LoomException if the store can't be opened at all
     * @throws IOException if an endpoint can't be bound
     * @throws IllegalArgumentException if the settings name no store, and for an endpoint that others could reach unprotected
     */
    public static LoomServer open(ServerSettings settings) throws IOException {
        LoomConfig config =
                settings.store().orElseThrow(() -> new IllegalArgumentException("settings name no store: " + settings));
        return start(settings, onWritable -> OpenedStore.open(config, settings.openInterval, onWritable));
    }

    private static LoomServer start(ServerSettings settings, Opening opening) throws IOException {
        LoomServer server = new LoomServer(settings, opening);
        try {
            server.watch.start();
            server.startIngest();
            server.startHttp();
            if (settings.api().isPresent()) {
                server.warmUp.begin();
            }
            return server;
        } catch (IOException | RuntimeException | Error e) {
            closeAfter(e, server::close);
            throw e;
        }
    }

    private static void closeAfter(Throwable failure, Closeable opened) {
        try {
            opened.close();
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private void startIngest() throws IOException {
        Endpoint endpoint = settings.ingest().orElse(null);
        if (endpoint == null) {
            return;
        }
        settings.protection.check(endpoint);
        IngestServer server = IngestServer.start(
                endpoint,
                store::writer,
                schema(settings.ingestSchemaChanges()),
                Objects.requireNonNull(budget),
                settings.protection,
                settings.failures,
                IngestServer.FRAME_DEADLINE_NS);
        ingest = server;
        addresses.put("ingest", found(endpoint, server.port()));
    }

    private SchemaRequests schema(SchemaRequests.Changes changes) {
        return new SchemaRequests(
                store::schema,
                id -> otlp.filter(receiver -> receiver.target().feeds(id)).isPresent(),
                changes);
    }

    private List<HttpApi> apis(StoreQueries stored, QueryApi queryApi) {
        return List.of(
                queryApi,
                new SchemaApi(schema(settings.apiSchemaChanges())),
                new PageApi(warmUp::begin),
                new LokiApi(stored, BuildVersion.text()),
                new PrometheusApi(stored, BuildVersion.text()),
                new JaegerApi(stored),
                new TempoApi(stored, BuildVersion.text()),
                new McpApi(queryApi, BuildVersion.text()));
    }

    private void startHttp() throws IOException {
        List<Listener> listeners = new ArrayList<>();
        List<String> names = new ArrayList<>();
        otlp.map(ServerMetrics.Otlp::receiver).ifPresent(receiver -> {
            settings.otlpGrpc().ifPresent(endpoint -> {
                names.add("otlp-grpc");
                listeners.add(new Listener(endpoint, receiver, receiver.refusals()));
            });
            settings.otlpHttp().ifPresent(endpoint -> {
                names.add("otlp-http");
                listeners.add(new Listener(endpoint, receiver, receiver.refusals()));
            });
        });
        ServerMetrics metrics = new ServerMetrics(
                store.directory(),
                ClockPair.ofThisMachine(),
                store::store,
                () -> health.problem().isEmpty(),
                queries,
                otlp,
                Optional.ofNullable(ingest),
                () -> Optional.ofNullable(servers));
        ApiHandler handler = new ApiHandler(
                apis,
                queries,
                health,
                metrics::text,
                new ApiHandler.AnswerTimes(settings.protection.writeTimeout(), settings.queryTimeout));
        api = handler;
        settings.api().ifPresent(endpoint -> {
            names.add("http");
            Set<String> openPaths = new HashSet<>(settings.openPaths);
            openPaths.addAll(PageApi.paths());
            listeners.add(new Listener(endpoint, handler, ApiHandler.refusals(), openPaths));
        });
        if (listeners.isEmpty()) {
            return;
        }
        HttpServers started = HttpServers.start(settings.protection, listeners, settings.failures);
        servers = started;
        for (int i = 0; i < names.size(); i++) {
            Endpoint endpoint = listeners.get(i).endpoint();
            addresses.put(names.get(i), found(endpoint, started.port(i)));
        }
    }

    private static String found(Endpoint endpoint, int port) {
        return endpoint.socket() == null ? new Endpoint(endpoint.host(), port, null).toString() : endpoint.toString();
    }

    /** The bound addresses with their actual ports, by name: {@code ingest}, {@code otlp-grpc}, {@code otlp-http}, {@code http}. */
    public Map<String, String> addresses() {
        return Collections.unmodifiableMap(addresses);
    }

    /** The store's directory. */
    public Path directory() {
        return store.directory();
    }

    /** How far arrival times are ahead of the machine's clock; zero if less than a second. */
    public Duration clockAhead() {
        try {
            return store.store().info().clockAhead();
        } catch (LoomException | IllegalStateException | OutOfMemoryError e) {
            return Duration.ZERO; // don't fail if it is unknown now
        }
    }

    /** Refuses new requests, answers those in progress, and closes the store if it was opened by the server. */
    @Override
    public void close() throws IOException {
        close(REQUESTS_GRACE);
    }

    /** @param grace for all that may wait, together, so that the store has the rest of the time */
    void close(Duration grace) throws IOException {
        long endNs = System.nanoTime() + grace.toNanos();
        health.close();
        try {
            if (servers != null) {
                // First, so that nothing new is taken; what is in flight there goes on while others are waited for.
                servers.drain();
            }
            // Before the end, so that those which wait for the store are still answered.
            otlp.ifPresent(receiving ->
                    receiving.target().endWaits(grace.multipliedBy(3).dividedBy(4)));
            warmUp.close(left(endNs));
            if (api != null) {
                api.close();
            }
            if (ingest != null) {
                ingest.close(left(endNs).toNanos());
            }
            if (api != null) {
                api.awaitAnswered(left(endNs));
            }
        } finally {
            try {
                if (servers != null) {
                    servers.close(left(endNs));
                }
            } finally {
                closeStore();
            }
        }
    }

    private static Duration left(long endNs) {
        return Duration.ofNanos(Math.max(0, endNs - System.nanoTime()));
    }

    private void closeStore() {
        try {
            queries.close();
            watch.close();
        } finally {
            try {
                store.close();
            } finally {
                if (budget != null) {
                    budget.close();
                }
            }
        }
    }
}
