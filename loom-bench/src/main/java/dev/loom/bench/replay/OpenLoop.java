package dev.loom.bench.replay;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The schedule: each batch is offered when it is due, whatever became of those before it. Each second it prints what it did. For one
 * thread.
 */
final class OpenLoop {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long MILLI_NS = 1_000_000;

    private final PrintStream out;
    private final LongSupplier clock;
    private final LongConsumer waiter;
    private final Map<ReplaySource, Long> offered = new EnumMap<>(ReplaySource.class);
    private final Map<ReplaySource, Long> dropped = new EnumMap<>(ReplaySource.class);
    private final Map<ReplaySource, Long> droppedBefore = new EnumMap<>(ReplaySource.class);
    private final List<Long> behindMs = new ArrayList<>();
    private long startNs;
    private long second;
    private long batches;
    private long records;
    private long behindNs;
    private boolean lateDrops;

    /**
     * Creates a schedule.
     *
     * @param clock nanoseconds
     * @param waiter waits for a number of nanoseconds, or less
     */
    OpenLoop(PrintStream out, LongSupplier clock, LongConsumer waiter) {
        this.out = out;
        this.clock = clock;
        this.waiter = waiter;
    }

    /** The first batch is due so long after this. */
    void start() {
        startNs = clock.getAsLong();
    }

    /**
     * Waits until the batch is due, and offers it.
     *
     * @param dueNs since the start
     * @return whether it was taken
     */
    boolean offer(ReplayBatch batch, long dueNs, BatchQueue queue) throws InterruptedException {
        long aheadNs = startNs + dueNs - clock.getAsLong();
        while (aheadNs > 0) {
            waiter.accept(aheadNs);
            aheadNs = startNs + dueNs - clock.getAsLong();
        }
        while (dueNs > (second + 1) * SECOND_NS) {
            report();
        }
        final boolean taken = queue.offer(batch);
        lateDrops |= !taken && -aheadNs > ReplayResult.BEHIND_MAX_MS * MILLI_NS;
        behindNs = Math.max(behindNs, -aheadNs);
        batches++;
        for (final ReplaySource source : ReplaySource.values()) {
            final long count = batch.records(source);
            if (count > 0) {
                records += count;
                offered.merge(source, count, Long::sum);
                dropped.merge(source, taken ? 0 : count, Long::sum);
            }
        }
        return taken;
    }

    private void report() {
        final StringBuilder drops = new StringBuilder();
        dropped.forEach((source, count) -> drops.append(drops.isEmpty() ? "" : ", ")
                .append(source.text())
                .append(' ')
                .append(count - droppedBefore.getOrDefault(source, 0L)));
        droppedBefore.putAll(dropped);
        behindMs.add(behindNs / MILLI_NS);
        out.println(second + " Batches: " + batches + ", records: " + records + ", Behind: " + behindNs / MILLI_NS
                + " ms, dropped: " + drops);
        second++;
        batches = 0;
        records = 0;
        behindNs = 0;
    }

    /** What became of all batches. */
    ReplayResult result(long elapsedNs) {
        if (batches > 0) {
            report();
        }
        return new ReplayResult(bySource(offered), bySource(dropped), behindMs, lateDrops, elapsedNs);
    }

    private static Map<String, Long> bySource(Map<ReplaySource, Long> counts) {
        final Map<String, Long> named = new TreeMap<>();
        counts.forEach((source, count) -> named.put(source.text(), count));
        return named;
    }
}
