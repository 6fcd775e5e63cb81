package dev.loom.bench.search;

import dev.loom.query.ProgressiveCount;
import java.util.ArrayList;
import java.util.List;

/** How far one round's estimates of counts by time are from the exact counts, over several questions. */
public final class EstimateErrors {
    private final List<Long> elapsedNs = new ArrayList<>();
    private final List<Double> sums = new ArrayList<>();
    private final List<Double> steps = new ArrayList<>();
    private long cpuNs;
    private long pages;
    private long sumsHeld;
    private long stepsAsked;
    private long stepsHeld;

    void add(CountRound round, ProgressiveCount.Counts exact) {
        final ProgressiveCount.Counts counts = round.counts();
        elapsedNs.add(round.elapsedNs());
        cpuNs += round.cpuNs();
        pages += counts.statistics().pagesRead();
        sums.add((double) Math.abs(counts.count() - exact.count()) / exact.count());
        sumsHeld += counts.low() <= exact.count() && exact.count() <= counts.high() ? 1 : 0;
        long off = 0;
        for (int step = 0; step < exact.steps(); step++) {
            final long truth = exact.count(step);
            off += Math.abs(counts.count(step) - truth);
            stepsHeld += counts.low(step) <= truth && truth <= counts.high(step) ? 1 : 0;
        }
        steps.add((double) off / exact.count());
        stepsAsked += exact.steps();
    }

    public int questions() {
        return sums.size();
    }

    /** How long the round's answer took, the rounds before it included. */
    public Latencies latencies() {
        return Latencies.of(elapsedNs, (double) cpuNs);
    }

    /** By which part of it the sum of all steps is wrong: the mean of all questions. */
    public double meanOfSums() {
        return mean(sums);
    }

    /** As {@link #meanOfSums}: the most of all questions. */
    public double mostOfSums() {
        return sums.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    /** What all steps are wrong by, as a part of their sum: the mean of all questions. */
    public double meanOfSteps() {
        return mean(steps);
    }

    private static double mean(List<Double> of) {
        return of.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }

    /** The part of the sums' intervals that hold the count. */
    public double sumsHeld() {
        return (double) sumsHeld / sums.size();
    }

    /** The part of the steps' intervals that hold their count. */
    public double stepsHeld() {
        return (double) stepsHeld / stepsAsked;
    }

    /** The pages read for a question, mean. */
    public double pages() {
        return (double) pages / sums.size();
    }
}
