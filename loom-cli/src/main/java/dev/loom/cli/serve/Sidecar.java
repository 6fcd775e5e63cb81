package dev.loom.cli.serve;

import dev.loom.Loom;
import dev.loom.SharedWriter;
import dev.loom.cli.api.QueryApi;
import dev.loom.cli.ingest.IngestServer;
import dev.loom.cli.schema.SchemaRequests;
import dev.loom.cli.schema.StoreSchema;
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

/** One store, and the servers around it. Start and close are for one thread. */
final class Sidecar implements AutoCloseable {
    private static final Duration REQUESTS_GRACE = Duration.ofSeconds(4);

    private final ServeSettings settings;
    private final Consumer<Throwable> failures;
    private final SharedWriter writer;
    private final Health health;
    private final QueryPool queries;
    private final InFlightBudget budget;
    private final Optional<ServeMetrics.Otlp> otlp;
    private final Map<String, String> addresses = new LinkedHashMap<>();
    private @Nullable IngestServer ingest;
    private @Nullable HttpServers servers;

    private Sidecar(ServeSettings settings, Consumer<Throwable> failures) throws IOException {
        this.settings = settings;
        this.failures = failures;
        Loom loom = Loom.open(settings.store());
        writer = new SharedWriter(loom);
        health = new Health(loom);
        queries = new QueryPool(settings.queriesMax());
        try {
            otlp = otlp();
            budget = otlp.isPresent()
                    ? otlp.get().receiver().budget()
                    : InFlightBudget.open(
                            settings.otlp().budgetFolder(), settings.otlp().budgetLength());
        } catch (IOException | RuntimeException e) {
            writer.close();
            throw e;
        }
    }

    private Optional<ServeMetrics.Otlp> otlp() throws IOException {
        if (settings.otlpGrpc().isEmpty() && settings.otlpHttp().isEmpty()) {
            return Optional.empty();
        }
        OtlpIngester ingester = new OtlpIngester(writer, settings.sources());
        return Optional.of(new ServeMetrics.Otlp(
                new OtlpReceiver(settings.otlp(), settings.protection(), ingester, new JsonRequests(), failures),
                ingester));
    }

    /**
     * Opens the store and serves.
     *
     * @param failures told of what goes wrong later and ends nothing; called by any thread
     * @throws IOException when an endpoint can't be had
     * @throws IllegalArgumentException for an endpoint that others could reach unprotected
     */
    static Sidecar start(ServeSettings settings, Consumer<Throwable> failures) throws IOException {
        Sidecar sidecar = new Sidecar(settings, failures);
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
            throw new IllegalArgumentException(
                    "endpoint can be reached by other machines, and does not encrypt: endpoint=" + endpoint
                            + "; --insecure allows it");
        }
        IngestServer server = IngestServer.start(
                endpoint,
                writer,
                new StoreSchema(writer.loom()),
                new BudgetMemory(budget),
                settings.protection().tokenFile());
        ingest = server;
        addresses.put("ingest", found(endpoint, server.port()));
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
                writer.loom(), queries, otlp, Optional.ofNullable(ingest), () -> Optional.ofNullable(servers));
        ApiHandler api = new ApiHandler(
                new QueryApi(settings.directory(), settings.queryTimeMax()),
                queries,
                new SchemaRequests(new StoreSchema(writer.loom())),
                health,
                metrics::text);
        settings.api().ifPresent(endpoint -> {
            names.add("http");
            listeners.add(new Listener(endpoint, api, ApiHandler.refusals()));
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

    /** Where it listens, by what for, with the ports that were found. */
    Map<String, String> addresses() {
        return addresses;
    }

    /** Takes no more, answers what is under way, closes the store. */
    @Override
    public void close() throws IOException {
        health.close();
        try {
            if (ingest != null) {
                ingest.close(REQUESTS_GRACE.toNanos());
            }
            if (servers != null) {
                servers.close(REQUESTS_GRACE);
            }
            queries.close();
        } finally {
            writer.close();
            budget.close();
        }
    }
}
