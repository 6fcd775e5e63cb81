package dev.loom.recorder;

import dev.loom.api.DropPolicy;
import dev.loom.api.LossReason;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** The recorder's state of one source: policy and counts. Usable from any thread. */
final class SourceGate {
    final int id;
    final DropWindow full = new DropWindow();
    final DropWindow sampled = new DropWindow();
    final DropWindow failed = new DropWindow();

    private final AtomicLong published = new AtomicLong();
    private final AtomicLong offeredWhileFilling = new AtomicLong();
    private final AtomicLongArray dropped = new AtomicLongArray(LossReason.values().length);
    private volatile DropPolicy policy;
    private volatile boolean closed;

    SourceGate(int id, DropPolicy policy) {
        this.id = id;
        this.policy = policy;
    }

    DropPolicy policy() {
        return policy;
    }

    void policy(DropPolicy next) {
        policy = next;
    }

    boolean closed() {
        return closed;
    }

    void open() {
        closed = false;
    }

    void close() {
        closed = true;
    }

    /** Whether a record offered while the ring is filling up is taken: every {@code oneIn}-th one is. */
    boolean takesSample(int oneIn) {
        return offeredWhileFilling.getAndIncrement() % oneIn == 0;
    }

    /** Counts a stored record. For the writer's thread. */
    void countPublished() {
        published.lazySet(published.getPlain() + 1);
    }

    long published() {
        return published.get();
    }

    /** Counts a record dropped for a reason that no window counts. */
    void countDropped(LossReason reason) {
        dropped.incrementAndGet(reason.code());
    }

    long dropped(LossReason reason) {
        return switch (reason) {
            case RECORDER_FULL -> full.count();
            case SAMPLED -> sampled.count();
            case FAILED -> failed.count() + dropped.get(reason.code());
            default -> dropped.get(reason.code());
        };
    }
}
