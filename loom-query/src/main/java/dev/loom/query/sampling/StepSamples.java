package dev.loom.query.sampling;

import dev.loom.query.model.QueryMemory;
import java.util.function.IntPredicate;

/**
 * What is known of the number of matching records in steps of time: those counted for certain, and a sample of the other chunks.
 *
 * <p>A chunk has a <i>weight</i>: how many matches an index leads to expect in it, or else its number of records. Chunks that are not
 * in the sample are taken to have as many matches for their weight as those of their step that are (a ratio estimate). Their spread
 * around that gives an interval that holds the number with a probability of 95 %. For one thread.
 */
final class StepSamples {
    /** The bytes that a step takes here and in the estimates of two rounds. */
    private static final long BYTES_PER_STEP = 17 * Long.BYTES;

    /** Below this number of matches, a sample may have missed the chunks that have most of them. */
    private static final int FEW = 10;

    /** Matches in records that are counted outside of any sample. */
    private final long[] certain;
    /** What the chunks that may be sampled have: their number, records, weight, and the most matches that an index lets them have. */
    private final int[] chunks;

    private final long[] records;
    private final double[] weight;
    private final long[] most;

    /** What those in the sample have: number, weight, matches, and the sums of their squares and products. */
    private final int[] sampled;

    private final double[] sampledWeight;
    private final double[] matches;
    private final double[] squaredMatches;
    private final double[] squaredWeight;
    private final double[] product;

    /** @param memory reserves the steps, which stay reserved */
    StepSamples(int steps, QueryMemory memory) {
        memory.reserve(BYTES_PER_STEP * steps);
        certain = new long[steps];
        chunks = new int[steps];
        records = new long[steps];
        weight = new double[steps];
        most = new long[steps];
        sampled = new int[steps];
        sampledWeight = new double[steps];
        matches = new double[steps];
        squaredMatches = new double[steps];
        squaredWeight = new double[steps];
        product = new double[steps];
    }

    int steps() {
        return certain.length;
    }

    /** Counts matches that are certain. */
    void count(int step, long matching) {
        certain[step] += matching;
    }

    /** Adds a chunk that may be sampled. */
    void add(int step, long chunkRecords, double chunkWeight) {
        chunks[step]++;
        records[step] += chunkRecords;
        weight[step] += chunkWeight;
    }

    /** Lets the chunks of a step have at most {@code matching} matches more. */
    void allow(int step, long matching) {
        most[step] += matching;
    }

    /** Adds a chunk to the sample. */
    void sample(int step, long chunkRecords, double chunkWeight, long matching) {
        sampled[step]++;
        records[step] -= chunkRecords;
        sampledWeight[step] += chunkWeight;
        matches[step] += matching;
        squaredMatches[step] += (double) matching * matching;
        squaredWeight[step] += chunkWeight * chunkWeight;
        product[step] += chunkWeight * matching;
    }

    /** The chunks of a step that may be sampled. */
    int chunks(int step) {
        return chunks[step];
    }

    /** The chunks of all steps that may be sampled. */
    long chunks() {
        long all = 0;
        for (int each : chunks) {
            all += each;
        }
        return all;
    }

    /**
     * Estimates the steps and their sum.
     *
     * @param read says of a step whether all of its chunks are read
     */
    StepEstimates estimate(IntPredicate read) {
        StepEstimates all = new StepEstimates(steps());
        double variance = 0;
        long degrees = 0;
        boolean unknown = false;
        for (int i = 0; i < steps(); i++) {
            long counted = certain[i] + (long) matches[i];
            long highest = Math.max(counted, Math.min(counted + records[i], certain[i] + most[i]));
            if (read.test(i)) {
                all.set(i, counted, counted, counted);
            } else if (sampled[i] < 2 || sampled[i] >= chunks[i]) { // more, if the text index lost a file meanwhile
                all.set(i, certain[i] + Math.round(weight[i]), counted, highest);
                unknown = true;
            } else {
                double estimate = counted + ratio(i) * (weight[i] - sampledWeight[i]);
                double ofStep = variance(i);
                double half = StudentT.quantile(sampled[i] - 1.0) * Math.sqrt(ofStep);
                all.set(i, estimate, half, counted, highest);
                variance += ofStep;
                degrees += sampled[i] - 1;
            }
        }
        all.sum(unknown, degrees == 0 ? 0 : StudentT.quantile((double) degrees) * Math.sqrt(variance));
        return all;
    }

    /** Matches for each unit of weight, in the sample. */
    private double ratio(int step) {
        return sampledWeight[step] == 0 ? 0 : matches[step] / sampledWeight[step];
    }

    /** The variance of a step's estimate: that of a ratio estimate from a sample without replacement. */
    private double variance(int step) {
        double n = sampled[step];
        double ratio = ratio(step);
        double squaredResiduals =
                squaredMatches[step] - 2 * ratio * product[step] + ratio * ratio * squaredWeight[step];
        double spread = Math.max(0, squaredResiduals) / (n - 1);
        if (matches[step] < FEW) {
            spread = Math.max(spread, (matches[step] + 1) / n); // as if matches were spread at random
        }
        // the sample may have lighter or heavier chunks than the others
        double scale = sampledWeight[step] == 0 ? 1 : (weight[step] / chunks[step]) / (sampledWeight[step] / n);
        return chunks[step] * (chunks[step] - n) / n * spread * scale * scale;
    }
}
