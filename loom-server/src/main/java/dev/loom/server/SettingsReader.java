package dev.loom.server;

import dev.loom.LoomConfig;
import dev.loom.api.Pressure;
import dev.loom.api.ProgressHandler;
import dev.loom.api.TextIndexParameters;
import dev.loom.otlp.TlsConfig;
import dev.loom.otlp.ingest.IngestSettings;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.OtlpConfig;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.query.where.Quantity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads a server's settings from a configuration file. Its methods throw {@code IllegalArgumentException} for invalid ones. */
final class SettingsReader {
    private static final String OTLP_GRPC = "receivers.otlp.protocols.grpc";
    private static final String OTLP_HTTP = "receivers.otlp.protocols.http";
    private static final String OTLP_GRPC_DEFAULT = "localhost:4317";
    private static final String OTLP_HTTP_DEFAULT = "localhost:4318";
    private static final String API_DEFAULT = "localhost:4319";
    private static final String NONE = "none";
    private static final String ROLLUP_PERCENT = "store.rollup_percent";
    private static final String TEXT_INDEX_PERCENT = "store.text_index_percent";
    private static final String TEXT_INDEX_PREFIXES = "store.text_index_prefix_length";
    private static final String POLICY = "store.policy";
    private static final Duration NO_AGE = Duration.ofNanos(Long.MAX_VALUE);

    private static final int MIB = 1 << 20;

    private final ConfigFile file;
    private final ServerSettings.Builder settings = ServerSettings.builder();

    private SettingsReader(ConfigFile file) {
        this.file = file;
    }

    static ServerSettings.Builder read(ConfigFile file, ProgressHandler progress) {
        SettingsReader reader = new SettingsReader(file);
        reader.endpoints();
        reader.store(progress);
        reader.receivers();
        reader.queries();
        reader.settings.protection(reader.protection());
        file.requireNoOthers();
        return reader.settings;
    }

    private void endpoints() {
        String otlpGrpc = file.text(OTLP_GRPC + ".endpoint").orElse(null);
        String otlpHttp = file.text(OTLP_HTTP + ".endpoint").orElse(null);
        String api = file.text("api.endpoint").orElse(null);
        String ingest = file.text("receivers.loom.endpoint").orElse(null);
        // a protocol that is named without an endpoint has its default, as the Collector's
        otlpGrpc = otlpGrpc == null && file.isEmptied(OTLP_GRPC) ? OTLP_GRPC_DEFAULT : otlpGrpc;
        otlpHttp = otlpHttp == null && file.isEmptied(OTLP_HTTP) ? OTLP_HTTP_DEFAULT : otlpHttp;
        if (otlpGrpc == null && otlpHttp == null && api == null && ingest == null) {
            otlpGrpc = OTLP_GRPC_DEFAULT;
            otlpHttp = OTLP_HTTP_DEFAULT;
            api = API_DEFAULT;
        }
        settings.otlpGrpc(endpoint(otlpGrpc))
                .otlpHttp(endpoint(otlpHttp))
                .api(endpoint(api))
                .ingest(endpoint(ingest));
    }

    private static @Nullable Endpoint endpoint(@Nullable String text) {
        return text == null || text.equals(NONE) ? null : Endpoint.parse(text);
    }

