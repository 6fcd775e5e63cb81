package dev.loom.record;

import dev.loom.api.RecordClaim;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** The claimed record, reused from claim to claim. Owned by the writer's thread. */
public final class RecordClaimSlot implements RecordClaim {
    private static final byte[] NOTHING = {};

    private final ChunkWriter chunk;
    private final WriterOwnership ownership;
    /** Covers only the payload, so that stray or late writes reach no other record. */
    private final UnsafeBuffer view = new UnsafeBuffer(NOTHING);

    private @Nullable SourceState source;
    private long timeNs;

    RecordClaimSlot(ChunkWriter chunk, WriterOwnership ownership) {
        this.chunk = chunk;
        this.ownership = ownership;
    }

    /** Opens a claim of a payload that fits the open page. */
    void open(SourceState claimedSource, long claimedTimeNs, int length) {
        source = claimedSource;
        timeNs = claimedTimeNs;
        chunk.wrapNext(view, length);
        ownership.beginClaim(claimedSource.id);
    }

    /** Continues in the ring that the log was moved to, which has what was filled in so far. */
    void moved() {
        if (source != null) {
            chunk.wrapNext(view, view.capacity());
        }
    }

    /** Ends the claim, if there is one, and its view. */
    void clear() {
        source = null;
        view.wrap(NOTHING);
    }

    @Override
    public MutableDirectBuffer buffer() {
        return view;
    }

    @Override
    public long commit() {
        int length = length();
        return chunk.commit(end(), timeNs, length);
    }

    @Override
    public void abort() {
        end();
    }

    private SourceState end() {
        ownership.own();
        SourceState claimed = source;
        if (claimed == null) {
            throw new IllegalStateException("no claim is open");
        }
        ownership.endClaim();
        clear();
        return claimed;
    }
}
