package dev.loom.server.json;

import dev.loom.api.Eviction;
import dev.loom.api.StoreInfo;
import dev.loom.api.StoreInfo.IndexState;
import dev.loom.api.StoreInfo.LogInfo;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A store's description as {@code info} prints it: values by name, in display order. The names are stable. */
final class InfoValues {
    private final Map<String, Object> values = new LinkedHashMap<>();

    private InfoValues() {}

    static Map<String, Object> of(StoreInfo info) {
        InfoValues into = new InfoValues();
        into.store(info);
        info.session().ifPresent(into::session);
        info.failure().ifPresent(message -> into.values.put("error", message));
        info.writer().ifPresent(into::writer);
        return into.values;
    }

    private void store(StoreInfo info) {
        values.put("directory", info.directory().toString());
        values.put("format", info.formatVersion());
        values.put("store_id", Long.toHexString(info.storeId()));
        values.put("epoch", info.epoch());
        values.put("state", lower(info.state()));
        values.put("sources", info.sources());
        values.put("segment_bytes", info.segmentBytes());
        retention(info.retention());
        info.owner().ifPresent(owner -> {
            values.put("owner_pid", owner.pid());
            if (!owner.near()) {
                values.put("owner_pid_namespace", "another");
            }
            values.put("owner_host", owner.host());
            values.put("staging", owner.staging().toString());
            values.put("record_ring_bytes", info.records().ringBytes());
            values.put("time_ring_bytes", info.times().ringBytes());
            values.put("chunk_ring_bytes", info.chunks().ringBytes());
        });
        log("record", info.records());
        log("time", info.times());
        log("chunk", info.chunks());
        values.put("record_bytes", info.records().bytes());
        values.put("index_bytes", info.times().bytes() + info.chunks().bytes());
        if (info.records().savedBytes() > 0) {
            values.put("saved_bytes", info.records().savedBytes());
        }
        info.rebuild().ifPresent(rebuild -> {
            values.put("rebuilt", rebuild.done());
            values.put("rebuild_to", rebuild.to());
        });
        if (info.indexState() != IndexState.WHOLE) {
            values.put("indexes", lower(info.indexState()));
        }
        if (info.clockAhead().compareTo(Duration.ZERO) > 0) {
            values.put("clock_ahead_ns", info.clockAhead().toNanos());
        }
    }

    private void retention(StoreInfo.Retention retention) {
        if (retention.maxBytes() < Long.MAX_VALUE) {
            values.put("max_bytes", retention.maxBytes());
        }
        retention.maxAge().ifPresent(age -> values.put("max_age_ns", age.toNanos()));
        if (retention.minFreeBytes() > 0) {
            values.put("min_free_bytes", retention.minFreeBytes());
        }
    }

    private void log(String name, LogInfo log) {
        values.put(name + "_begin", log.begin());
        values.put(name + "_durable", log.durable());
        values.put(name + "_evicted", log.evicted());
        values.put(name + "_sealed", log.sealed());
        values.put(name + "_tail", log.tail());
    }

    private void session(StoreInfo.Session session) {
        values.put("eviction", session.eviction() == Eviction.DIRECT ? "direct" : "page cache");
        values.put("policy", lower(session.pressure()).replace('_', '-'));
        session.stagingFallback().ifPresent(reason -> values.put("staging_fallback", reason));
        values.put("waits", session.waits());
        values.put("waited_ns", session.waited().toNanos());
        values.put("refused_source_closed", session.refused());
        session.losses().stream()
                .collect(Collectors.groupingBy(
                        StoreInfo.Loss::reason, TreeMap::new, Collectors.summingLong(StoreInfo.Loss::records)))
                .forEach((reason, records) -> values.put("lost_" + lower(reason), records));
        values.put("write_failures", session.writeFailures());
        values.put("durability_failed", session.durabilityFailed());
    }

    private void writer(StoreInfo.Writer writer) {
        writer.rebuildFailure().ifPresent(message -> values.put("rebuild_error", message));
        writer.compressionFailure().ifPresent(message -> values.put("compression_error", message));
        writer.textIndexFailure().ifPresent(message -> values.put("text_index_error", message));
        writer.rollupFailure().ifPresent(message -> values.put("rollup_error", message));
        writer.evictionFallback().ifPresent(reason -> values.put("eviction_fallback", reason));
        writer.minFreeMissed().ifPresent(reason -> values.put("min_free_missed", reason));
        values.put("staging_replaced", writer.stagingReplaced());
        values.put("lock_restored", writer.lockRestored());
        values.put("lock_lost", writer.lockLost());
        values.put("fenced", writer.fenced());
        values.put("index_function_failures", writer.indexFunctionFailures());
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
