package dev.loom.query.sampling;

import dev.loom.query.histogram.ChunkSteps;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.plan.WherePlan;
import dev.loom.query.walk.ChunkDecider;
import java.util.stream.IntStream;

/** The rounds of a progressive count. The first surveys all chunks; each later one makes the sample four times as large. For one thread. */
public final class Sample {
    /** The chunks that the first sample has, of all steps. */
    public static final int CHUNKS_DEFAULT = 512;

    /** The chunks that the first sample has of each step: fewer say too little about their spread. */
    public static final int CHUNKS_OF_STEP_MIN = 32;

    private static final int GROWTH = 4;

    private final StepSamples samples;
    private final SampledChunks chunks;
    private final int firstChunks;
    private boolean cutShort;
    private int round;
    private double share;
    private double chunksOfStep;

    /**
     * @param memory reserves the steps, which stay reserved
     * @param firstChunks the chunks that the first sample has, of all steps; if there are no more, all are read at once
     * @param inRounds whether walks after the first find the same chunks and summaries as it; if not, it reads all
     * @param seed chooses the chunks
     */
    public Sample(
            ChunkSteps of,
            WherePlan plan,
            int steps,
            QueryMemory memory,
            int firstChunks,
            boolean inRounds,
            long seed) {
        this.samples = new StepSamples(steps, memory);
        this.firstChunks = firstChunks;
        this.chunks = new SampledChunks(of, plan, samples, inRounds, seed);
    }

    /** Chooses what the round's walk reads. */
    public ChunkDecider chunks() {
        return chunks;
    }

    /** Counts a record that the walk has returned. */
    public void count(int step) {
        chunks.count(step);
    }

    /**
     * Ends a round.
     *
     * @param whole whether its walk came to the end
     * @return whether there are more
     */
    public boolean endRound(boolean whole) {
        chunks.endRound(whole);
        cutShort |= !whole;
        return whole && !IntStream.range(0, samples.steps()).allMatch(chunks::isRead);
    }

    /** Whether the estimates say anything: those of the survey may not, and are not worth a look where little is left to read. */
    public boolean isTelling() {
        return round > 0 || (chunks.isInformed() && samples.chunks() > firstChunks);
    }

    /** The number of the round, from 0 on. */
    public int round() {
        return round;
    }

    /** Begins the next round. */
    public void beginRound() {
        round++;
        if (round == 1) {
            share = Math.min(1, (double) firstChunks / samples.chunks());
            chunksOfStep = CHUNKS_OF_STEP_MIN;
        } else {
            share *= GROWTH;
            chunksOfStep *= GROWTH;
        }
        chunks.beginRound(share, chunksOfStep);
    }

    /** What is known so far. */
    public StepEstimates estimate() {
        return samples.estimate(step -> !cutShort && chunks.isRead(step));
    }
}
