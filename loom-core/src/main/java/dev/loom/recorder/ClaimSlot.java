package dev.loom.recorder;

import dev.loom.api.PushStatus;
import dev.loom.api.RecorderClaim;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A claim in the ring, reused. Owned by one thread, except that the writer checks for and ends a claim whose owner has
 * ended.
 */
final class ClaimSlot implements RecorderClaim {
    private static final int NONE = -1;
    private static final byte[] NOTHING = {};

    private final Intake intake;
    private final RecorderRing ring;
    private final ClaimSlots slots;
    /** A view of only the payload, so that a late thread can't write into other records. */
    private final UnsafeBuffer view = new UnsafeBuffer(NOTHING);

    /** The open claim's payload in the ring, or {@link #NONE}. Released after {@link #owner} is set. */
    private final AtomicInteger open = new AtomicInteger(NONE);

    /**
     * The payload in the ring that the owner may be writing, or {@link #NONE}: set once nothing can fail any more that a stack's overflow
     * could stop, and written without a call. Volatile after {@link #owner} is set.
     */
    private volatile int held = NONE;

    private @Nullable Thread owner;
    private volatile boolean closed;

    /**
     * Whether a stack's overflow has left {@link #open} set: the recorder may give up the room and another thread have it, so it is
     * this claim's no longer.
     */
    private boolean lost;

    ClaimSlot(Intake intake, RecorderRing ring, ClaimSlots slots) {
        this.intake = intake;
        this.ring = ring;
        this.slots = slots;
    }

    @Override
    public long claim(int sourceId, int length) {
        if (closed) {
            throw new IllegalStateException("claim is closed");
        }
        int index = open.get();
        if (index != NONE) {
            end(index, false);
        }
        Thread caller = Thread.currentThread();
        if (owner != caller) {
            held = NONE; // the recorder ends a claim without it
            owner = caller; // first, so that it is not dropped again
            slots.keep(this);
        }
        int left = 0;
        boolean opened = false;
        try {
            long claimed = intake.claim(sourceId, length);
            if (claimed < 0) {
                return claimed;
            }
            left = (int) claimed;
            open.lazySet(left);
            left = 0;
            opened = true;
            lost = false;
            view.wrap(ring.buffer(), (int) claimed, length);
            held = (int) claimed;
            return 0;
        } catch (StackOverflowError e) {
            intake.orphans[intake.orphanCount++ & Intake.ORPHANS_MASK] = left;
            intake.overflowed = true;
            lost = opened;
            throw e;
        }
    }

    @Override
    public MutableDirectBuffer buffer() {
        return view;
    }

    @Override
    public long commit() {
        return end(openIndex(), true) ? 0 : PushStatus.CLOSED;
    }

    @Override
    public void abort() {
        end(openIndex(), false);
    }

    private int openIndex() {
        int index = open.getPlain();
        if (index == NONE) {
            throw new IllegalStateException("no claim is open");
        }
        return index;
    }

    /** False if the recorder gave up the claim, as it was closed or the thread that made it had ended. */
    private boolean end(int index, boolean commit) {
        int left = 0;
        boolean released;
        held = NONE;
        if (lost) {
            view.wrap(NOTHING);
            open.lazySet(NONE);
            lost = false;
            return false;
        }
        try {
            view.wrap(NOTHING);
            if (owner == Thread.currentThread()) {
                open.lazySet(NONE); // it lives, so nobody else ends it
            } else if (!open.compareAndSet(index, NONE)) {
                return false;
            }
            left = index;
            released = intake.release(index, commit);
        } catch (StackOverflowError e) {
            intake.orphans[intake.orphanCount++ & Intake.ORPHANS_MASK] = left;
            intake.overflowed = true;
            lost = left == 0;
            throw e;
        }
        if (released) {
            intake.wake();
        }
        return released;
    }

    @Override
    public void close() {
        closed = true;
        int index = open.get();
        if (index != NONE) {
            end(index, false);
        }
        slots.remove(this);
    }

    /** Whether the open claim at an index of the ring has lost its thread. */
    boolean abandonedAt(int index) {
        return open.get() == index && ownerHasEnded() && !lost;
    }

    /** Whether a live thread has the claim at an index of the ring, and may be writing into it. */
    boolean heldAt(int index) {
        return held == index && !ownerHasEnded();
    }

    boolean ownerHasEnded() {
        Thread thread = owner;
        return thread != null && !thread.isAlive();
    }

    boolean isOpen() {
        return open.get() != NONE && !lost;
    }

    /** Takes an abandoned claim from whoever may have got the object from its owner; then it is the caller's to end. */
    boolean takeAbandoned(int index) {
        return ownerHasEnded() && open.compareAndSet(index, NONE);
    }
}
