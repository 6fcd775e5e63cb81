package dev.loom.bytes;

import dev.loom.api.RecordClaim;
import net.openhft.chronicle.bytes.BytesOut;
import net.openhft.chronicle.bytes.WriteBytesMarshallable;
import org.jspecify.annotations.Nullable;

/**
 * A claimed record as Chronicle Bytes, to be filled in place:
 *
 * <pre>{@code
 * if (loom.claim(sourceId, 64) >= 0) {
 *     claimBytes.write(loom.claimed(), order);
 * }
 * }</pre>
 *
 * <p>A record is as long as it was claimed; what is not written is zero. Writing beyond the claim throws {@link
 * java.nio.BufferOverflowException} or another exception, and changes nothing there. For the writer's thread; reused from claim to claim.
 */
@SuppressWarnings("exports") // who uses it has Chronicle Bytes, who does not must not need it
public final class ClaimBytes {
    private final BytesWindow window = new BytesWindow();
    private @Nullable RecordClaim claim;

    /** Makes a view of no claim. The first one of a process takes long, as the package says. */
    public ClaimBytes() {}

    /**
     * Writes a payload into a claim and publishes it. If the payload throws, the claim is given back and nothing published.
     *
     * @return the record's address
     */
    public long write(RecordClaim newClaim, WriteBytesMarshallable payload) {
        try {
            payload.writeMarshallable(wrap(newClaim));
        } catch (Throwable e) {
            abort();
            throw e;
        }
        return commit();
    }

    /** Opens a claim for writing, from its first byte to its last. The bytes are of no more use after its end. */
    public BytesOut<?> wrap(RecordClaim newClaim) {
        claim = newClaim;
        return window.open(newClaim.buffer(), newClaim.offset(), newClaim.length());
    }

    /**
     * Zeroes what was not written, and publishes the record.
     *
     * @return its address
     * @throws IllegalStateException if no claim is open
     */
    public long commit() {
        RecordClaim open = open();
        int written = window.written();
        end();
        open.buffer().setMemory(open.offset() + written, open.length() - written, (byte) 0);
        return open.commit();
    }

    /**
     * Gives the claim back.
     *
     * @throws IllegalStateException if no claim is open
     */
    public void abort() {
        RecordClaim open = open();
        end();
        open.abort();
    }

    private RecordClaim open() {
        if (claim == null) {
            throw new IllegalStateException("no claim is open");
        }
        return claim;
    }

    private void end() {
        claim = null;
        window.close();
    }
}
