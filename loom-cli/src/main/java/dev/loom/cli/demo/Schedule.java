package dev.loom.cli.demo;

import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Hands out the requests of a run and decides which ones the filter mangles: a fixed number, spread over the run. The seed
 * determines their places and which bit each one loses. Usable from any thread.
 */
final class Schedule {
    /** {@link #nextRequestId()} returns this when the run is over. */
    static final long OVER = -1;

    /** {@link #mangledBit} returns this for a request that passes unharmed. */
    static final int NONE = -1;

    /**
     * Bits from here to {@link #BIT_MAX} are set in no request's length field, but a reader would believe them and wait for more.
     */
    private static final int BIT_MIN = 8;

    private static final int BIT_MAX = 14;

    /** The part of the run in which requests are mangled starts here. */
    private static final double FROM = 0.05;

    private static final double TO = 0.85;

    private final WorkloadPlan plan;
    private final double[] places;
    private final int[] bits;
    private final AtomicLong handedOut = new AtomicLong();
    private final Set<Long> mangledIds = ConcurrentHashMap.newKeySet();
    private final long startNs = System.nanoTime();
    private volatile int mangledCount;
    private volatile boolean stopped;

    /** Starts the run. */
    Schedule(WorkloadPlan plan) {
        this.plan = plan;
        SplittableRandom random = new SplittableRandom(plan.seed());
        places = new double[plan.mangled()];
        bits = new int[plan.mangled()];
        double stride = (TO - FROM) / Math.max(1, plan.mangled());
        for (int i = 0; i < places.length; i++) {
            // in the first half of each stride, so that given enough time one times out before the next begins
            places[i] = FROM + stride * (i + random.nextDouble() / 2);
            bits[i] = random.nextInt(BIT_MIN, BIT_MAX + 1);
        }
    }

    /** The next id, from 0; {@link #OVER} if nothing is left to do. */
    long nextRequestId() {
        if (stopped || (elapsedNs() >= plan.duration().toNanos() && mangledCount == places.length)) {
            return OVER;
        }
        long id = handedOut.getAndIncrement();
        return id < plan.requests() ? id : OVER;
    }

    /** Ends the run early. */
    void stop() {
        stopped = true;
    }

    /** The bit of its length field that a request loses, or {@link #NONE}; never two for one request. */
    int mangledBit(long requestId) {
        int next = mangledCount;
        if (next == places.length || progress() < places[next]) {
            return NONE;
        }
        return mangleNext(requestId);
    }

    /** The requests mangled so far. */
    Set<Long> mangledIds() {
        return Set.copyOf(mangledIds);
    }

    private synchronized int mangleNext(long requestId) {
        int next = mangledCount;
        if (next == places.length || progress() < places[next] || !mangledIds.add(requestId)) {
            return NONE;
        }
        mangledCount = next + 1;
        return bits[next];
    }

    private double progress() {
        double byRequests = (double) handedOut.get() / plan.requests();
        double byTime = (double) elapsedNs() / plan.duration().toNanos();
        return Math.max(byRequests, byTime);
    }

    private long elapsedNs() {
        return System.nanoTime() - startNs;
    }
}
