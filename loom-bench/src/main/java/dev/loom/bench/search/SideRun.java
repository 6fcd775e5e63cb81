package dev.loom.bench.search;

import dev.loom.bench.scan.PageCache;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks a side the questions of a class in turn, again and again, and checks every answer. Where that takes too long it ends early,
 * after one question at least.
 */
final class SideRun {
    private static final int QUESTIONS_MIN = 1;

    private final SearchSide side;
    private final AnswerTally tally;
    private final long limitNs;

    /** @param limitNs after which no further question is asked */
    SideRun(SearchSide side, AnswerTally tally, long limitNs) {
        this.side = side;
        this.tally = tally;
        this.limitNs = limitNs;
    }

    /**
     * The side stays open, and its files are in the page cache as far as it has read them. The first turn is not counted, unless
     * there is time for no other.
     */
    Latencies warm(List<SearchQuestion> questions, int repetitions) throws IOException {
        side.open();
        final long startNs = System.nanoTime();
        List<Long> times = new ArrayList<>();
        long cpuNs = side.cpuNs();
        for (int turn = 0; turn <= repetitions; turn++) {
            for (SearchQuestion question : questions) {
                if (isOver(startNs, times)) {
                    return end(times, cpuNs);
                }
                times.add(ask(question));
            }
            if (turn == 0 && System.nanoTime() - startNs < limitNs / 2) {
                times = new ArrayList<>();
                cpuNs = side.cpuNs();
            }
        }
        return end(times, cpuNs);
    }

    private Latencies end(List<Long> times, long cpuNs) throws IOException {
        final Latencies latencies = Latencies.of(times, (double) (side.cpuNs() - cpuNs));
        side.release();
        return latencies;
    }

    /** Before each question the side's files are dropped from the page cache and the side is opened again; neither is timed. */
    Latencies cold(List<SearchQuestion> questions, int repetitions) throws IOException {
        final long startNs = System.nanoTime();
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
        return times.size() >= QUESTIONS_MIN && System.nanoTime() - startNs > limitNs;
    }

    private long ask(SearchQuestion question) throws IOException {
        final Answer answer = side.ask(question);
        answer.check(side.name(), question, tally.expected(question));
        return answer.elapsedNs();
    }
}
