package dev.loom.server;

import dev.loom.LoomConfig;
import dev.loom.api.ProgressHandler;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.OtlpConfig;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.query.GroupedAggregate;
import dev.loom.server.protocol.SchemaRequests;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The settings of a server: where it listens, whom it lets in, and its limits. Immutable; made by a {@link Builder}. */
public final class ServerSettings {
    static final String API_SCHEMA_CHANGES = "api.schema_changes";
    static final String INGEST_SCHEMA_CHANGES = "receivers.loom.schema_changes";

    /** The default is the heap divided by this. */
    private static final int QUERY_MEMORY_SHARE = 4;

    private final @Nullable LoomConfig store;
    final Duration openInterval;
    private final @Nullable Endpoint otlpGrpc;
    private final @Nullable Endpoint otlpHttp;
    private final @Nullable Endpoint ingest;
    private final @Nullable Endpoint api;
    final ServerProtection protection;
    final OtlpConfig otlp;
    final IngestSettings sources;
    final QueryPool.Limits queries;
    final Duration queryTimeout;
    final long queryMemoryBytes;
    /** The greatest cap on groups that a query may set. */
    final int maxGroups;
    /** Paths of the API that need no token. */
    final Set<String> openPaths;

    private final boolean apiSchemaChanges;
    private final boolean ingestSchemaChanges;
    final Consumer<Throwable> failures;
    final Consumer<String> notices;

