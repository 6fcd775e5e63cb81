package dev.loom.store;

import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.Watermarks;
import dev.loom.record.PressureGauge;
import dev.loom.schema.Schema;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Describes a store as named values. */
final class StoreDescription {
    private StoreDescription() {}

    static Map<String, Object> of(
            StoreFiles files, Mark mark, StoreLogs logs, @Nullable Staging staging, Schema schema, String state) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("directory", files.directory().toString());
        values.put("format", MarkFile.MAJOR + "." + MarkFile.MINOR);
        values.put("store_id", Long.toHexString(mark.storeId()));
        values.put("epoch", (long) mark.epoch());
        values.put("state", state);
        values.put("sources", (long) schema.sources().size());
        values.put("segment_bytes", mark.segmentLength());
        if (!mark.closed()) {
            values.put("owner_pid", mark.owner().process().pid());
            values.put("owner_host", mark.owner().host());
            values.put("staging", mark.staging().toString());
            for (LogKind kind : LogKind.values()) {
                values.put(kind.folder() + "_ring_bytes", (long) mark.ringLength(kind));
            }
        }
        log(values, "record", logs.records());
        log(values, "time", logs.times());
        log(values, "chunk", logs.chunks());
        values.put("record_bytes", length(logs.records()));
        values.put("index_bytes", length(logs.times()) + length(logs.chunks()));
        Watermarks index = logs.times().watermarks();
        if (index.rebuiltAcquire() < index.rebuildTo()) {
            values.put("rebuilt", index.rebuiltAcquire());
            values.put("rebuild_to", index.rebuildTo());
        }
        if (mark.indexState() != IndexState.WHOLE) {
            values.put("indexes", mark.indexState().name().toLowerCase(Locale.ROOT));
        }
        long ahead = staging != null ? staging.live().clockAhead() : mark.closed() ? aheadWhenClosed(mark) : 0;
        if (ahead > 0) {
            values.put("clock_ahead_ns", ahead);
        }
        if (staging != null) {
            session(values, staging);
        }
        return values;
    }

    /** How far the next record's time will lead the wall clock. */
    private static long aheadWhenClosed(Mark mark) {
        long wallNs = SystemClock.wallNs();
        return mark.lastTimeNs() > wallNs + SystemClock.LEAD_MAX_NS ? mark.lastTimeNs() - wallNs : 0;
    }

    private static void log(Map<String, Object> values, String name, LogView view) {
        Watermarks watermarks = view.watermarks();
        values.put(name + "_begin", watermarks.beginAcquire());
        values.put(name + "_durable", watermarks.durableAcquire());
        values.put(name + "_evicted", watermarks.evictedAcquire());
        values.put(name + "_sealed", watermarks.sealedAcquire());
        values.put(name + "_tail", watermarks.tailAcquire());
    }

    private static long length(LogView view) {
        return view.watermarks().lengthTo(view.watermarks().tailAcquire());
    }

    private static void session(Map<String, Object> values, Staging staging) {
        LiveFile live = staging.live();
        PressureGauge gauge = live.gauge();
        values.put("eviction", live.direct() ? "direct" : "page cache");
        if (staging.note() != null) {
            values.put("staging_fallback", staging.note());
        }
        values.put("waits", gauge.waits());
        values.put("waited_ns", gauge.waitedNs());
        values.put("refused_source_closed", gauge.refused());
        values.put("write_failures", live.writeFailures());
        values.put("durability_failed", live.syncFailed());
        if (!live.error().isEmpty()) {
            values.put("error", live.error());
        }
    }
}
