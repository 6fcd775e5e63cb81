package dev.loom.server;

import dev.loom.api.StoreInfo.LogInfo;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;

/** Detects eviction that hangs without a failure: pages wait to be written, and none is written for a long time. */
final class EvictionProgress {
    private static final Duration STALL = Duration.ofSeconds(10);

    private long evicted = -1;
    private long evictedNs;

    /**
     * Checks again; call it every few seconds.
     *
     * @param logs the store's logs
     * @param nowNs a monotonic clock's time
     * @return what is wrong; empty if pages are written or none waits
     */
    synchronized String problem(List<LogInfo> logs, long nowNs) {
        long sealed = sum(logs, LogInfo::sealed);
        long now = sum(logs, LogInfo::evicted);
        if (now != evicted || now == sealed) {
            evicted = now;
            evictedNs = nowNs;
        }
        return nowNs - evictedNs < STALL.toNanos()
                ? ""
                : "no page was written for some time: s="
                        + Duration.ofNanos(nowNs - evictedNs).toSeconds() + ", bytes waiting=" + (sealed - now);
    }

    private static long sum(List<LogInfo> logs, ToLongFunction<LogInfo> watermark) {
        return logs.stream().mapToLong(watermark).sum();
    }
}
