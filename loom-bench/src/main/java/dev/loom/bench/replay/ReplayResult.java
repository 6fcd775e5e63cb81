package dev.loom.bench.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What became of a run.
 *
 * @param offered records offered on the schedule, by source
 * @param dropped those of them that a full queue refused, by source
 * @param behindMs how late batches were offered, at most, second by second
 * @param lateDrops whether a batch was refused that was offered late, with others that were: the queue's length is for those on time
 * @param elapsedNs from the first batch until the sink had all
 */
public record ReplayResult(
        Map<String, Long> offered, Map<String, Long> dropped, List<Long> behindMs, boolean lateDrops, long elapsedNs) {
    /** A schedule that is never less behind than this, in the last quarter of a run, has lost its time for good. */
    static final long BEHIND_MAX_MS = 100;

    private static final int QUARTERS = 4;

    public ReplayResult {
        offered = new TreeMap<>(offered);
        dropped = new TreeMap<>(dropped);
        behindMs = new ArrayList<>(behindMs);
    }

    /** Records of all sources. */
    public static long sum(Map<String, Long> bySource) {
        return bySource.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The part of all records that was dropped, 0 to 1. */
    public double dropShare() {
        return (double) sum(dropped) / Math.max(1, sum(offered));
    }

    /** Whether the schedule was kept: a run whose batches come ever later offers less than it says, and is invalid. */
    public boolean valid() {
        final List<Long> last =
                behindMs.subList(behindMs.size() - (behindMs.size() + QUARTERS - 1) / QUARTERS, behindMs.size());
        return !lateDrops && last.stream().mapToLong(Long::longValue).min().orElse(0) <= BEHIND_MAX_MS;
    }
}
