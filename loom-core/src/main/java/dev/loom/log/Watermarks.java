package dev.loom.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The watermarks of one log, in the shared live file: {@code begin <= durable <= evicted <= sealed <= tail}.
 *
 * <pre>
 *    0 | tail        written by the writer
 *    8 | sealed      written by the writer
 *   16 | overwritten written by the writer
 *   24 | covered     written by the writer; of the timestamp index alone
 *  128 | evicted     written by the evictor
 *  136 | durable     written by the evictor
 *  144 | begin       written by the evictor
 *  256 | end
 * </pre>
 *
 * <p>The two groups are two cache lines apart, so that neither thread's stores slow the other's. See
 * docs/memory-model.md for what each access publishes.
 */
public final class Watermarks {
    public static final int LENGTH = 256;

    static final int TAIL_OFFSET = 0;
    static final int SEALED_OFFSET = TAIL_OFFSET + Long.BYTES;
    static final int OVERWRITTEN_OFFSET = SEALED_OFFSET + Long.BYTES;
    static final int COVERED_OFFSET = OVERWRITTEN_OFFSET + Long.BYTES;
    static final int EVICTED_OFFSET = 128;
    static final int DURABLE_OFFSET = EVICTED_OFFSET + Long.BYTES;
    static final int BEGIN_OFFSET = DURABLE_OFFSET + Long.BYTES;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final ByteBuffer bytes;
    private final int base;

    /** A view of the {@link #LENGTH} bytes from {@code base} of a direct buffer; {@code base} is a multiple of 8. */
    public Watermarks(ByteBuffer bytes, int base) {
        this.bytes = bytes;
        this.base = base;
    }

    /** Watermarks of a log that nobody writes, all of it in segment files up to {@code end}. */
    public static Watermarks fixed(long begin, long end) {
        Watermarks watermarks = new Watermarks(ByteBuffer.allocateDirect(LENGTH).order(ByteOrder.LITTLE_ENDIAN), 0);
        watermarks.reset(begin, end);
        return watermarks;
    }

    /** Sets all of them, for a log that begins a session with everything in segment files. */
    public void reset(long begin, long end) {
        beginRelease(begin);
        durableRelease(end);
        evictedRelease(end);
        overwrittenOpaque(end);
        sealedRelease(end);
        tailRelease(end);
        coveredRelease(end);
    }

    /** Records below are whole and visible. Pairs with {@link #tailRelease}. */
    public long tailAcquire() {
        return (long) LONG.getAcquire(bytes, base + TAIL_OFFSET);
    }

    /** Publishes every byte stored below it. */
    public void tailRelease(long address) {
        LONG.setRelease(bytes, base + TAIL_OFFSET, address);
    }

    /** Entries of the timestamp index below are known to the source slots. Pairs with {@link #coveredRelease}. */
    public long coveredAcquire() {
        return (long) LONG.getAcquire(bytes, base + COVERED_OFFSET);
    }

    /** Publishes the source slots as of the entries below, which are published already. */
    void coveredRelease(long address) {
        LONG.setRelease(bytes, base + COVERED_OFFSET, address);
    }

    /** Pages below are sealed. Pairs with {@link #sealedRelease}. */
    public long sealedAcquire() {
        return (long) LONG.getAcquire(bytes, base + SEALED_OFFSET);
    }

    /** Publishes the seal of the pages below it, for the evictor. */
    void sealedRelease(long address) {
        LONG.setRelease(bytes, base + SEALED_OFFSET, address);
    }

    /** Bytes below may have been overwritten in the ring. A reader's check, after its copy and an acquire fence. */
    long overwrittenOpaque() {
        return (long) LONG.getOpaque(bytes, base + OVERWRITTEN_OFFSET);
    }

    /** Announces that bytes below are about to be overwritten; the caller fences before the first such store. */
    void overwrittenOpaque(long address) {
        LONG.setOpaque(bytes, base + OVERWRITTEN_OFFSET, address);
    }

    /** Pages below are in segment files. Pairs with {@link #evictedRelease}. */
    public long evictedAcquire() {
        return (long) LONG.getAcquire(bytes, base + EVICTED_OFFSET);
    }

    /** Hands the ring's pages below it back to the writer, and sends readers to the files. */
    void evictedRelease(long address) {
        LONG.setRelease(bytes, base + EVICTED_OFFSET, address);
    }

    /** Bytes below survive a power cut. */
    public long durableAcquire() {
        return (long) LONG.getAcquire(bytes, base + DURABLE_OFFSET);
    }

    void durableRelease(long address) {
        LONG.setRelease(bytes, base + DURABLE_OFFSET, address);
    }

    /** Bytes below are no longer retained. */
    public long beginAcquire() {
        return (long) LONG.getAcquire(bytes, base + BEGIN_OFFSET);
    }

    void beginRelease(long address) {
        LONG.setRelease(bytes, base + BEGIN_OFFSET, address);
    }
}
