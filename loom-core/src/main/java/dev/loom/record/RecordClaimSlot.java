package dev.loom.record;

import dev.loom.api.RecordClaim;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The view of a claimed record, reused from claim to claim. Owned by the writer's thread. */
public final class RecordClaimSlot implements RecordClaim {
    private static final byte[] NOTHING = {};

    private final RecordLog log;
    /** Covers only the payload, so that stray or late writes reach no other record. */
    private final UnsafeBuffer view = new UnsafeBuffer(NOTHING);

    RecordClaimSlot(RecordLog log) {
        this.log = log;
    }

    void wrap(UnsafeBuffer ring, int payloadOffset, int payloadLength) {
        view.wrap(ring, payloadOffset, payloadLength);
    }

    /** Ends the claim's view. */
    void unwrap() {
        view.wrap(NOTHING);
    }

    @Override
    public MutableDirectBuffer buffer() {
        return view;
    }

    @Override
    public int offset() {
        return 0;
    }

    @Override
    public int length() {
        return view.capacity();
    }

    @Override
    public long commit() {
        return log.commitClaim(length());
    }

    @Override
    public void abort() {
        log.abortClaim();
    }
}
