package dev.loom.bench.replay;

import dev.loom.bench.query.SimulatedCapture;
import java.util.Locale;

/**
 * What is replayed. All else follows from it: every record, when it is due, what is asked and when.
 *
 * @param phase 1 to {@link ReplayWorkload#PHASES}
 * @param scale part of the paper's rates
 * @param millis length of the run
 * @param seed of all that looks like chance
 * @param sample the part of all records that is offered, chosen uniformly; 1 for all
 */
public record ReplayPlan(ReplayWorkload workload, int phase, double scale, long millis, long seed, double sample) {
    /** The time of the run's begin, epoch nanoseconds. */
    public static final long BEGIN_NS = SimulatedCapture.BEGIN_NS;

    /** How often each question is asked. */
    public static final int ROUNDS = 5;

    private static final long MILLI_NS = 1_000_000;
    private static final int WINDOWS_OF_RUN = 20;
    private static final int WINDOW_PARTS = 3;
    private static final long PACKETS_AROUND_NS = 5_000_000_000L;
    private static final int PLANTED_OF_WINDOW = 6;
    private static final String SEPARATOR = ":";

    public ReplayPlan {
        if (phase < 1 || phase > ReplayWorkload.PHASES || scale <= 0 || millis <= 0 || sample <= 0 || sample > 1) {
            throw new IllegalArgumentException(
                    "bad plan: phase=" + phase + ", scale=" + scale + ", millis=" + millis + ", sample=" + sample);
        }
    }

    /** As {@link #toString()} gives it. */
    public static ReplayPlan parse(String text) {
        final String[] parts = text.split(SEPARATOR, -1);
        return new ReplayPlan(
                ReplayWorkload.valueOf(parts[0].toUpperCase(Locale.ROOT)),
                Integer.parseInt(parts[1]),
                Double.parseDouble(parts[2]),
                Long.parseLong(parts[3]),
                Long.parseLong(parts[4]),
                Double.parseDouble(parts[5]));
    }

    /** Length of the run, ns. */
    public long lengthNs() {
        return millis * MILLI_NS;
    }

    /** What questions look back at, and the time between two rounds of them: 120 s of the paper's 800 s. */
    public long windowNs() {
        return lengthNs() / WINDOWS_OF_RUN * WINDOW_PARTS;
    }

    /** Packets are wanted from so long before a slow request until so long after it: 5 s, or half a window if that is less. */
    public long packetsAroundNs() {
        return Math.min(PACKETS_AROUND_NS, windowNs() / 2);
    }

    /** When a round of questions is due: at the end of what it looks back at. */
    public long roundNs(int round) {
        return BEGIN_NS + (round + 1) * windowNs();
    }

    /** Time between two planted events: six in the time of which packets are wanted, as in the paper's Figure 3. */
    long plantedEveryNs() {
        return 2 * packetsAroundNs() / PLANTED_OF_WINDOW;
    }

    /** Records a second of a source, at least 1. */
    public long rate(ReplaySource source) {
        return Math.max(1, Math.round(source.rate() * scale));
    }

    /** Records a second of all sources. */
    public long rate() {
        return workload.sources(phase).stream().mapToLong(this::rate).sum();
    }

    /** The plan as one word. */
    @Override
    public String toString() {
        return String.join(
                SEPARATOR,
                workload.text(),
                Integer.toString(phase),
                Double.toString(scale),
                Long.toString(millis),
                Long.toString(seed),
                Double.toString(sample));
    }
}
