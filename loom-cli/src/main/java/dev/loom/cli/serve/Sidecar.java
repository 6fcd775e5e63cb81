package dev.loom.cli.serve;

import dev.loom.cli.api.QueryApi;
import dev.loom.cli.ingest.IngestServer;
import dev.loom.cli.schema.SchemaAccess;
import dev.loom.cli.schema.SchemaRequests;
import dev.loom.cli.time.ClockPair;
import dev.loom.cli.time.StoreTime;
import dev.loom.error.LoomException;
import dev.loom.otlp.ingest.OtlpIngester;
import dev.loom.otlp.json.JsonRequests;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.HttpServers;
import dev.loom.otlp.server.HttpServers.Listener;
import dev.loom.otlp.server.InFlightBudget;
import dev.loom.otlp.server.OtlpReceiver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One store and the servers around it. One thread starts and closes it. */
final class Sidecar implements AutoCloseable {
    private static final Duration REQUESTS_GRACE = Duration.ofSeconds(4);

    private final ServeSettings settings;
    private final Consumer<Throwable> failures;
    private final ServedStore store;
    private final StoreWatch watch;
    private final Health health;
    private final QueryPool queries;
    private final InFlightBudget budget;
    private final Optional<ServeMetrics.Otlp> otlp;
    private final Map<String, String> addresses = new LinkedHashMap<>();
    private volatile @Nullable IngestServer ingest;
    private volatile @Nullable HttpServers servers;
    private @Nullable ApiHandler api;

    private Sidecar(ServeSettings settings, Consumer<Throwable> failures, Consumer<String> notices) throws IOException {
        this.settings = settings;
        this.failures = failures;
        queries = new QueryPool(settings.queries());
        OtlpTarget target = new OtlpTarget(this::unwritable);
        boolean takesOtlp =
                settings.otlpGrpc().isPresent() || settings.otlpHttp().isPresent();
        store = ServedStore.open(settings, writer -> {
            if (takesOtlp) {
                target.ingester(new OtlpIngester(writer, settings.sources()));
            }
        });
        try {
            otlp = takesOtlp ? Optional.of(otlp(target)) : Optional.empty();
            budget = otlp.isPresent()
                    ? otlp.get().receiver().budget()
                    : InFlightBudget.open(
                            settings.otlp().budgetFolder(), settings.otlp().budgetLength());
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
        watch = new StoreWatch(store, notices, settings.openInterval());
        health = new Health(
                watch::problem,
                List.of(
                        target::problem,
                        () -> Optional.ofNullable(ingest).flatMap(IngestServer::problem),
                        () -> Optional.ofNullable(servers).flatMap(HttpServers::problem)));
    }

    private String unwritable() {
        return store.reason();
    }

    private ServeMetrics.Otlp otlp(OtlpTarget target) throws IOException {
        return new ServeMetrics.Otlp(
                new OtlpReceiver(settings.otlp(), settings.protection(), target, new JsonRequests(), failures), target);
    }

    /**
     * Opens the store and starts the servers.
     *
     * @param failures takes later failures, which do not stop the sidecar; any thread calls it
     * @param notices takes one-line notices of changes for the better or the worse; any thread calls it
     * @throws IOException if an endpoint can't be bound
     * @throws IllegalArgumentException for an unprotected endpoint that others could reach
     */
    static Sidecar start(ServeSettings settings, Consumer<Throwable> failures, Consumer<String> notices)
            throws IOException {
        Sidecar sidecar = new Sidecar(settings, failures, notices);
        try {
            sidecar.startIngest();
            sidecar.startHttp();
            return sidecar;
        } catch (IOException | RuntimeException e) {
            sidecar.close();
            throw e;
        }
    }

    private void startIngest() throws IOException {
        Endpoint endpoint = settings.ingest().orElse(null);
        if (endpoint == null) {
            return;
        }
        if (!endpoint.isLocal() && !settings.protection().insecure()) {
            throw new IllegalArgumentException("endpoint is reachable from other machines and not encrypted: endpoint="
                    + endpoint + "; --insecure allows it");
        }
        IngestServer server = IngestServer.start(
                endpoint,
                store::writer,
                schema(settings.ingestSchemaChanges()),
                new BudgetMemory(budget),
                settings.protection().tokenFile());
        ingest = server;
        addresses.put("ingest", found(endpoint, server.port()));
    }

    private SchemaAccess schema(GuardedSchema.Changes changes) {
        return new GuardedSchema(
                store::schema,
                id -> otlp.filter(receiver -> receiver.target().feeds(id)).isPresent(),
                changes);
    }

    private void startHttp() throws IOException {
        List<Listener> listeners = new ArrayList<>();
        List<String> names = new ArrayList<>();
        otlp.map(ServeMetrics.Otlp::receiver).ifPresent(receiver -> {
            settings.otlpGrpc().ifPresent(endpoint -> {
                names.add("otlp-grpc");
                listeners.add(new Listener(endpoint, receiver, receiver.refusals()));
            });
            settings.otlpHttp().ifPresent(endpoint -> {
                names.add("otlp-http");
                listeners.add(new Listener(endpoint, receiver, receiver.refusals()));
            });
        });
        ServeMetrics metrics = new ServeMetrics(
                settings.directory(),
                ClockPair.ofThisMachine(),
                store::store,
                queries,
                otlp,
                Optional.ofNullable(ingest),
                () -> Optional.ofNullable(servers));
        ApiHandler handler = new ApiHandler(
                new QueryApi(settings.directory(), store::store, settings.queryTimeMax(), settings.queryMemory()),
                queries,
                new SchemaRequests(schema(settings.apiSchemaChanges())),
                health,
                metrics::text,
                new ApiHandler.AnswerTimes(settings.protection().writeTimeout(), settings.queryTimeMax()));
        api = handler;
        settings.api().ifPresent(endpoint -> {
            names.add("http");
            listeners.add(new Listener(endpoint, handler, ApiHandler.refusals(), settings.openPaths()));
        });
        if (listeners.isEmpty()) {
            return;
        }
        HttpServers started = HttpServers.start(settings.protection(), listeners, failures);
        servers = started;
        for (int i = 0; i < names.size(); i++) {
            Endpoint endpoint = listeners.get(i).endpoint();
            addresses.put(names.get(i), found(endpoint, started.port(i)));
        }
    }

    private static String found(Endpoint endpoint, int port) {
        return endpoint.socket() == null ? new Endpoint(endpoint.host(), port, null).toString() : endpoint.toString();
    }

    /** The bound addresses with their actual ports, by name. */
    Map<String, String> addresses() {
        return addresses;
    }

    /** How far arrival times are ahead of the machine's clock; 0 if less than a second. */
    long clockAheadNs() {
        try {
            return StoreTime.aheadNs(store.store());
        } catch (LoomException | IllegalStateException | OutOfMemoryError e) {
            return 0; // don't fail if it is unknown now
        }
    }

    /** Refuses new requests, answers those in progress, and closes the store. */
    @Override
    public void close() throws IOException {
        health.close();
        if (api != null) {
            api.close();
        }
        try {
            if (ingest != null) {
                ingest.close(REQUESTS_GRACE.toNanos());
            }
            if (servers != null) {
                servers.close(REQUESTS_GRACE);
            }
            queries.close();
        } finally {
            watch.close();
            store.close();
            budget.close();
        }
    }
}
