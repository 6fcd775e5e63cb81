package dev.loom.query;

import dev.loom.api.Snapshot;
import dev.loom.query.histogram.ChunkSteps;
import dev.loom.query.histogram.TimeSteps;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Completeness.Limit;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryStatistics;
import dev.loom.query.model.TimeRange;
import dev.loom.query.plan.EventRange;
import dev.loom.query.plan.EventTimes;
import dev.loom.query.plan.QueryTerms;
import dev.loom.query.sampling.Sample;
import dev.loom.query.sampling.StepEstimates;
import dev.loom.query.walk.QueryScope;
import dev.loom.query.walk.SourceWalk;
import dev.loom.read.StoredRecord;
import java.time.Duration;

/**
 * Counts one source's records that meet a condition, in steps of time, in rounds (ESTELLE, section 4.4). The first round reads almost no
 * records: where the text index knows how many matches a unit can have at most, it answers with that. Later rounds read more and more
 * chunks, chosen at random, each at most once, and scale up what they find. The last round has read everything, and is exact. Each
 * round gives intervals that contain the count with a probability of 95 %. Chunks at the edges of steps are read at once, and a count
 * that needs few reads has only the last round.
 *
 * <p>The paper samples rows of each block. That reads every block in every round, so chunks are sampled here.
 *
 * <p>Constant memory: 1 MiB; 136 bytes per step, which stay reserved in the {@link dev.loom.query.model.QueryMemory} for the counts; and
 * the longest jumbo payload met. Not thread-safe.
 */
public final class ProgressiveCount extends Query<ProgressiveCount> {
    /** The most steps. */
    public static final int STEPS_MAX = Histogram.CELLS_MAX;

    private long stepNs;
    private int firstSample = Sample.CHUNKS_DEFAULT;
    private long seed;

    private ProgressiveCount(Snapshot snapshot, int sourceId) {
        super(snapshot, sourceId);
    }

    /** Counts records of a source. */
    public static ProgressiveCount of(Snapshot snapshot, int sourceId) {
        return new ProgressiveCount(snapshot, sourceId);
    }

    @Override
    ProgressiveCount self() {
        return this;
    }

    /**
     * Counts in time steps of this length, from the start of the range on; zero, the default, for a single step.
     * Times are arrival times, or the records' own times with {@link #eventRange}.
     *
     * @throws IllegalArgumentException if it is negative, or longer than 292 years
     */
    public ProgressiveCount step(Duration length) {
        stepNs = checkedNs("step", length);
        return this;
    }

    /**
     * The chunks that the first sample has, and at least {@value Sample#CHUNKS_OF_STEP_MIN} of each step; each later one has four times as
     * many. Where there are no more, all are read at once. Default {@value Sample#CHUNKS_DEFAULT}, 32 MiB.
     *
     * @throws IllegalArgumentException below 1
     */
    public ProgressiveCount firstSample(int chunks) {
        if (chunks < 1) {
            throw new IllegalArgumentException("first sample has no chunks: chunks=" + chunks + ", min=1");
        }
        firstSample = chunks;
        return this;
    }

    /** Chooses which chunks the rounds read; default 0. The same seed gives the same rounds. */
    public ProgressiveCount seed(long number) {
        seed = number;
        return this;
    }

    /** Takes the rounds as they end. */
    @FunctionalInterface
    public interface RoundHandler {
        /**
         * Called after each round except the last.
         *
         * @return whether to go on; if not, these counts are the result
         */
        boolean onRound(Counts counts);
    }

    /** Runs all rounds, and returns the exact counts. */
    public Counts run() {
        return run(round -> true);
    }

    /**
     * Runs the query.
     *
     * @return the counts of the last round; they are estimates if the handler did not go on, or if {@link Counts#completeness()} names a
     *     limit. A limit cuts a round short, and its intervals may not hold.
     * @throws IllegalArgumentException if there are steps but the range has no start, or more than {@link #STEPS_MAX}
     */
    public Counts run(RoundHandler handler) {
        QueryTerms terms = terms();
        EventRange events = terms.eventRange();
        EventClock clock = events == null ? null : events.clock();
        TimeSteps steps = new TimeSteps(events == null ? terms.range() : events.range(), stepNs);
        try (QueryScope scope = new QueryScope(terms)) {
            EventTimes times = clock == null ? null : EventTimes.of(clock, scope.plan());
            Sample sample = new Sample(
                    new ChunkSteps(steps, times),
                    scope.plan(),
                    steps.count(),
                    terms.limits().memory(),
                    firstSample,
                    !scope.reader().isRebuilding(),
                    seed);
            scope.walksAreDisjoint();
            long read = 0;
            while (true) {
                SourceWalk walk = scope.walk(Order.OLDEST_FIRST, sample.chunks());
                StoredRecord record = walk.record();
                while (walk.next()) {
                    read++;
                    long timeNs = clock == null
                            ? record.timeNs()
                            : clock.epochNs(scope.lookup(), record.buffer(), record.offset(), record.length());
                    sample.count(steps.step(timeNs));
                }
                boolean more = sample.endRound(scope.limit() == Limit.NONE);
                Counts counts = new Counts(
                        sample.round(), steps, sample.estimate(), scope.statistics(read), scope.completeness());
                if (!more || (sample.isTelling() && !handler.onRound(counts))) {
                    return counts;
                }
                sample.beginRound();
            }
        }
    }

    /** The counts of a round: steps from the earliest on. Immutable. */
    public static final class Counts {
        private final int round;
        private final TimeSteps times;
        private final StepEstimates estimates;
        private final QueryStatistics statistics;
        private final Completeness completeness;

        private Counts(
                int round,
                TimeSteps times,
                StepEstimates estimates,
                QueryStatistics statistics,
                Completeness completeness) {
            this.round = round;
            this.times = times;
            this.estimates = estimates;
            this.statistics = statistics;
            this.completeness = completeness;
        }

        /** The round: 0 if it has read no sample, but gives the most that there can be. */
        public int round() {
            return round;
        }

        /** The number of steps, including empty ones. */
        public int steps() {
            return estimates.steps();
        }

        /** The times of a step; the last one ends with the range. */
        public TimeRange range(int step) {
            return times.range(step);
        }

        /** The number of records in a step; an estimate unless {@link #isExact(int)}. */
        public long count(int step) {
            return estimates.count(step);
        }

        /** The lower end of a step's interval, which is in it. */
        public long low(int step) {
            return estimates.low(step);
        }

        /** The upper end of a step's interval, which is in it. */
        public long high(int step) {
            return estimates.high(step);
        }

        /** Whether all records of a step are counted, as far as {@link #completeness()} allows. */
        public boolean isExact(int step) {
            return estimates.isExact(step);
        }

        /** The number of records in all steps; an estimate unless {@link #isExact()}. */
        public long count() {
            return estimates.count();
        }

        /** The lower end of the interval of {@link #count()}, which is in it. */
        public long low() {
            return estimates.low();
        }

        /** The upper end of the interval of {@link #count()}, which is in it. */
        public long high() {
            return estimates.high();
        }

        /** Whether all records are counted, as far as {@link #completeness()} allows. */
        public boolean isExact() {
            return estimates.isExact();
        }

        /** The work done in all rounds so far. */
        public QueryStatistics statistics() {
            return statistics;
        }

        /** What the counts lack, besides the chunks that rounds have not come to. */
        public Completeness completeness() {
            return completeness;
        }
    }
}
