package dev.loom.bench.replay;

import static dev.loom.bench.query.SimulatedCapture.mix;

/**
 * The rare events of a run (paper, section 2.1): a packet whose destination port was mangled, hence a system call {@code recv} that
 * waits for long, hence a slow request. A pure function of the plan. Immutable.
 */
final class PlantedEvents {
    /** Latencies from here on are those of planted events, ns. */
    static final long LATENCY_MIN_NS = 50_000_000;

    private static final long LATENCY_SPREAD_NS = 50_000_000;
    private static final long AFTER_CALL_NS = 40_000;

    private final ReplayPlan plan;

    PlantedEvents(ReplayPlan plan) {
        this.plan = plan;
    }

    /** How many events the run has; of the last ones, records may lie after its end. */
    int count() {
        return (int) (plan.lengthNs() / plan.plantedEveryNs());
    }

    /** When the packet of an event arrives, epoch nanoseconds. */
    private long packetNs(int event) {
        final long everyNs = plan.plantedEveryNs();
        return ReplayPlan.BEGIN_NS + event * everyNs + Math.floorMod(mix(plan.seed() + event), everyNs / 2);
    }

    private long waitNs(int event) {
        return LATENCY_MIN_NS + Math.floorMod(mix(mix(plan.seed()) + event), LATENCY_SPREAD_NS);
    }

    /** From when on the next record of a source is the event's, epoch nanoseconds. */
    long timeNs(ReplaySource source, int event) {
        final long packetNs = packetNs(event);
        return switch (source) {
            case REDIS_PACKETS -> packetNs;
            case REDIS_CALLS -> packetNs + waitNs(event);
            case REDIS_REQUESTS -> packetNs + waitNs(event) + AFTER_CALL_NS;
            default -> throw new IllegalArgumentException("nothing is planted: source=" + source);
        };
    }

    /** The latency of the event's record, ns. */
    long latencyNs(ReplaySource source, int event) {
        return waitNs(event) + (source == ReplaySource.REDIS_REQUESTS ? 2 * AFTER_CALL_NS : 0);
    }

    /** Whether a source has records of the events. */
    static boolean has(ReplaySource source) {
        return source == ReplaySource.REDIS_REQUESTS
                || source == ReplaySource.REDIS_CALLS
                || source == ReplaySource.REDIS_PACKETS;
    }
}
