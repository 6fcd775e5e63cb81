package dev.loom.bench.push;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Eviction;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import java.util.concurrent.locks.LockSupport;

/**
 * {@link Loom#push} of lines of a log, with a text index that takes a share of a processor, or with none. As fast as it can, waiting for
 * the disk, or at a rate; then records that find no room are dropped and counted.
 */
public final class TextPush implements PushTarget {
    private static final String SOURCE_NAME = "log";
    private static final String TEXT_THREAD = "loom-text";
    private static final int BURST = 256;

    private final TargetFiles files;
    private final Loom loom;
    private final int sourceId;
    private final ReplayedLines lines;
    private final long rate;
    private long pushed;
    private long dropped;
    private long bytes;
    private long startNs;
    private double textShare;
    private long indexed;

    /**
     * Opens a store.
     *
     * @param share of a processor for the text index; 0 for none
     * @param rate records a second; 0 for as many as it takes
     */
    public TextPush(PushSettings settings, ReplayedLines lines, double share, long rate) {
        this.lines = lines;
        this.rate = rate;
        files = new TargetFiles(settings);
        loom = Loom.open(LoomConfig.at(files.directory().resolve("store"))
                .stagingDirectory(files.staging())
                .recordRingBytes(settings.ringBytes())
                .segmentBytes(settings.segmentBytes())
                .eviction(settings.direct() ? Eviction.DIRECT : Eviction.PAGE_CACHE)
                .pressure(rate == 0 ? Pressure.WAIT : Pressure.DROP_NEWEST)
                .textIndexShare(share)
                .maxBytes(LoomConfig.UNLIMITED)
                .build());
        sourceId = loom.defineSource(SOURCE_NAME, Formats.text());
    }

    @Override
    public void push(int count) {
        if (pushed == 0) {
            startNs = System.nanoTime();
        }
        int line = (int) (pushed % lines.count());
        for (int i = 0; i < count; i++) {
            if (rate > 0 && i % BURST == 0) {
                awaitTurn(pushed + i);
            }
            final long answer = loom.push(sourceId, lines.text(), lines.offset(line), lines.length(line));
            if (answer >= 0) {
                bytes += lines.length(line);
            } else if (answer == PushStatus.DROPPED) {
                dropped++;
            } else {
                LoomTarget.check(answer);
            }
            line = line + 1 == lines.count() ? 0 : line + 1;
        }
        pushed += count;
    }

    private void awaitTurn(long record) {
        final long dueNs = startNs + (long) (record * 1e9 / rate);
        for (long nowNs = System.nanoTime(); dueNs - nowNs > 0; nowNs = System.nanoTime()) {
            LockSupport.parkNanos(dueNs - nowNs);
        }
    }

    @Override
    public long pushed() {
        return pushed;
    }

    /** Records that found no room. */
    public long dropped() {
        return dropped;
    }

    /** The part of a processor that the text index took while records were pushed. */
    public double textShare() {
        return textShare;
    }

    /** The records that the text index had then. */
    public long indexed() {
        return indexed;
    }

    @Override
    public void finish() {
        textShare = (double) CpuTime.threadNs(TEXT_THREAD) / (System.nanoTime() - startNs);
        try (Snapshot snapshot = loom.snapshot()) {
            indexed = pushed
                    - dropped
                    - snapshot.textIndex(sourceId)
                            .map(index -> index.recordsLeft())
                            .orElse(pushed - dropped);
        }
        loom.force();
    }

    @Override
    public void verify() {
        try (Snapshot snapshot = loom.snapshot()) {
            final Source.Statistics statistics = snapshot.statistics(sourceId);
            if (statistics.records() != pushed - dropped
                    || statistics.bytes() != bytes
                    || statistics.lost() != dropped) {
                throw new IllegalStateException("store counts differ: expected=" + (pushed - dropped) + " records of "
                        + bytes + " bytes, dropped=" + dropped + ", actual=" + statistics);
            }
        }
    }

    @Override
    public void close() {
        loom.close();
        files.close();
    }
}
