package dev.loom.store;

import dev.loom.api.StoreClock;
import dev.loom.io.Platform;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The default clock: the monotonic clock from an anchor in wall-clock time, never before the last record's time.
 *
 * <p>When the wall clock leads because the machine has slept, the anchor follows at once. A step forward it follows only when that
 * has lasted, for the times of records never decrease: what a clock that was wrong for a moment has put into the log would be
 * there for good. Where the anchor leads, after such a step was taken back, or another session's, it gives way by a thousandth,
 * and says by how much it leads.
 */
final class SystemClock implements StoreClock {
    /** Differences below are none. */
    static final long LEAD_MAX_NS = TimeUnit.SECONDS.toNanos(1);

    /** How long a step of the wall clock must have lasted. */
    static final long STEP_LASTS_NS = TimeUnit.SECONDS.toNanos(10);

    /** The part of the time by which an anchor that leads gives way. */
    static final long GIVE_WAY = 1_000;

    /** A wall clock beyond, in the year 2189, is taken for that: the rest of what a long holds is for the time to go on. */
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

    private long followedSleptNs;
    private long followedNs;
    private long stepNs;
    private long stepSinceNs;

    /** @param lastTimeNs time of the newest record, or {@code Long.MIN_VALUE} */
    SystemClock(long lastTimeNs) {
        this(lastTimeNs, wallNs(), System.nanoTime(), Platform::sleptNs);
    }

    /** With readings of the machine's clocks: of the wall, the monotonic one, and how long it has slept since it was started. */
    SystemClock(long lastTimeNs, long wallNs, long monotonicNs, LongSupplier sleptNs) {
        this.sleptNs = sleptNs;
        offsetNs = Math.max(wallNs, lastTimeNs == Long.MIN_VALUE ? wallNs : lastTimeNs + 1) - monotonicNs;
        followedSleptNs = sleptNs.getAsLong();
        followedNs = monotonicNs;
        publishAhead(wallNs, monotonicNs);
    }

    @Override
    public long epochNs() {
        return System.nanoTime() + (long) OFFSET.getOpaque(this);
    }

    /** What to add to the monotonic clock. */
    long offsetNs() {
        return (long) OFFSET.getOpaque(this);
    }

    /** By how much it leads the wall clock; 0 when that is less than a second. */
    long aheadNs() {
        return (long) AHEAD.getOpaque(this);
    }

    /** Looks at the wall clock. Called by one thread, now and then. */
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
        followedNs = monotonicNs;
        publishAhead(wallNs, monotonicNs);
    }

    private boolean isToBeFollowed(long lead, long monotonicNs) {
        long slept = sleptNs.getAsLong();
        if (lead - (slept - followedSleptNs) <= LEAD_MAX_NS) {
            followedSleptNs = slept;
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
