package dev.loom.server;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.StoreInfo;
import dev.loom.error.LoomException;
import dev.loom.otlp.Signal;
import dev.loom.otlp.server.HttpServers;
import dev.loom.otlp.server.OtlpCounters;
import dev.loom.otlp.server.OtlpReceiver;
import dev.loom.otlp.server.Refusal;
import dev.loom.otlp.server.Transport;
import dev.loom.server.http.Load;
import dev.loom.server.ingest.IngestServer;
import dev.loom.server.time.ClockPair;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongBiFunction;

/**
 * A server's metrics for Prometheus.
 *
 * @param directory the store's directory
 * @param started both clocks when the server started
 * @param ready whether {@code /readyz} says so
 * @param otlp the OTLP receiver and its target, if there is one
 * @param ingest the raw port, if there is one
 */
record ServerMetrics(
        Path directory,
        ClockPair started,
        Supplier<Store> store,
        BooleanSupplier ready,
        QueryPool queries,
        Optional<Otlp> otlp,
        Optional<IngestServer> ingest,
        Supplier<Optional<HttpServers>> http) {
    /** The OTLP receiver and where its requests go. */
    record Otlp(OtlpReceiver receiver, OtlpTarget target) {}

    String text() {
        MetricsText text = new MetricsText();
        text.gauge("loom_build_info", "The build of the sidecar.").value(1, "version", BuildVersion.text());
        JvmMetrics.tell(text);
        otlp.ifPresent(receiver -> otlp(text, receiver));
        ingest.ifPresent(server -> ingest(text, server));
        queries(text);
        http.get().ifPresent(servers -> connections(text, servers));
        text.gauge("loom_ready", "Whether records can be taken and reach the disk, as /readyz says.")
                .value(ready.getAsBoolean() ? 1 : 0);
        clock(text);
        disk(text);
        store(text);
        return text.toString();
    }

    /** How far the wall clock was set or has drifted since the start. */
    private void clock(MetricsText text) {
        ClockPair now = ClockPair.ofThisMachine();
        text.gauge(
                        "loom_clock_skew_seconds",
                        "How far the wall clock has moved ahead of the monotonic clock since the start.")
                .seconds(now.startWallNs() - started.wallNs(now.startMonotonicNs()));
    }

    private void disk(MetricsText text) {
        try {
            FileStore disk = Files.getFileStore(directory);
            text.gauge("loom_store_disk_free_bytes", "Bytes available to the store on its file system.")
                    .value(disk.getUsableSpace());
            text.gauge("loom_store_disk_size_bytes", "Size of the store's file system.")
                    .value(disk.getTotalSpace());
        } catch (IOException e) {
            // then there is no value to report
        }
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static void otlp(MetricsText text, Otlp otlp) {
        OtlpCounters counters = otlp.receiver().counters();
        eachCell(text, "loom_otlp_requests_total", "Requests that were accepted.", counters::requests);
        eachCell(
                text,
                "loom_otlp_accepted_records_total",
                "Log records, spans and data points that were stored.",
                counters::acceptedRecords);
        eachCell(
                text,
                "loom_otlp_rejected_records_total",
                "Log records, spans and data points that were rejected or, by store.policy, dropped.",
                counters::rejectedRecords);
        eachCell(text, "loom_otlp_received_bytes_total", "Bytes of accepted requests, decompressed.", counters::bytes);
        text.counter("loom_otlp_refused_requests_total", "Requests that were refused, by reason.");
        for (Refusal.Reason reason : Refusal.Reason.values()) {
            for (Signal signal : Signal.values()) {
                for (Transport transport : Transport.values()) {
                    long refused = counters.refused(signal, transport, reason);
                    if (refused > 0) {
                        text.value(
                                refused,
                                "signal",
                                lower(signal),
                                "transport",
                                lower(transport),
                                "reason",
                                lower(reason));
                    }
                }
            }
        }
        text.counter("loom_otlp_refused_unread_requests_total", "Requests that were refused before they were read.");
        for (Refusal.Reason reason : Refusal.Reason.values()) {
            for (Transport transport : Transport.values()) {
                long refused = counters.refusedUnread(transport, reason);
                if (refused > 0) {
                    text.value(refused, "transport", lower(transport), "reason", lower(reason));
                }
            }
        }
        text.counter(
                "loom_otlp_overflowed_records_total",
                "Records stored in a signal's source because their own was refused or over the limit.");
        for (Signal signal : Signal.values()) {
            text.value(otlp.target().overflowed(signal), "signal", lower(signal));
        }
        text.histogram("loom_otlp_export_duration_seconds", "Time from the end of a request to its response.");
        for (Signal signal : Signal.values()) {
            text.times(counters.times(signal), "signal", lower(signal));
        }
        text.gauge("loom_otlp_in_flight_bytes", "Bytes of requests in flight.")
                .value(otlp.receiver().bytesInFlight());
        text.gauge("loom_otlp_in_flight_limit_bytes", "Memory for requests in flight, in bytes.")
                .value(otlp.receiver().budget().capacity());
    }

    private static void eachCell(
            MetricsText text, String name, String help, ToLongBiFunction<Signal, Transport> counter) {
        text.counter(name, help);
        for (Signal signal : Signal.values()) {
            for (Transport transport : Transport.values()) {
                text.value(
                        counter.applyAsLong(signal, transport), "signal", lower(signal), "transport", lower(transport));
            }
        }
    }

    private static void ingest(MetricsText text, IngestServer server) {
        text.counter("loom_ingest_records_total", "Records accepted by the raw port.")
                .value(server.counters().records.sum());
        text.counter("loom_ingest_batches_total", "Batches accepted in full.")
                .value(server.counters().batches.sum());
        text.counter("loom_ingest_retries_total", "Batches to be sent again, in part or in full.")
                .value(server.counters().retries.sum());
        text.counter("loom_ingest_refusals_total", "Requests that were refused, and protocol violations.")
                .value(server.counters().refusals.sum());
        text.gauge("loom_ingest_connections", "Open connections to the raw port.")
                .value(server.connections());
        text.counter("loom_ingest_refused_connections_total", "Connections to the raw port refused over the limit.")
                .value(server.counters().connectionsRefused.sum());
        text.counter("loom_ingest_failed_handshakes_total", "Connections to the raw port that did not complete TLS.")
                .value(server.counters().handshakesFailed.sum());
    }

    private void queries(MetricsText text) {
        text.histogram(
                "loom_query_duration_seconds", "Duration of completed queries, including the wait for a thread.");
        queries.counters().forEach((name, counters) -> text.times(counters.times, "query", name));
        text.counter("loom_query_failures_total", "Queries that failed.");
        queries.counters().forEach((name, counters) -> text.value(counters.failures.sum(), "query", name));
        text.gauge("loom_queries_running", "Requests in progress.");
        each(kind -> text.value(queries.running(kind), "kind", lower(kind)));
        text.gauge("loom_queries_queued", "Requests waiting for others to finish.");
        each(kind -> text.value(queries.queued(kind), "kind", lower(kind)));
        text.counter("loom_queries_refused_total", "Requests refused over the limits.")
                .value(queries.refused());
    }

    private static void each(Consumer<Load> consumer) {
        List.of(Load.values()).forEach(consumer);
    }

    private static void connections(MetricsText text, HttpServers servers) {
        text.gauge("loom_http_connections", "Open connections to the HTTP and gRPC ports.")
                .value(servers.connections());
        text.counter("loom_http_refused_connections_total", "Connections refused over the limit.")
                .value(servers.refusedConnections());
        text.counter("loom_http_refused_requests_total", "Requests refused for their host, origin or token.")
                .value(servers.refusedRequests());
    }

    private void store(MetricsText text) {
        StoreInfo info;
        try {
            info = store.get().info();
        } catch (LoomException | IllegalStateException e) {
            return;
        }
        text.gauge("loom_log_address_bytes", "Watermarks of the store's logs.");
        watermarks(text, "record", info.records());
        watermarks(text, "time", info.times());
        watermarks(text, "chunk", info.chunks());
        StoreInfo.Session session = info.session().orElse(null);
        text.counter("loom_store_waits_total", "How often the writer waited for room.")
                .value(session == null ? 0 : session.waits());
        text.counter("loom_store_wait_seconds_total", "Time that the writer waited for room.")
                .seconds(session == null ? 0 : session.waited().toNanos());
        text.counter("loom_store_write_failures_total", "Failed page writes.")
                .value(session == null ? 0 : session.writeFailures());
        text.gauge("loom_store_durability_failed", "Whether the last sync failed.")
                .value(session != null && session.durabilityFailed() ? 1 : 0);
        text.gauge(
                        "loom_store_staging_fallback",
                        "Whether the rings are smaller than set, or not where they should be.")
                .value(session != null && session.stagingFallback().isPresent() ? 1 : 0);
        text.counter("loom_store_staging_replaced_total", "How often deleted staging was replaced.")
                .value(info.writer().map(StoreInfo.Writer::stagingReplaced).orElse(0));
        boolean missed = info.writer().flatMap(StoreInfo.Writer::minFreeMissed).isPresent();
        text.gauge("loom_store_min_free_missed", "Whether less is free than min_free, and nothing is left to delete.")
                .value(missed ? 1 : 0);
        text.gauge("loom_store_clock_ahead_seconds", "How far arrival times are ahead of the machine's clock.")
                .seconds(info.clockAhead().toNanos());
        text.gauge("loom_store_sources", "Sources.").value(info.sources());
        try (Snapshot snapshot = store.get().snapshot()) {
            sources(text, snapshot);
            losses(text, snapshot, session == null ? List.of() : session.losses());
        }
    }

    private static void watermarks(MetricsText text, String name, StoreInfo.LogInfo log) {
        text.value(log.begin(), "log", name, "watermark", "begin");
        text.value(log.durable(), "log", name, "watermark", "durable");
        text.value(log.evicted(), "log", name, "watermark", "evicted");
        text.value(log.sealed(), "log", name, "watermark", "sealed");
        text.value(log.tail(), "log", name, "watermark", "tail");
    }

    private static void sources(MetricsText text, Snapshot snapshot) {
        Map<String, Source.Statistics> sources = new LinkedHashMap<>();
        for (Source source : snapshot.sources()) {
            if (!source.closed()) {
                sources.put(source.name(), snapshot.statistics(source.id()));
            }
        }
        text.counter("loom_source_records_total", "Records of a source.");
        sources.forEach(
                (name, statistics) -> text.value(statistics.records() + statistics.deletedRecords(), "source", name));
        text.counter("loom_source_payload_bytes_total", "Payload bytes of a source.");
        sources.forEach(
                (name, statistics) -> text.value(statistics.bytes() + statistics.deletedBytes(), "source", name));
        text.counter("loom_source_lost_records_total", "Lost records of a source.");
        sources.forEach((name, statistics) -> text.value(statistics.lost(), "source", name));
        text.counter("loom_source_deleted_records_total", "Records of a source that retention deleted.");
        sources.forEach((name, statistics) -> text.value(statistics.deletedRecords(), "source", name));
    }

    private static void losses(MetricsText text, Snapshot snapshot, List<StoreInfo.Loss> losses) {
        text.counter(
                "loom_store_lost_records_total",
                "Records lost since the store was opened; those of the sources beyond the first 120 have no source.");
        Map<Integer, String> names = new HashMap<>();
        snapshot.sources().forEach(source -> names.put(source.id(), source.name()));
        Map<List<String>, Long> sums = new LinkedHashMap<>();
        for (StoreInfo.Loss loss : losses) {
            // a source that was closed may have the name of another
            String name = names.getOrDefault(loss.source(), "");
            sums.merge(List.of(name, lower(loss.reason())), loss.records(), Long::sum);
        }
        sums.forEach((labels, records) -> text.value(records, "source", labels.get(0), "reason", labels.get(1)));
    }
}
