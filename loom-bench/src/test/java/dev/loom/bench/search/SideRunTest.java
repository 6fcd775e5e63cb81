package dev.loom.bench.search;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which of a side's answers are counted. */
final class SideRunTest {
    private static final int QUESTIONS = 4;
    private static final long MS = 1_000_000;

    /** Nothing is in the log, so all answers are empty. */
    private final AnswerTally tally;

    private final List<SearchQuestion> questions;

    SideRunTest() {
        final LogCorpus corpus = ReplicaLog.corpus();
        questions = List.of(
                SearchQuestion.count("a"),
                SearchQuestion.count("b"),
                SearchQuestion.count("c"),
                SearchQuestion.count("d"));
        tally = new AnswerTally(
                corpus,
                new LogReplica(corpus, 0),
                List.of(new QuestionClass(QuestionClass.Table.HISTOGRAM, "none", questions)));
    }

    /** Takes a while for the first questions, and a millisecond for each of the others; its clock goes by what it takes. */
    private static final class Side implements SearchSide {
        private final long firstNs;
        private int asked;
        private long nowNs;

        private Side(long firstNs) {
            this.firstNs = firstNs;
        }

        @Override
        public String name() {
            return "side";
        }

        @Override
        public String description() {
            return "takes long at first";
        }

        @Override
        public boolean takesIn() {
            return false;
        }

        @Override
        public Ingest ingest(Path log) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Path files() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void open() {}

        @Override
        public void release() {}

        @Override
        public long cpuNs() {
            return nowNs;
        }

        @Override
        public Answer ask(SearchQuestion question) {
            final long elapsedNs = asked++ < QUESTIONS ? firstNs : MS;
            nowNs += elapsedNs;
            return new Answer(elapsedNs, 0, List.of());
        }

        @Override
        public void close() {}
    }

    private Latencies warm(long firstNs) throws IOException {
        final Side side = new Side(firstNs);
        return new SideRun(side, tally, 100 * MS, () -> side.nowNs).warm(questions, 5);
    }

    @Test
    void shouldNotCountTheFirstTurnHoweverLongItTook() throws IOException {
        for (final long firstNs : new long[] {2 * MS, 15 * MS, 25 * MS}) {
            final Latencies times = warm(firstNs);

            assertEquals(5 * QUESTIONS, times.queries());
            assertEquals(1, times.p99());
            assertEquals(1, times.cpu());
        }
    }

    @Test
    void shouldCountTheFirstTurnIfThereIsNoTimeForTheRestOfIt() throws IOException {
        final Latencies times = warm(60 * MS);

        assertEquals(2, times.queries());
        assertEquals(60, times.p50());
    }
}
