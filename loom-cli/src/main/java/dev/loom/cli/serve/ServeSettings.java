package dev.loom.cli.serve;

import dev.loom.LoomConfig;
import dev.loom.cli.console.CommandFailure;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.OtlpConfig;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.otlp.server.TlsConfig;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.where.Quantity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A sidecar's settings: those of the configuration file, overridden by options.
 *
 * @param directory the store's directory
 * @param store how to open the store
 * @param openInterval how often to retry opening the store for writing while the disk does not allow it
 * @param otlpGrpc endpoint of OTLP/gRPC
 * @param otlpHttp endpoint of OTLP/HTTP
 * @param api endpoint of the query API
 * @param ingest endpoint of raw records
 * @param queries limits of concurrent requests
 * @param queryTimeMax the longest time of a query
 * @param queryMemory memory that all queries may hold together
 * @param openPaths API paths that need no token
 * @param apiSchemaChanges whether API requests may change the schema
 * @param ingestSchemaChanges whether clients of the raw port may change the schema
 */
record ServeSettings(
        Path directory,
        LoomConfig store,
        Duration openInterval,
        Optional<Endpoint> otlpGrpc,
        Optional<Endpoint> otlpHttp,
        Optional<Endpoint> api,
        Optional<Endpoint> ingest,
        ServerProtection protection,
        OtlpConfig otlp,
        IngestSettings sources,
        QueryPool.Limits queries,
        Duration queryTimeMax,
        QueryMemory queryMemory,
        Set<String> openPaths,
        GuardedSchema.Changes apiSchemaChanges,
        GuardedSchema.Changes ingestSchemaChanges) {
    private static final String OTLP_GRPC_DEFAULT = "localhost:4317";
    private static final String OTLP_HTTP_DEFAULT = "localhost:4318";
    private static final String API_DEFAULT = "localhost:4319";
    private static final String NONE = "none";
    private static final int QUERIES_MAX = 8;
    private static final Duration OPEN_INTERVAL = Duration.ofSeconds(5);
    private static final int QUEUED_QUERIES_MAX = 16;
    private static final Duration QUEUE_TIME_MAX = Duration.ofSeconds(5);
    private static final int FOLLOWERS_MAX = 8;
    private static final Duration QUERY_TIME_MAX = Duration.ofMinutes(1);
    /** The default is the heap divided by this. */
    private static final int QUERY_MEMORY_SHARE = 4;

    private static final int MIB = 1 << 20;

    /** The options of the command line; null where not given. */
    record Options(
            @Nullable Path directory,
            @Nullable String otlpGrpc,
            @Nullable String otlpHttp,
            @Nullable String api,
            @Nullable String ingest,
            @Nullable Path tokenFile,
            @Nullable Path certFile,
            @Nullable Path keyFile,
            @Nullable Path clientCaFile,
            boolean insecure) {}

    /**
     * Merges options and file.
     *
     * @throws CommandFailure for invalid settings
     */
    static ServeSettings of(Options options, ConfigFile file) {
        try {
            ServeSettings settings = read(options, file);
            file.requireNoOthers();
            return settings;
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
    }

    private static ServeSettings read(Options options, ConfigFile file) {
        String otlpGrpc = first(options.otlpGrpc, file.text("receivers.otlp.protocols.grpc.endpoint"));
        String otlpHttp = first(options.otlpHttp, file.text("receivers.otlp.protocols.http.endpoint"));
        String api = first(options.api, file.text("api.endpoint"));
        String ingest = first(options.ingest, file.text("receivers.loom.endpoint"));
        if (otlpGrpc == null && otlpHttp == null && api == null && ingest == null) {
            otlpGrpc = OTLP_GRPC_DEFAULT;
            otlpHttp = OTLP_HTTP_DEFAULT;
            api = API_DEFAULT;
        }
        Path directory = directory(options, file);
        return new ServeSettings(
                directory,
                store(directory, file),
                duration(file, "store.open_interval").orElse(OPEN_INTERVAL),
                endpoint(otlpGrpc),
                endpoint(otlpHttp),
                endpoint(api),
                endpoint(ingest),
                protection(options, file),
                otlp(file),
                sources(file),
                new QueryPool.Limits(
                        file.count("api.max_queries").orElse(QUERIES_MAX),
                        file.count("api.max_queued_queries").orElse(QUEUED_QUERIES_MAX),
                        duration(file, "api.queue_timeout").orElse(QUEUE_TIME_MAX),
                        file.count("api.max_followers").orElse(FOLLOWERS_MAX)),
                duration(file, "api.query_timeout").orElse(QUERY_TIME_MAX),
                queryMemory(file),
                openPaths(file),
                changes(file, "api.schema_changes"),
                changes(file, "receivers.loom.schema_changes"));
    }

    private static GuardedSchema.Changes changes(ConfigFile file, String setting) {
        return new GuardedSchema.Changes(setting, file.flag(setting).orElse(true));
    }

    private static Set<String> openPaths(ConfigFile file) {
        Set<String> paths = new HashSet<>();
        if (!file.flag("api.token_for_health").orElse(false)) {
            paths.add(ApiHandler.HEALTH);
            paths.add(ApiHandler.READINESS);
        }
        if (!file.flag("api.token_for_metrics").orElse(true)) {
            paths.add(ApiHandler.METRICS);
        }
        return paths;
    }

    private static QueryMemory queryMemory(ConfigFile file) {
        return new QueryMemory(file.count("api.query_memory_mib")
                .map(mib -> (long) mib * MIB)
                .orElse(Runtime.getRuntime().maxMemory() / QUERY_MEMORY_SHARE));
    }

    private static @Nullable String first(@Nullable String option, Optional<String> setting) {
        return option == null ? setting.orElse(null) : option;
    }

    private static Optional<Endpoint> endpoint(@Nullable String text) {
        return text == null || text.equals(NONE) ? Optional.empty() : Optional.of(Endpoint.parse(text));
    }

    private static Path directory(Options options, ConfigFile file) {
        Optional<Path> setting = file.text("store.directory").map(Path::of);
        return Optional.ofNullable(options.directory)
                .or(() -> setting)
                .orElseThrow(() -> CommandFailure.usage(
                        "no store given; use --dir, LOOM_DIR or store.directory in the configuration"));
    }

    private static LoomConfig store(Path directory, ConfigFile file) {
        LoomConfig.Builder store = LoomConfig.at(directory);
        file.text("store.staging_directory").map(Path::of).ifPresent(store::stagingDirectory);
        file.count("store.record_ring_mib")
                .map(mib -> bytes("store.record_ring_mib", mib))
                .ifPresent(store::recordRingBytes);
        file.count("store.segment_mib").ifPresent(mib -> store.segmentBytes((long) mib * MIB));
        duration(file, "store.durability_interval").ifPresent(store::durabilityInterval);
        return store.build();
    }

    private static ServerProtection protection(Options options, ConfigFile file) {
        ServerProtection.Builder protection = ServerProtection.builder()
                .tls(tls(options, file))
                .tokenFile(path(options.tokenFile, file, "server.auth.token_file"))
                .allowedHosts(file.texts("server.allowed_hosts"))
                .allowedOrigins(file.texts("server.cors.allowed_origins"))
                .insecure(file.flag("server.insecure").orElse(false) || options.insecure);
        file.count("server.max_connections").ifPresent(protection::maxConnections);
        file.count("server.max_concurrent_streams").ifPresent(protection::maxConcurrentStreams);
        file.count("server.max_header_length").ifPresent(protection::maxHeaderLength);
        set(file, "server.read_header_timeout", protection::readHeaderTimeout);
        set(file, "server.read_body_timeout", protection::readBodyTimeout);
        set(file, "server.pressed_timeout", protection::pressedTimeout);
        set(file, "server.write_timeout", protection::writeTimeout);
        set(file, "server.idle_timeout", protection::idleTimeout);
        return protection.build();
    }

    private static void set(ConfigFile file, String path, Consumer<Duration> setting) {
        duration(file, path).ifPresent(setting);
    }

    private static Optional<Duration> duration(ConfigFile file, String path) {
        return file.text(path).map(text -> Duration.ofNanos(Quantity.durationNs(text)));
    }

    private static @Nullable TlsConfig tls(Options options, ConfigFile file) {
        Path cert = path(options.certFile, file, "server.tls.cert_file");
        Path key = path(options.keyFile, file, "server.tls.key_file");
        Path clientCa = path(options.clientCaFile, file, "server.tls.client_ca_file");
        String version = file.text("server.tls.min_version").orElse("1.2");
        Duration reload = duration(file, "server.tls.reload_interval").orElse(Duration.ofMinutes(1));
        if (cert == null && key == null && clientCa == null) {
            return null;
        } else if (cert == null || key == null) {
            throw CommandFailure.usage("TLS needs a certificate and its key: --tls-cert and --tls-key");
        }
        return new TlsConfig(cert, key, clientCa, version, reload);
    }

    private static @Nullable Path path(@Nullable Path option, ConfigFile file, String path) {
        Optional<Path> setting = file.text(path).map(Path::of);
        return option == null ? setting.orElse(null) : option;
    }

    private static OtlpConfig otlp(ConfigFile file) {
        OtlpConfig otlp = OtlpConfig.defaults();
        Optional<Integer> budget = file.count("receivers.otlp.max_in_flight_mib");
        if (budget.isPresent()) {
            otlp = otlp.withBudget(bytes("receivers.otlp.max_in_flight_mib", budget.get()), otlp.budgetFolder());
        }
        Optional<Integer> message = file.count("receivers.otlp.max_recv_msg_size_mib");
        if (message.isPresent()) {
            otlp = otlp.withMaxMessageLength(bytes("receivers.otlp.max_recv_msg_size_mib", message.get()));
        }
        Optional<Integer> ratio = file.count("receivers.otlp.max_decompression_ratio");
        otlp = ratio.isPresent() ? otlp.withMaxDecompressionRatio(ratio.get()) : otlp;
        Optional<Integer> requests = file.count("receivers.otlp.max_requests");
        otlp = requests.isPresent() ? otlp.withMaxRequests(requests.get()) : otlp;
        Optional<Integer> threads = file.count("receivers.otlp.export_threads");
        return threads.isPresent() ? otlp.withExportThreads(threads.get()) : otlp;
    }

    private static int bytes(String name, int mib) {
        if (mib > Integer.MAX_VALUE / MIB) {
            throw CommandFailure.usage(
                    "bad setting: name=" + name + ", value=" + mib + ", max=" + Integer.MAX_VALUE / MIB);
        }
        return mib * MIB;
    }

    private static IngestSettings sources(ConfigFile file) {
        IngestSettings settings = IngestSettings.defaults();
        Optional<String> attribute = file.text("receivers.otlp.source_attribute");
        Optional<Integer> max = file.count("receivers.otlp.max_sources");
        return settings.withSourceAttribute(
                attribute.orElse(settings.sourceAttribute()), max.orElse(settings.sourcesMax()));
    }
}
