package dev.loom.record;

import dev.loom.api.RecordClaim;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The view of a claimed record, reused from claim to claim. Owned by the writer's thread. */
public final class RecordClaimSlot implements RecordClaim {
    private final RecordLog log;
    private UnsafeBuffer buffer = new UnsafeBuffer(new byte[0]);
    private int offset;
    private int length;

    RecordClaimSlot(RecordLog log) {
        this.log = log;
    }

    void wrap(UnsafeBuffer ring, int payloadOffset, int payloadLength) {
        buffer = ring;
        offset = payloadOffset;
        length = payloadLength;
    }

    @Override
    public MutableDirectBuffer buffer() {
        return buffer;
    }

    @Override
    public int offset() {
        return offset;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public long commit() {
        return log.commitClaim(length);
    }

    @Override
    public void abort() {
        log.abortClaim();
    }
}
