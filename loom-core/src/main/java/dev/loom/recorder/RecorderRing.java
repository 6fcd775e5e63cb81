package dev.loom.recorder;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Agrona's many-to-one ring, off-heap. A record's type is its source, and its first field is its arrival time.
 * <pre>
 *   0        4        8
 *   | length | source | arrival time, epoch ns | payload ... |  aligned to 8
 * </pre>
 *
 * <p>Sealing the ring is one atomic addition to the tail, after which every claim finds it full: earlier claims are
 * below {@link #tail()}, and there are no later ones. So sealing costs producers nothing. The garbage collector frees
 * the memory, since a thread may still be writing into it.
 */
final class RecorderRing {
    static final int BYTES_MIN = 1 << 16;
    static final int BYTES_MAX = 1 << 28;

    /** The bytes of a slot before the payload. */
    static final int OVERHEAD_LENGTH = RecordDescriptor.HEADER_LENGTH + Long.BYTES;

    private static final int TIME_LENGTH = Long.BYTES;

    /** Unsealed positions never reach this. */
    private static final long SEALED = 1L << 62;

    /** Agrona computes with its lower half, which exceeds any ring, and stays positive with a whole ring added. */
    private static final long SEAL = SEALED + (1L << 30);

    private final UnsafeBuffer buffer;
    private final ManyToOneRingBuffer ring;
    private final int capacity;

    /** @param capacity bytes, a power of two */
    RecorderRing(int capacity) {
        this.capacity = capacity;
        this.buffer = new UnsafeBuffer(BufferUtil.allocateDirectAligned(
                capacity + RingBufferDescriptor.TRAILER_LENGTH, BitUtil.CACHE_LINE_LENGTH));
        this.ring = new ManyToOneRingBuffer(buffer);
    }

    int capacity() {
        return capacity;
    }

    int payloadLengthMax() {
        return ring.maxMsgLength() - TIME_LENGTH;
    }

    /**
     * Claims room for a payload, and stores its time. Returns the payload's index in {@link #buffer()}, or a negative
     * number.
     */
    int tryClaim(int sourceId, int length, long timeNs) {
        int index = ring.tryClaim(sourceId, TIME_LENGTH + length);
        if (index < 0) {
            return index;
        }
        buffer.putLong(index, timeNs);
        return index + TIME_LENGTH;
    }

    MutableDirectBuffer buffer() {
        return buffer;
    }

    void put(int index, DirectBuffer payload, int offset, int length) {
        buffer.putBytes(index, payload, offset, length);
    }

    void commit(int index) {
        ring.commit(index - TIME_LENGTH);
    }

    void abort(int index) {
        ring.abort(index - TIME_LENGTH);
    }

    /** Reads at most {@code limit} committed records. For the writer's thread. */
    int read(MessageHandler handler, int limit) {
        return ring.read(handler, limit);
    }

    static long timeNs(DirectBuffer buffer, int index) {
        return buffer.getLong(index);
    }

    static int payloadIndex(int index) {
        return index + TIME_LENGTH;
    }

    static int payloadLength(int length) {
        return length - TIME_LENGTH;
    }

    /** The position up to which records are read. */
    long head() {
        return ring.consumerPosition();
    }

    /** The position up to which room is claimed. Later records come after it; once sealed, none do. */
    long tail() {
        long position = ring.producerPosition();
        return position < SEALED ? position : position - SEAL;
    }

    /** Whether any claim has not been read yet. */
    boolean pending() {
        return tail() != head();
    }

    int used() {
        return (int) Math.max(0, Math.min(tail() - head(), capacity));
    }

    /** Refuses further claims. Called once. */
    void seal() {
        buffer.getAndAddLong(capacity + RingBufferDescriptor.TAIL_POSITION_OFFSET, SEAL);
    }

    /** The index in {@link #buffer()} of the payload that the reader waits for. For the writer's thread. */
    int blockedIndex() {
        return blockedSlot() + OVERHEAD_LENGTH;
    }

    private int blockedSlot() {
        return (int) head() & (capacity - 1);
    }

    /** Whether that payload was committed since the last read. For the writer's thread. */
    boolean blockedCommitted() {
        return buffer.getIntVolatile(RecordDescriptor.lengthOffset(blockedSlot())) > 0;
    }

    /** The source of that payload, or 0 if not known yet. For the writer's thread. */
    int blockedSource() {
        boolean claimed = buffer.getIntVolatile(RecordDescriptor.lengthOffset(blockedSlot())) < 0;
        return claimed ? Math.max(0, buffer.getInt(RecordDescriptor.typeOffset(blockedSlot()))) : 0;
    }

    /** The arrival time of that payload, if known. For the writer's thread. */
    long blockedTimeNs() {
        return buffer.getLong(blockedSlot() + RecordDescriptor.HEADER_LENGTH);
    }

    /** Gives up the claim that the reader waits for. Only once the ring is sealed, or the claim's thread has ended. */
    boolean unblock() {
        return ring.unblock();
    }
}
