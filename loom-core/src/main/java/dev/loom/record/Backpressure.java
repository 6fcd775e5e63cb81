package dev.loom.record;

import dev.loom.api.LossReason;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.error.StoreIoException;
import dev.loom.log.Evictor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What the writer does when a ring has no room: waits for the evictor, drops the record, or refuses it. Owned by the
 * writer's thread.
 */
final class Backpressure {
    private final PressureGauge gauge;
    private final Evictor evictor;
    private final Pressure policy;
    private final LossLedger losses;

    Backpressure(PressureGauge gauge, Evictor evictor, Pressure policy, LossLedger losses) {
        this.gauge = gauge;
        this.evictor = evictor;
        this.policy = policy;
        this.losses = losses;
    }

    /** Whether the store drops records instead of waiting. */
    boolean drops() {
        return policy == Pressure.DROP_NEWEST;
    }

    /**
     * Does what the store's policy says for a record without room. Without a source, as while sealing, it waits, and a
     * failing disk ends the wait with an exception.
     *
     * @param wait false to refuse the record whatever the policy
     * @return 0 when there is room, or a {@link PushStatus}
     */
    long await(@Nullable SourceState source, long timeNs, BooleanSupplier room, boolean wait) {
        if (!wait) {
            return PushStatus.BACK_PRESSURED;
        }
        if (source == null) {
            gauge.awaitOrFail(room, evictor);
        } else if (drops()) {
            losses.add(source, LossReason.STORE_FULL, 1, timeNs, timeNs);
            return PushStatus.DROPPED;
        } else {
            gauge.await(room, evictor);
        }
        return 0;
    }

    /**
     * Waits for room, if there is none.
     *
     * @throws StoreIoException with the failure that keeps pages from being written
     */
    void awaitOrFail(BooleanSupplier room) {
        if (!room.getAsBoolean()) {
            gauge.awaitOrFail(room, evictor);
        }
    }

    /** As {@link RecordLog#pause}. */
    void pause(long ns, boolean first) {
        if (first) {
            gauge.countWait();
        }
        gauge.pause(evictor, ns);
    }

    /** Counts a push to a closed source. */
    void countRefused() {
        gauge.countRefused();
    }
}
