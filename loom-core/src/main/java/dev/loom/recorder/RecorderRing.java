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
 * Agrona's many-to-one ring, off-heap, with records whose type is their source and which begin with their arrival time.
 *
 * <pre>
 *   0        4        8
 *   | length | source | arrival time, epoch ns | payload ... |  aligned to 8
 * </pre>
 *
 * <p>Sealing it is one atomic addition to the tail, after which every claim finds it full: claims made before are below
 * {@link #tail()}, and none comes after. So producers pay nothing for it. The memory is freed by the collector, since a thread
 * may still be writing into it.
 */
final class RecorderRing {
    static final int BYTES_MIN = 1 << 16;
    static final int BYTES_MAX = 1 << 28;

    /** Bytes of a slot in front of the payload. */
    static final int OVERHEAD_LENGTH = RecordDescriptor.HEADER_LENGTH + Long.BYTES;

    private static final int TIME_LENGTH = Long.BYTES;

    /** No position without a seal comes to this. */
    private static final long SEALED = 1L << 62;

    /** Its lower half, by which Agrona computes, is more than any ring holds, and positive with a whole ring on top. */
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

    /** Claims room for a payload, and notes its time. Returns the payload's index in {@link #buffer()}, or a negative number. */
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

    /** Reads committed records, up to a number. For the writer's thread. */
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

    /** The position up to which room is claimed: after it are the records that come now, and none once it is sealed. */
    long tail() {
        long position = ring.producerPosition();
        return position < SEALED ? position : position - SEAL;
    }

    /** Whether anything is claimed that has not been read. */
    boolean pending() {
        return tail() != head();
    }

    int used() {
        return (int) Math.max(0, Math.min(tail() - head(), capacity));
    }

    /** Takes no more claims. Called once. */
    void seal() {
        buffer.getAndAddLong(capacity + RingBufferDescriptor.TAIL_POSITION_OFFSET, SEAL);
    }

    /** Index in {@link #buffer()} of the payload that the reader waits for. For the writer's thread. */
    int blockedIndex() {
        return blockedSlot() + OVERHEAD_LENGTH;
    }

    private int blockedSlot() {
        return (int) head() & (capacity - 1);
    }

    /** Its source, or 0 when that is not known. For the writer's thread. */
    int blockedSource() {
        boolean claimed = buffer.getIntVolatile(RecordDescriptor.lengthOffset(blockedSlot())) < 0;
        return claimed ? Math.max(0, buffer.getInt(RecordDescriptor.typeOffset(blockedSlot()))) : 0;
    }

    /** Its arrival time, as far as it is known. For the writer's thread. */
    long blockedTimeNs() {
        return buffer.getLong(blockedSlot() + RecordDescriptor.HEADER_LENGTH);
    }

    /** Gives up the claim that the reader waits for. Only once it is sealed, or the claim's thread has ended. */
    boolean unblock() {
        return ring.unblock();
    }
}
