package dev.loom.api;

import org.agrona.MutableDirectBuffer;

/**
 * Room for one payload, in the log itself: fill {@code [offset, offset + length)} of {@link #buffer()}, then {@link
 * #commit()} or {@link #abort()}. Until then its writer takes nothing else. Reused from claim to claim; for the writer's
 * thread alone.
 */
public interface RecordClaim {
    /**
     * The payload's bytes and no other, the first aligned to 8: what is written beside them is out of bounds. Empty after {@link
     * #commit()} and {@link #abort()}.
     */
    MutableDirectBuffer buffer();

    /** Offset in {@link #buffer()} of the payload's first byte: 0. */
    int offset();

    /** Length in bytes, as claimed; 0 when nothing is. */
    int length();

    /**
     * Publishes the record.
     *
     * @return its address, which a recorder does not know yet: {@link RecorderClaim#commit()}
     */
    long commit();

    /** Gives the room back; the next record takes it. */
    void abort();
}
