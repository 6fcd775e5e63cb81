package dev.loom.query.histogram;

import dev.loom.error.CorruptStoreException;
import dev.loom.query.plan.IndexSummaries;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import java.util.Arrays;

/** Counts chunks in a histogram from what indexes hold, where that is enough. For one thread. */
public final class HistogramChunks implements ChunkDecider {
    private final IndexSummaries summaries;
    private final ChunkSteps steps;
    private final CellCounts counts;
    private int[] bins = new int[64];
    private long[] binCounts = new long[64];

    public HistogramChunks(IndexSummaries summaries, ChunkSteps steps, CellCounts counts) {
        this.summaries = summaries;
        this.steps = steps;
        this.counts = counts;
    }

    @Override
    public boolean takesRuns() {
        return true;
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
        int step = whole ? steps.of(chunk) : ChunkSteps.SEVERAL;
        if (step == ChunkSteps.SEVERAL) {
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
