package dev.loom.store;

import dev.loom.io.Platform;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The default clock: the monotonic clock, anchored to wall-clock time, never behind the last record's time.
 *
 * <p>If the wall clock leads because the machine has slept, the anchor follows at once. It follows a forward step only
 * after the step has lasted, because record times never decrease: a wall clock that was wrong for a moment would affect
 * the log for good. If the anchor leads, after such a step was reverted or because of an earlier session, it slows down
 * by a thousandth, and reports its lead.
 *
 * <p>What can't be undone, the deletion of records by their age, goes by a clock that trusts a wall clock that leads, of a step or of the time
 * since the last session, only after it has led for ten minutes: it may be wrong until it is set, as after a boot.
 */
final class SystemClock implements LongSupplier {
    /** Smaller differences are ignored. */
    static final long LEAD_MAX_NS = TimeUnit.SECONDS.toNanos(1);

    /** How long a step of the wall clock must last. */
    static final long STEP_LASTS_NS = TimeUnit.SECONDS.toNanos(10);

    /** How long a lead must last before records are deleted for it. */
    static final long TRUSTED_AFTER_NS = TimeUnit.MINUTES.toNanos(10);

    /** A leading anchor gives way by one part in this many. */
    static final long GIVE_WAY = 1_000;

    /**
     * A later wall-clock time is taken for this one, in the year 2189, so that a long has room for time to continue.
     */
    private static final long WALL_SECONDS_MAX = 6_917_529_027L;

    private static final VarHandle OFFSET;
    private static final VarHandle AHEAD;

    static {
        try {
            OFFSET = MethodHandles.lookup().findVarHandle(SystemClock.class, "offsetNs", long.class);
            AHEAD = MethodHandles.lookup().findVarHandle(SystemClock.class, "aheadNs", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final LongSupplier sleptNs;

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // read and written through OFFSET
    private long offsetNs;

    @SuppressWarnings("UnusedVariable") // read and written through AHEAD
    private long aheadNs;

    // of the clock that ages go by: less than the other offset until the wall clock is trusted
    private long trustedOffsetNs;
    private long doubtedOffsetNs;
    private long doubtedSinceNs;

    private long followedSleptNs;
    private long followedNs;
    private long stepNs;
    private long stepSinceNs;

    /** @param lastTimeNs the time of the newest record, or {@code Long.MIN_VALUE} */
    SystemClock(long lastTimeNs) {
        this(lastTimeNs, wallNs(), System.nanoTime(), Platform::sleptNs);
    }

    /** Takes readings of the machine's clocks: wall clock, monotonic clock, and time slept since the boot. */
    SystemClock(long lastTimeNs, long wallNs, long monotonicNs, LongSupplier sleptNs) {
        this.sleptNs = sleptNs;
        offsetNs = Math.max(wallNs, lastTimeNs == Long.MIN_VALUE ? wallNs : lastTimeNs + 1) - monotonicNs;
        followedSleptNs = sleptNs.getAsLong();
        followedNs = monotonicNs;
        trustedOffsetNs = lastTimeNs == Long.MIN_VALUE ? offsetNs : lastTimeNs + 1 - monotonicNs;
        doubtedOffsetNs = wallNs - monotonicNs;
        doubtedSinceNs = monotonicNs;
        publishAhead(wallNs, monotonicNs);
    }

    @Override
    public long getAsLong() {
        return epochNs();
    }

    /** The time of a record that arrives now. */
    long epochNs() {
        return System.nanoTime() + (long) OFFSET.getOpaque(this);
    }

    /** The time that ages go by, which may be earlier. For the thread that calls {@link #follow()}. */
    long trustedNs() {
        return System.nanoTime() + trustedOffsetNs();
    }

    long trustedOffsetNs() {
        return trustedOffsetNs;
    }

    /** The offset to add to the monotonic clock. */
    long offsetNs() {
        return (long) OFFSET.getOpaque(this);
    }

    /** How far it leads the wall clock; 0 if less than a second. */
    long aheadNs() {
        return (long) AHEAD.getOpaque(this);
    }

    /** Checks the wall clock. One thread calls it from time to time. */
    void follow() {
        follow(wallNs(), System.nanoTime());
    }

    void follow(long wallNs, long monotonicNs) {
        long lead = wallNs - (monotonicNs + offsetNs());
        if (lead > LEAD_MAX_NS) {
            if (isToBeFollowed(lead, monotonicNs)) {
                OFFSET.setOpaque(this, offsetNs() + lead);
                stepNs = 0;
            }
        } else {
            stepNs = 0;
            if (lead < -LEAD_MAX_NS) {
                OFFSET.setOpaque(this, offsetNs() - Math.min(-lead, (monotonicNs - followedNs) / GIVE_WAY));
            }
        }
        trust(Math.min(wallNs - monotonicNs, offsetNs()), monotonicNs);
        followedNs = monotonicNs;
        publishAhead(wallNs, monotonicNs);
    }

    /** Follows a clock that is behind, or hardly ahead, at once; else once it has been where it is for long. */
    private void trust(long clockOffsetNs, long monotonicNs) {
        boolean leads = clockOffsetNs - trustedOffsetNs > LEAD_MAX_NS;
        if (leads && Math.abs(clockOffsetNs - doubtedOffsetNs) > LEAD_MAX_NS) {
            doubtedOffsetNs = clockOffsetNs;
            doubtedSinceNs = monotonicNs;
        } else if (!leads || monotonicNs - doubtedSinceNs >= TRUSTED_AFTER_NS) {
            trustedOffsetNs = clockOffsetNs;
            doubtedOffsetNs = clockOffsetNs;
        }
    }

    private boolean isToBeFollowed(long lead, long monotonicNs) {
        long slept = sleptNs.getAsLong();
        if (lead - (slept - followedSleptNs) <= LEAD_MAX_NS) {
            followedSleptNs = slept;
            trustedOffsetNs += lead;
            doubtedOffsetNs += lead;
            return true;
        }
        if (stepNs == 0 || Math.abs(lead - stepNs) > LEAD_MAX_NS) {
            stepNs = lead;
            stepSinceNs = monotonicNs;
        }
        return monotonicNs - stepSinceNs >= STEP_LASTS_NS;
    }

    private void publishAhead(long wallNs, long monotonicNs) {
        long ahead = monotonicNs + offsetNs() - wallNs;
        AHEAD.setOpaque(this, ahead > LEAD_MAX_NS ? ahead : 0);
    }

    static long wallNs() {
        Instant now = Instant.now();
        long seconds = Math.max(0, Math.min(now.getEpochSecond(), WALL_SECONDS_MAX));
        return TimeUnit.SECONDS.toNanos(seconds) + now.getNano();
    }
}
