package dev.loom.query.histogram;

import dev.loom.error.CorruptStoreException;
import dev.loom.query.model.TimeRange;
import dev.loom.query.plan.EventTimes;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Counts chunks in a histogram from what indexes hold, where that is enough. For one thread. */
public final class HistogramChunks implements ChunkDecider {
    private static final int SEVERAL = -1;

    private final IndexSummaries summaries;
    private final @Nullable EventTimes times;
    private final CellCounts counts;
    private int[] bins = new int[64];
    private long[] binCounts = new long[64];

    /** @param times for steps by the records' own times; null for steps by arrival */
    public HistogramChunks(IndexSummaries summaries, @Nullable EventTimes times, CellCounts counts) {
        this.summaries = summaries;
        this.times = times;
        this.counts = counts;
    }

    @Override
    public ChunkUse decide(ChunkCursor chunk, boolean whole) {
        if (!summaries.read(chunk)) {
            return ChunkUse.READ;
        }
        ChunkSummary totals = summaries.totals();
        if (totals.count() == 0) {
            return ChunkUse.FROM_TOTALS;
        }
        int step = whole ? step(chunk) : SEVERAL;
        if (step == SEVERAL) {
            return ChunkUse.READ;
        }
        int bin = counts.bin(totals.minKey());
        if (bin == counts.bin(totals.maxKey())) {
            counts.add(step, bin, totals.count());
            counts.stretch(step, totals.minKey(), totals.maxKey(), 0);
            return ChunkUse.FROM_TOTALS;
        }
        return takeBins(step) ? ChunkUse.FROM_BINS : ChunkUse.READ;
    }

    /** The one step that holds all records of a chunk which lies in the range as a whole. */
    private int step(ChunkCursor chunk) {
        long firstNs = chunk.firstTimeNs();
        long lastNs = chunk.lastTimeNs();
        if (times != null) {
            // the chunk lies in the range as a whole, so its times are known
            TimeRange range = times.of(chunk);
            firstNs = range.fromNs();
            lastNs = range.lastNs();
        }
        int step = counts.step(firstNs);
        return step == counts.step(lastNs) ? step : SEVERAL;
    }

    /** Adds all bins, or none if a bin spans several of the histogram's or is corrupt. */
    private boolean takeBins(int step) {
        BinListReader list = summaries.bins();
        try {
            return list != null && takeBins(list, step);
        } catch (CorruptStoreException e) {
            summaries.noteDamaged();
            return false;
        }
    }

    private boolean takeBins(BinListReader list, int step) {
        int taken = 0;
        while (list.next()) {
            int low = counts.bin(list.minKey());
            int high = counts.bin(list.maxKey());
            if (low != high && !list.isComplete()) {
                return false;
            }
            int apart = low == high ? 0 : list.count();
            taken = low == high ? put(taken, low, list.count()) : taken;
            for (int i = 0; i < apart; i++) {
                taken = put(taken, counts.bin(list.key(i)), 1);
            }
        }
        for (int i = 0; i < taken; i++) {
            counts.add(step, bins[i], binCounts[i]);
        }
        counts.stretch(step, summaries.totals().minKey(), summaries.totals().maxKey(), 0);
        return true;
    }

    private int put(int at, int bin, long count) {
        if (at == bins.length) {
            bins = Arrays.copyOf(bins, at * 2);
            binCounts = Arrays.copyOf(binCounts, at * 2);
        }
        bins[at] = bin;
        binCounts[at] = count;
        return at + 1;
    }
}
