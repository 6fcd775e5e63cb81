package dev.loom.store;

import dev.loom.api.StoreClock;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * The default clock: the monotonic clock from an anchor in wall-clock time, never before the last record's time. When the
 * wall clock leads by more than a second, as after a suspend, the anchor follows; when it falls behind, it does not.
 */
final class SystemClock implements StoreClock {
    private static final long LEAD_MAX_NS = TimeUnit.SECONDS.toNanos(1);
    private static final VarHandle OFFSET;

    static {
        try {
            OFFSET = MethodHandles.lookup().findVarHandle(SystemClock.class, "offsetNs", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // read and written through OFFSET
    private long offsetNs;

    /** @param lastTimeNs time of the newest record, or {@code Long.MIN_VALUE} */
    SystemClock(long lastTimeNs) {
        long anchor = lastTimeNs == Long.MIN_VALUE ? wallNs() : Math.max(wallNs(), lastTimeNs + 1);
        offsetNs = anchor - System.nanoTime();
    }

    @Override
    public long epochNs() {
        return System.nanoTime() + (long) OFFSET.getOpaque(this);
    }

    /** What to add to the monotonic clock. */
    long offsetNs() {
        return (long) OFFSET.getOpaque(this);
    }

    /** Follows the wall clock forward. Called by one thread, now and then. */
    void follow() {
        long lead = wallNs() - epochNs();
        if (lead > LEAD_MAX_NS) {
            OFFSET.setOpaque(this, offsetNs() + lead);
        }
    }

    static long wallNs() {
        Instant now = Instant.now();
        return now.getEpochSecond() * TimeUnit.SECONDS.toNanos(1) + now.getNano();
    }
}