    private void store(ProgressHandler progress) {
        LoomConfig.Builder store = LoomConfig.at(path("store.directory")
                .orElseThrow(() -> new IllegalArgumentException(
                        "no store given; use --dir, LOOM_DIR or store.directory in the configuration")));
        store.progress(progress);
        path("store.staging_directory").ifPresent(store::stagingDirectory);
        bytes("store.record_ring_mib").ifPresent(store::recordRingBytes);
        file.count("store.segment_mib").ifPresent(mib -> store.segmentBytes((long) mib * MIB));
        duration("store.durability_interval", store::durabilityInterval);
        pressure().ifPresent(store::pressure);
        limit("store.max_size", LoomConfig.UNLIMITED, Quantity::bytes).ifPresent(store::maxBytes);
        limit("store.max_age", NO_AGE, Quantity::duration).ifPresent(store::maxAge);
        limit("store.min_free", 0L, Quantity::bytes).ifPresent(store::minFreeBytes);
        file.text("store.compress_after")
                .filter(text -> !text.equals(NONE))
                .map(Quantity::duration)
                .ifPresent(store::compressAfter);
        file.count("store.compression_percent").ifPresent(percent -> store.compressionShare(percent / 100.0));
        textIndex(store);
        share(ROLLUP_PERCENT, store::rollupShare);
        settings.store(store.build());
        duration("store.open_interval", settings::openInterval);
    }

    /** A share of a processor in percent, or none. */
    private void share(String name, DoubleConsumer setting) {
        if (file.text(name).filter(NONE::equals).isPresent()) {
            setting.accept(0);
        } else {
            file.count(name).ifPresent(percent -> setting.accept(percent / 100.0));
        }
    }

    private void textIndex(LoomConfig.Builder store) {
        share(TEXT_INDEX_PERCENT, store::textIndexShare);
        file.flag("store.text_index_rows").ifPresent(store::textIndexRows);
        TextIndexParameters parameters = TextIndexParameters.DEFAULT;
        store.textIndexParameters(new TextIndexParameters(
                file.count("store.text_index_unit_rows").orElse(parameters.unitRows()),
                file.count("store.text_index_list_rows").orElse(parameters.listRows()),
                file.count("store.text_index_list_bytes").orElse(parameters.listBytes()),
                file.count("store.text_index_count_bytes").orElse(parameters.countBytes()),
                file.text(TEXT_INDEX_PREFIXES).filter(NONE::equals).isPresent()
                        ? 0
                        : file.count(TEXT_INDEX_PREFIXES).orElse(parameters.prefixLength())));
        file.text("store.text_index_memory").map(Quantity::bytes).ifPresent(store::textIndexMemory);
        limit("store.text_index_cache", 0L, Quantity::bytes).ifPresent(store::textIndexCacheBytes);
        file.text("store.text_index_max_size")
                .filter(text -> !text.equals(NONE))
                .map(Quantity::bytes)
                .ifPresent(store::textIndexBytes);
    }

    private Optional<Pressure> pressure() {
        return file.text(POLICY).map(word -> switch (word) {
            case "wait" -> Pressure.WAIT;
            case "drop-newest" -> Pressure.DROP_NEWEST;
            default ->
                throw new IllegalArgumentException(
                        "bad setting: name=" + POLICY + ", value=" + word + ", expected=wait or drop-newest");
        });
    }

    private void receivers() {
        OtlpConfig otlp = OtlpConfig.defaults();
        Optional<Integer> budget = bytes("receivers.otlp.max_in_flight_mib");
        otlp = budget.isPresent() ? otlp.withBudget(budget.get(), otlp.budgetFolder()) : otlp;
        Optional<Integer> message = bytes("receivers.otlp.max_recv_msg_size_mib");
        otlp = message.isPresent() ? otlp.withMaxMessageLength(message.get()) : otlp;
        Optional<Integer> ratio = file.count("receivers.otlp.max_decompression_ratio");
        otlp = ratio.isPresent() ? otlp.withMaxDecompressionRatio(ratio.get()) : otlp;
        Optional<Integer> requests = file.count("receivers.otlp.max_requests");
        otlp = requests.isPresent() ? otlp.withMaxRequests(requests.get()) : otlp;
        Optional<Integer> threads = file.count("receivers.otlp.export_threads");
        settings.otlp(threads.isPresent() ? otlp.withExportThreads(threads.get()) : otlp);
        IngestSettings sources = IngestSettings.defaults();
        settings.sources(sources.withSourceAttribute(
                file.text("receivers.otlp.source_attribute").orElse(sources.sourceAttribute()),
                file.count("receivers.otlp.max_sources").orElse(sources.sourcesMax())));
        file.flag(ServerSettings.INGEST_SCHEMA_CHANGES).ifPresent(settings::ingestSchemaChanges);
    }

