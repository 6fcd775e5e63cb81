package dev.loom.cli.serve;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Detects eviction that hangs without a failure: pages wait to be written, and none is written for a long time. */
final class EvictionProgress {
    private static final Duration STALL = Duration.ofSeconds(10);
    private static final List<String> LOGS = List.of("record", "time", "chunk");

    private long evicted = -1;
    private long evictedNs;

    /**
     * Checks again; call it every few seconds.
     *
     * @param info the store's state
     * @param nowNs a monotonic clock's time
     * @return what is wrong; empty if pages are written or none waits
     */
    synchronized String problem(Map<String, Object> info, long nowNs) {
        long sealed = sum(info, "_sealed");
        long now = sum(info, "_evicted");
        if (now != evicted || now == sealed) {
            evicted = now;
            evictedNs = nowNs;
        }
        return nowNs - evictedNs < STALL.toNanos()
                ? ""
                : "no page was written for a while: s="
                        + Duration.ofNanos(nowNs - evictedNs).toSeconds() + ", bytes waiting=" + (sealed - now);
    }

    private static long sum(Map<String, Object> info, String watermark) {
        return LOGS.stream()
                .mapToLong(log -> info.get(log + watermark) instanceof Number number ? number.longValue() : 0)
                .sum();
    }
}