    private ServerSettings(Builder from) {
        store = from.store;
        openInterval = from.openInterval;
        otlpGrpc = from.otlpGrpc;
        otlpHttp = from.otlpHttp;
        ingest = from.ingest;
        api = from.api;
        protection = from.protection;
        otlp = from.otlp;
        sources = from.sources.withConcurrency(otlp.exportThreads()); // no more requests get there at once
        queries = new QueryPool.Limits(from.maxQueries, from.maxQueuedQueries, from.queueTimeout, from.maxFollowers);
        queryTimeout = from.queryTimeout;
        queryMemoryBytes = from.queryMemoryBytes;
        maxGroups = from.maxGroups;
        openPaths = Set.copyOf(from.openPaths);
        apiSchemaChanges = from.apiSchemaChanges;
        ingestSchemaChanges = from.ingestSchemaChanges;
        failures = from.failures;
        notices = from.notices;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Reads settings as {@code loom serve} does: from a file in YAML, whose values may refer to variables. {@code docs/sidecar.md}
     * lists them. Without any endpoint, OTLP is received at localhost:4317 and 4318, and queries are answered at localhost:4319; for
     * {@link LoomServer#start(dev.loom.api.Store, ServerSettings)} and {@link LoomServer#attach}, which receive nothing, name {@code api.endpoint}.
     *
     * <p>{@code store.directory} is required also where a server is given a store, which ignores the settings of {@code store}. Variables such as
     * {@code LOOM_DIR} are the command's, and not looked at: name their values as overrides.
     *
     * @param file null for none
     * @param environment what <code>${NAME}</code> in the file stands for
     * @param overrides values that replace the file's, by the path of the setting, such as {@code api.endpoint}
     * @throws IllegalArgumentException if the file can't be read, or a setting is unknown or invalid
     */
    public static Builder read(@Nullable Path file, Map<String, String> environment, Map<String, String> overrides) {
        return read(file, environment, overrides, ProgressHandler.NONE);
    }

    /**
     * As {@link #read(Path, Map, Map)}.
     *
     * @param progress as {@link LoomConfig.Builder#progress}
     */
    public static Builder read(
            @Nullable Path file,
            Map<String, String> environment,
            Map<String, String> overrides,
            ProgressHandler progress) {
        ConfigFile config = file == null ? ConfigFile.empty() : ConfigFile.read(file, environment);
        config.override(overrides);
        return SettingsReader.read(config, progress);
    }

    Optional<LoomConfig> store() {
        return Optional.ofNullable(store);
    }

    Optional<Endpoint> otlpGrpc() {
        return Optional.ofNullable(otlpGrpc);
    }

    Optional<Endpoint> otlpHttp() {
        return Optional.ofNullable(otlpHttp);
    }

    Optional<Endpoint> ingest() {
        return Optional.ofNullable(ingest);
    }

    Optional<Endpoint> api() {
        return Optional.ofNullable(api);
    }

    /** Whether any endpoint receives OTLP. */
    boolean receivesOtlp() {
        return otlpGrpc != null || otlpHttp != null;
    }

    /** Whether any endpoint receives records. */
    boolean receives() {
        return receivesOtlp() || ingest != null;
    }

    /** Whether requests to the API may change the schema. */
    SchemaRequests.Changes apiSchemaChanges() {
        return new SchemaRequests.Changes(API_SCHEMA_CHANGES, apiSchemaChanges);
    }

    /** Whether clients of the raw port may change the schema. */
    SchemaRequests.Changes ingestSchemaChanges() {
        return new SchemaRequests.Changes(INGEST_SCHEMA_CHANGES, ingestSchemaChanges);
    }

    @Override
    public String toString() {
        return "ServerSettings[store=" + store + ", openInterval=" + openInterval + ", otlpGrpc=" + otlpGrpc
                + ", otlpHttp="
                + otlpHttp + ", ingest=" + ingest + ", api=" + api + ", protection=" + protection + ", otlp=" + otlp
                + ", sources=" + sources + ", queries=" + queries + ", queryTimeout=" + queryTimeout
                + ", queryMemoryBytes=" + queryMemoryBytes + ", maxGroups=" + maxGroups + ", openPaths=" + openPaths
                + ", apiSchemaChanges="
                + apiSchemaChanges + ", ingestSchemaChanges=" + ingestSchemaChanges + ']';
    }

    /** Collects settings. Without an endpoint, nothing listens there. For one thread. */
    public static final class Builder {
        private @Nullable LoomConfig store;
        private Duration openInterval = Duration.ofMillis(500);
        private @Nullable Endpoint otlpGrpc;
        private @Nullable Endpoint otlpHttp;
        private @Nullable Endpoint ingest;
        private @Nullable Endpoint api;
        private ServerProtection protection = ServerProtection.defaults();
        private OtlpConfig otlp = OtlpConfig.defaults();
        private IngestSettings sources = IngestSettings.defaults();
        private int maxQueries = 8;
        private int maxQueuedQueries = 64;
        private Duration queueTimeout = Duration.ofSeconds(30);
        private int maxFollowers = 8;
        private Duration queryTimeout = Duration.ofMinutes(1);
        private long queryMemoryBytes = Runtime.getRuntime().maxMemory() / QUERY_MEMORY_SHARE;
        private int maxGroups = GroupedAggregate.GROUPS_MAX;
        private final Set<String> openPaths = new HashSet<>(Set.of(ApiHandler.HEALTH, ApiHandler.READINESS));
        private boolean apiSchemaChanges = true;
        private boolean ingestSchemaChanges = true;
        private Consumer<Throwable> failures = failure -> {};
        private Consumer<String> notices = notice -> {};

        private Builder() {}

        private static int atLeast(int min, String what, int value) {
            if (value < min) {
                throw new IllegalArgumentException("most " + what + " are too few: max=" + value + ", min=" + min);
            }
            return value;
        }

        /** The store that {@link LoomServer#open} opens. */
        public Builder store(LoomConfig value) {
            store = value;
            return this;
        }

        /**
         * How long to rest between attempts to open that store for writing while the disk does not allow it; at least nine times
         * as long as an attempt takes. Default 500 ms.
         */
        public Builder openInterval(Duration value) {
            openInterval = value;
            return this;
        }

        /** Receives OTLP/gRPC there; null for nowhere. */
        public Builder otlpGrpc(@Nullable Endpoint value) {
            otlpGrpc = value;
            return this;
        }

        /** Receives OTLP/HTTP there; null for nowhere. */
        public Builder otlpHttp(@Nullable Endpoint value) {
            otlpHttp = value;
            return this;
        }

        /** Receives raw records there ({@code docs/ingest-protocol.md}); null for nowhere. */
        public Builder ingest(@Nullable Endpoint value) {
            ingest = value;
            return this;
        }

        /** Answers queries, and requests for health and metrics, there ({@code docs/http-api.md}); null for nowhere. */
        public Builder api(@Nullable Endpoint value) {
            api = value;
            return this;
        }

        /** Limits of connections, hosts, tokens and TLS. */
        public Builder protection(ServerProtection value) {
            protection = value;
            return this;
        }

        /** Limits of OTLP requests. */
        public Builder otlp(OtlpConfig value) {
            otlp = value;
            return this;
        }

        /** The sources that OTLP requests are stored in, as many requests at once as {@link #otlp} has threads for. */
        public Builder sources(IngestSettings value) {
            sources = value;
            return this;
        }

        /** The most queries that run at once; default 8. */
        public Builder maxQueries(int value) {
            maxQueries = atLeast(1, "queries at once", value);
            return this;
        }

        /** The most queries, and the most lookups, that wait for a thread; default 64. */
        public Builder maxQueuedQueries(int value) {
            maxQueuedQueries = atLeast(0, "queries that wait", value);
            return this;
        }

        /** How long they wait before they are refused; default 30 s. */
        public Builder queueTimeout(Duration value) {
            queueTimeout = value;
            return this;
        }

        /** The most requests that follow a source; default 8. */
        public Builder maxFollowers(int value) {
            maxFollowers = atLeast(1, "followers at once", value);
            return this;
        }

        /** The longest time of a query that does not follow; default 1 minute. */
        public Builder queryTimeout(Duration value) {
            queryTimeout = value;
            return this;
        }

        /** The memory that queries may hold together, bytes; default a quarter of the heap. */
        public Builder queryMemoryBytes(long value) {
            queryMemoryBytes = value;
            return this;
        }

        /**
         * The most groups, and distinct values, that a query may hold whatever it asks for, from 1 to {@link
         * GroupedAggregate#GROUPS_MAX}, which is the default. A query that says nothing holds the lower one of this and of its own
         * defaults.
         *
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder maxGroups(int value) {
            if (value < 1 || value > GroupedAggregate.GROUPS_MAX) {
                throw new IllegalArgumentException("most groups of a query are out of range: groups=" + value
                        + ", min=1, max=" + GroupedAggregate.GROUPS_MAX);
            }
            maxGroups = value;
            return this;
        }

        /** Whether health and readiness need the token; default false. */
        public Builder tokenForHealth(boolean value) {
            return open(!value, ApiHandler.HEALTH).open(!value, ApiHandler.READINESS);
        }

        /** Whether metrics need the token; default true. */
        public Builder tokenForMetrics(boolean value) {
            return open(!value, ApiHandler.METRICS);
        }

        private Builder open(boolean open, String path) {
            if (open) {
                openPaths.add(path);
            } else {
                openPaths.remove(path);
            }
            return this;
        }

        /** Whether requests to the API may change the schema; default true. */
        public Builder apiSchemaChanges(boolean value) {
            apiSchemaChanges = value;
            return this;
        }

        /** Whether clients of the raw port may change the schema; default true. */
        public Builder ingestSchemaChanges(boolean value) {
            ingestSchemaChanges = value;
            return this;
        }

        /** Takes failures that do not stop the server, from any thread; by default nobody does. */
        public Builder onFailure(Consumer<Throwable> value) {
            failures = value;
            return this;
        }

        /**
         * Takes one-line notices, from any thread: of the store's changes for the better or the worse, and of memory that was
         * not to be had. By default nobody does.
         */
        public Builder onNotice(Consumer<String> value) {
            notices = value;
            return this;
        }

        public ServerSettings build() {
            return new ServerSettings(this);
        }
    }
}
