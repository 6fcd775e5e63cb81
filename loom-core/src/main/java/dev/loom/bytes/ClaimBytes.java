package dev.loom.bytes;

import dev.loom.api.RecordClaim;
import net.openhft.chronicle.bytes.BytesOut;
import net.openhft.chronicle.bytes.WriteBytesMarshallable;
import org.jspecify.annotations.Nullable;

/**
 * A claimed record as Chronicle Bytes, to be filled in place:
 * <pre>{@code
 * if (loom.claim(sourceId, 64) >= 0) {
 *     claimBytes.write(loom.claimed(), order);
 * }
 * }</pre>
 *
 * <p>A record has the claimed length; bytes not written are zero. Writing beyond the claim throws {@link
 * java.nio.BufferOverflowException} or another exception, and changes nothing there. For the writer's thread; reused
 * from claim to claim.
 */
@SuppressWarnings("exports") // callers of this class have Chronicle Bytes; others must not need it
public final class ClaimBytes {
    private final BytesWindow window = new BytesWindow();
    private @Nullable RecordClaim claim;

    /** Makes a view of no claim. The first one in a process is slow; see the package. */
    public ClaimBytes() {}

    /**
     * Writes a payload into a claim and publishes it. If the payload throws, the claim is aborted and nothing is
     * published.
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

    /** Opens a claim for writing, from its first byte to its last. The bytes can't be used after the claim's end. */
    public BytesOut<?> wrap(RecordClaim newClaim) {
        claim = newClaim;
        return window.open(newClaim.buffer(), newClaim.offset(), newClaim.length());
    }

    /**
     * Zeroes the bytes not written, and publishes the record.
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
     * Aborts the claim.
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
