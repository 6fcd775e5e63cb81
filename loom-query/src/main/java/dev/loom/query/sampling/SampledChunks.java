package dev.loom.query.sampling;

import dev.loom.query.histogram.ChunkSteps;
import dev.loom.query.model.TimeRange;
import dev.loom.query.plan.WherePlan;
import dev.loom.query.walk.ChunkDecider;
import dev.loom.query.walk.ChunkUse;
import dev.loom.read.ChunkCursor;
import dev.loom.text.TokenDigest;

/**
 * Chooses the chunks that a round reads. The first round finds which chunks may have matches at all; it reads those that belong to
 * several steps, and those that no directory describes. Later rounds read a share of the others, by a hash of their address, so that no
 * list of chunks is kept: none is read twice, and the last round reads all that are left. For one thread.
 */
final class SampledChunks implements ChunkDecider {
    private final ChunkSteps steps;
    private final WherePlan plan;
    private final StepSamples samples;
    private final long seed;

    /** The share of each step's chunks that rounds so far have read, and that this one goes to, are {@code least} and {@code share}. */
    private final RoundShare least = new RoundShare();

    private final RoundShare share = new RoundShare();
    private final boolean inRounds;
    private boolean surveying = true;
    /** Whether files were gone at the survey: the answer is known to lack records then. */
    private boolean missedOnSurvey;

    private long informed;
    private long uninformed;

    private long unit = -1;
    private int unitStep;

    /** The chunk that is being read. */
    private int step = ChunkSteps.SEVERAL;

    private long chunkRecords;
    private double chunkWeight;
    private long matching;

    /** @param inRounds whether there are rounds after the first; if not, it reads all */
    SampledChunks(ChunkSteps steps, WherePlan plan, StepSamples samples, boolean inRounds, long seed) {
        this.steps = steps;
        this.plan = plan;
        this.samples = samples;
        this.inRounds = inRounds;
        this.seed = seed;
    }

    /** Begins a round that reads chunks up to a share, at least {@code chunksOfStep} of each step. */
    void beginRound(double shareOfAll, double chunksOfStep) {
        surveying = false;
        least.set(share);
        share.set(shareOfAll, chunksOfStep);
    }

    /** Counts a record of those that the round's walk returns, with its step. */
    void count(int recordStep) {
        if (step == ChunkSteps.SEVERAL) {
            samples.count(recordStep, 1);
        } else {
            matching++;
        }
    }

    /**
     * Ends a round.
     *
     * @param whole whether the last chunk was read to its end
     */
    void endRound(boolean whole) {
        if (whole) {
            endChunk();
        }
        step = ChunkSteps.SEVERAL;
    }

    /** Whether all chunks of a step are read, or will be when the round ends. */
    boolean isRead(int ofStep) {
        int count = samples.chunks(ofStep);
        return count == 0 || share.of(count) >= 1;
    }

    /** Whether an index tells about how many matches nearly all chunks may have. */
    boolean isInformed() {
        return uninformed <= informed / 16;
    }

    @Override
    public ChunkUse decideUnlisted(ChunkCursor chunk) {
        endChunk();
        return surveying ? ChunkUse.READ : ChunkUse.DEFERRED;
    }

    @Override
    public ChunkUse decideMissing(ChunkCursor chunk) {
        missedOnSurvey |= surveying;
        // one that went after the survey is read in its round, so that the walk reports it
        return surveying || missedOnSurvey ? decideUnlisted(chunk) : decide(chunk, false);
    }

    @Override
    public ChunkUse decide(ChunkCursor chunk, boolean whole) {
        endChunk();
        int of = isWithin(chunk) ? steps.of(chunk) : ChunkSteps.SEVERAL;
        if (of == ChunkSteps.SEVERAL) {
            return surveying ? ChunkUse.READ : ChunkUse.DEFERRED;
        } else if (whole && chunk.records() > 0) { // else its directory can't be read again
            if (surveying) {
                samples.count(of, chunk.records());
            }
            return surveying ? ChunkUse.FROM_TOTALS : ChunkUse.DEFERRED;
        } else if (!inRounds) {
            return ChunkUse.READ;
        } else if (surveying) {
            survey(chunk, of);
            return ChunkUse.DEFERRED;
        }
        double at = fraction(chunk.start() ^ seed);
        if (at < least.of(samples.chunks(of)) || at >= share.of(samples.chunks(of))) {
            return ChunkUse.DEFERRED;
        }
        step = of;
        chunkRecords = chunk.records();
        chunkWeight = plan.expectedRows(chunk);
        return ChunkUse.READ;
    }

    /** Whether all records of a chunk have arrived in the query's range. */
    private boolean isWithin(ChunkCursor chunk) {
        TimeRange range = plan.terms().range();
        return chunk.firstTimeNs() >= range.fromNs() && !range.endsBefore(chunk.lastTimeNs());
    }

    private void survey(ChunkCursor chunk, int of) {
        samples.add(of, chunk.records(), plan.expectedRows(chunk));
        long told = plan.textUnit();
        if (told < 0) {
            uninformed++;
            samples.allow(of, chunk.records());
        } else {
            informed += plan.isTextUnitBounded() ? 1 : 0;
            uninformed += plan.isTextUnitBounded() ? 0 : 1;
            if (told != unit || of != unitStep) {
                unit = told;
                unitStep = of;
                samples.allow(of, plan.textUnitRowsMost());
            }
        }
    }

    private void endChunk() {
        if (step != ChunkSteps.SEVERAL) {
            samples.sample(step, chunkRecords, chunkWeight, matching);
            step = ChunkSteps.SEVERAL;
        }
        matching = 0;
    }

    /** A number in [0, 1) that depends on all bits. */
    private static double fraction(long value) {
        return (TokenDigest.finish(value) >>> 11) * 0x1.0p-53;
    }

    /** The share of a step's chunks that is read: the same of all, but a least number of chunks of each. */
    private static final class RoundShare {
        private double ofAll;
        private double chunksOfStep;

        void set(double all, double chunks) {
            ofAll = all;
            chunksOfStep = chunks;
        }

        void set(RoundShare other) {
            set(other.ofAll, other.chunksOfStep);
        }

        double of(int chunks) {
            return Math.max(ofAll, chunksOfStep / chunks);
        }
    }
}
