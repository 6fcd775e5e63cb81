package dev.loom.api;

import org.agrona.MutableDirectBuffer;

/**
 * Room for one payload in the log itself: fill {@code [offset, offset + length)} of {@link #buffer()}, then {@link
 * #commit()} or {@link #abort()}. Until then the writer takes no other record. Reused from claim to claim; for the
 * writer's thread only.
 */
public interface RecordClaim {
    /**
     * Holds exactly the payload's bytes, the first aligned to 8; writing outside them is out of bounds. Empty after
     * {@link #commit()} and {@link #abort()}.
     */
    MutableDirectBuffer buffer();

    /** Offset in {@link #buffer()} of the payload's first byte: 0. */
    default int offset() {
        return 0;
    }

    /** The claimed length in bytes; 0 when nothing is claimed. */
    default int length() {
        return buffer().capacity();
    }

    /**
     * Publishes the record.
     *
     * @return its address; a recorder does not know it yet, see {@link RecorderClaim#commit()}
     * @throws IllegalStateException if no claim is open
     */
    long commit();

    /**
     * Gives up the room, which the next record takes.
     *
     * @throws IllegalStateException if no claim is open
     */
    void abort();
}
