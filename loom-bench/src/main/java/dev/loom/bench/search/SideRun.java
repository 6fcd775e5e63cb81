package dev.loom.bench.search;

import dev.loom.bench.scan.PageCache;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Asks a side the questions of a class in turn, again and again, and checks every answer. Where that takes too long it ends early,
 * after one question at least.
 */
final class SideRun {
    private static final int QUESTIONS_MIN = 1;

    private final SearchSide side;
    private final AnswerTally tally;
    private final long limitNs;
    private final LongSupplier clock;

    /** @param limitNs after which no further question is asked */
    SideRun(SearchSide side, AnswerTally tally, long limitNs) {
        this(side, tally, limitNs, System::nanoTime);
    }

    SideRun(SearchSide side, AnswerTally tally, long limitNs, LongSupplier clock) {
        this.side = side;
        this.tally = tally;
        this.limitNs = limitNs;
        this.clock = clock;
    }

    /**
     * The side stays open, and its files are in the page cache as far as it has read them. The first turn is not counted, unless
     * it takes longer than the limit; the time of the others begins after it.
     */
    Latencies warm(List<SearchQuestion> questions, int repetitions) throws IOException {
        side.open();
        final long firstCpuNs = side.cpuNs();
        final List<Long> first = new ArrayList<>();
        if (!ask(questions, 1, first)) {
            return end(first, firstCpuNs);
        }
        final long cpuNs = side.cpuNs();
        final List<Long> times = new ArrayList<>();
        ask(questions, repetitions, times);
        return end(times, cpuNs);
    }

    /** False if there was no time for all. */
    private boolean ask(List<SearchQuestion> questions, int turns, List<Long> times) throws IOException {
        final long startNs = clock.getAsLong();
        for (int turn = 0; turn < turns; turn++) {
            for (SearchQuestion question : questions) {
                if (isOver(startNs, times)) {
                    return false;
                }
                times.add(ask(question));
            }
        }
        return true;
    }

    private Latencies end(List<Long> times, long cpuNs) throws IOException {
        final Latencies latencies = Latencies.of(times, (double) (side.cpuNs() - cpuNs));
        side.release();
        return latencies;
    }

    /** Before each question the side's files are dropped from the page cache and the side is opened again; neither is timed. */
    Latencies cold(List<SearchQuestion> questions, int repetitions) throws IOException {
        final long startNs = clock.getAsLong();
        final List<Long> times = new ArrayList<>();
        for (int turn = 0; turn < repetitions; turn++) {
            for (SearchQuestion question : questions) {
                if (isOver(startNs, times)) {
                    return Latencies.of(times, Double.NaN);
                }
                side.release();
                PageCache.drop(side.files());
                side.open();
                times.add(ask(question));
                side.release();
            }
        }
        return Latencies.of(times, Double.NaN);
    }

    private boolean isOver(long startNs, List<Long> times) {
        return times.size() >= QUESTIONS_MIN && clock.getAsLong() - startNs > limitNs;
    }

    private long ask(SearchQuestion question) throws IOException {
        final Answer answer = side.ask(question);
        answer.check(side.name(), question, tally.expected(question));
        return answer.elapsedNs();
    }
}