    private void queries() {
        file.count("api.max_queries").ifPresent(settings::maxQueries);
        file.count("api.max_queued_queries").ifPresent(settings::maxQueuedQueries);
        duration("api.queue_timeout", settings::queueTimeout);
        file.count("api.max_followers").ifPresent(settings::maxFollowers);
        duration("api.query_timeout", settings::queryTimeout);
        file.count("api.query_memory_mib").ifPresent(mib -> settings.queryMemoryBytes((long) mib * MIB));
        file.count("api.max_groups").ifPresent(settings::maxGroups);
        file.flag("api.token_for_health").ifPresent(settings::tokenForHealth);
        file.flag("api.token_for_metrics").ifPresent(settings::tokenForMetrics);
        file.flag(ServerSettings.API_SCHEMA_CHANGES).ifPresent(settings::apiSchemaChanges);
    }

    private ServerProtection protection() {
        ServerProtection.Builder protection = ServerProtection.builder()
                .tls(tls())
                .tokenFile(protectiveFile("server.auth.token_file").orElse(null))
                .allowedHosts(file.texts("server.allowed_hosts"))
                .allowedOrigins(file.texts("server.cors.allowed_origins"));
        file.flag("server.insecure").ifPresent(protection::insecure);
        file.count("server.max_connections").ifPresent(protection::maxConnections);
        file.count("server.max_concurrent_streams").ifPresent(protection::maxConcurrentStreams);
        file.count("server.max_header_length").ifPresent(protection::maxHeaderLength);
        duration("server.read_header_timeout", protection::readHeaderTimeout);
        duration("server.read_body_timeout", protection::readBodyTimeout);
        duration("server.pressed_timeout", protection::pressedTimeout);
        duration("server.write_timeout", protection::writeTimeout);
        duration("server.idle_timeout", protection::idleTimeout);
        return protection.build();
    }

    private @Nullable TlsConfig tls() {
        Path cert = protectiveFile("server.tls.cert_file").orElse(null);
        Path key = protectiveFile("server.tls.key_file").orElse(null);
        Path clientCa = protectiveFile("server.tls.client_ca_file").orElse(null);
        String version = file.text("server.tls.min_version").orElse("1.2");
        Duration reload = duration("server.tls.reload_interval").orElse(Duration.ofMinutes(1));
        if (cert == null && key == null && clientCa == null) {
            return null;
        } else if (cert == null || key == null) {
            throw new IllegalArgumentException("TLS needs a certificate and its key: --tls-cert and --tls-key");
        }
        return new TlsConfig(cert, key, clientCa, version, reload);
    }

    /** @param unlimited what {@code none} stands for */
    private <T> Optional<T> limit(String name, T unlimited, Function<String, T> parse) {
        return file.text(name).map(text -> text.equals(NONE) ? unlimited : parse.apply(text));
    }

    private Optional<Path> path(String name) {
        return file.text(name).map(Path::of);
    }

    private Optional<Path> protectiveFile(String name) {
        return file.protectiveText(name).map(Path::of);
    }

    private void duration(String name, Consumer<Duration> setting) {
        duration(name).ifPresent(setting);
    }

    private Optional<Duration> duration(String name) {
        return file.text(name).map(Quantity::duration);
    }

    /** A number of MiB, as bytes. */
    private Optional<Integer> bytes(String name) {
        return file.count(name).map(mib -> {
            if (mib > Integer.MAX_VALUE / MIB) {
                throw new IllegalArgumentException(
                        "bad setting: name=" + name + ", value=" + mib + ", max=" + Integer.MAX_VALUE / MIB);
            }
            return mib * MIB;
        });
    }
}
