package dev.loom.query;

import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.format.RecordLookup;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The records of one source around those of a cursor, the <em>causes</em> (paper, section 4.3): within a window of time
 * around each, or during each. Times are those of arrival, or the records' own.
 *
 * <p>A cause's window is {@code [time - duration - before, time + after]}, a record stands for {@code [time - duration,
 * time]}, and it matches when the two have a moment in common; ends are included. Without durations both are 0. A record
 * without a time, or with a duration that is absent or negative, matches nothing. The condition and the time range of this
 * query are those of the records that are looked for.
 *
 * <p>Causes are taken up to {@link #CAUSES_AT_A_TIME} at a time, as many as the query's memory has room for, in the order in
 * which their windows begin, by reading the cursor anew; for each such batch the source is read once, oldest arrival first, and of it only the chunks that may hold a match:
 * by the timestamp index, or by an index over event times, whose times are stretched by the chunk's longest duration if there
 * is an index over that. Each match is given with each of its causes, in that order; or with {@link #distinct} once, with the
 * cause whose window begins first (of several the one at the lowest address).
 *
 * <p>Bounded memory: 1 MiB besides that of the causes' cursor, and the longest jumbo payload met; and 32 bytes a cause, or 64
 * while room is made for more, which the query takes of its {@linkplain #memory memory} as long as there is four times as much. Not thread-safe.
 */
public final class Correlate extends Query<Correlate> {
    /** As many causes at most are looked for in one pass over the records. */
    public static final int CAUSES_AT_A_TIME = 1 << 19;

    private final Supplier<? extends QueryCursor> causes;
    private int causesAtATime = CAUSES_AT_A_TIME;
    private long beforeNs;
    private long afterNs;
    private @Nullable EventClock causeClock;
    private @Nullable EventClock clock;
    private @Nullable IndexFunction causeDuration;
    private @Nullable IndexFunction duration;
    private boolean causesFromStart;
    private boolean fromStart;
    private boolean distinct;

    private Correlate(Snapshot snapshot, int sourceId, Supplier<? extends QueryCursor> causes) {
        super(snapshot, sourceId);
        this.causes = Objects.requireNonNull(causes);
    }

    /**
     * The records of a source at the times of others.
     *
     * @param causes opens a cursor over the same causes as often as it is asked, each of which is closed
     */
    public static Correlate of(Snapshot snapshot, int sourceId, Supplier<? extends QueryCursor> causes) {
        return new Correlate(snapshot, sourceId, causes);
    }

    @Override
    Correlate self() {
        return this;
    }

    /**
     * Stretches the causes' windows; by default not at all.
     *
     * @param before nanoseconds before a cause, 0 or more
     * @param after nanoseconds after it, 0 or more
     */
    public Correlate window(long before, long after) {
        if (before < 0 || after < 0) {
            throw new IllegalArgumentException("window is negative: before=" + before + ", after=" + after);
        }
        beforeNs = before;
        afterNs = after;
        return this;
    }

    /** Goes by the records' own times, by default by arrival. */
    public Correlate eventTime(EventClock ofCauses, EventClock ofRecords) {
        causeClock = Objects.requireNonNull(ofCauses);
        clock = Objects.requireNonNull(ofRecords);
        return this;
    }

    /**
     * Lets causes and records stand for the time that they took, up to their own time or {@linkplain #fromStart from it on};
     * by default for a moment.
     *
     * @param ofCauses in its unit, or in nanoseconds if it has none
     * @param ofRecords in its unit, or in nanoseconds if it has none
     * @throws IllegalArgumentException for a function that can't be read
     */
    public Correlate durations(IndexFunction ofCauses, IndexFunction ofRecords) {
        if (!ofCauses.isReadable() || !ofRecords.isReadable()) {
            throw new IllegalArgumentException(
                    "durations can't be read: causes=" + ofCauses.text() + ", records=" + ofRecords.text());
        }
        causeDuration = ofCauses;
        duration = ofRecords;
        return this;
    }

    /** Says of which the time is when what they tell of began; by default it is when that ended. */
    public Correlate fromStart(boolean ofCauses, boolean ofRecords) {
        causesFromStart = ofCauses;
        fromStart = ofRecords;
        return this;
    }

    /** Gives each match once. */
    public Correlate distinct(boolean once) {
        distinct = once;
        return this;
    }

    /** For tests, which have fewer causes. */
    Correlate causesAtATime(int count) {
        causesAtATime = count;
        return this;
    }

    /** Starts the search. */
    public CorrelationCursor open() {
        return new CorrelationCursor(this);
    }

    Supplier<? extends QueryCursor> causes() {
        return causes;
    }

    int causesAtATime() {
        return causesAtATime;
    }

    long beforeNs() {
        return beforeNs;
    }

    long afterNs() {
        return afterNs;
    }

    boolean distinct() {
        return distinct;
    }

    RecordSpan causeSpan(RecordLookup lookup) {
        return new RecordSpan(causeClock, causeDuration, causesFromStart, lookup);
    }

    RecordSpan span(RecordLookup lookup) {
        return new RecordSpan(clock, duration, fromStart, lookup);
    }

    boolean fromStart() {
        return fromStart;
    }

    @Nullable
    EventClock clock() {
        return clock;
    }

    @Nullable
    IndexFunction duration() {
        return duration;
    }
}
