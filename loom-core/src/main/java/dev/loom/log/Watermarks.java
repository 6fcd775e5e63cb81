package dev.loom.log;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The watermarks of one log, in the shared live file: {@code begin <= durable <= evicted <= sealed <= tail}.
 * <pre>
 *    0 | tail        written by the writer
 *    8 | sealed      written by the writer
 *   16 | overwritten written by the writer
 *   24 | covered     written by the writer; of the timestamp index alone
 *  128 | evicted     written by the evictor
 *  136 | durable     written by the evictor
 *  144 | begin       written by the evictor
 *  152 | gap begin   written by the rebuild; of the indexes alone
 *  160 | gap end     as the session began it
 *  168 | rebuilt     written by the rebuild; of the timestamp index alone
 *  176 | rebuild to  as the session began it; of the timestamp index alone
 *  184 | kept        written by the evictor; of the record log alone
 *  256 | end
 * </pre>
 *
 * <p>An index that is being rebuilt, or was, has a gap without pages. Entries before the gap describe records below
 * {@code rebuild to}, and are complete below {@code rebuilt}; entries after it describe records from {@code rebuild to}
 * on.
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
    static final int GAP_BEGIN_OFFSET = BEGIN_OFFSET + Long.BYTES;
    static final int GAP_END_OFFSET = GAP_BEGIN_OFFSET + Long.BYTES;
    static final int REBUILT_OFFSET = GAP_END_OFFSET + Long.BYTES;
    static final int REBUILD_TO_OFFSET = REBUILT_OFFSET + Long.BYTES;
    static final int KEPT_OFFSET = REBUILD_TO_OFFSET + Long.BYTES;

    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private ByteBuffer bytes;
    private final int base;

    /** A view of the {@link #LENGTH} bytes from {@code base} of a direct buffer; {@code base} is a multiple of 8. */
    public Watermarks(ByteBuffer bytes, int base) {
        this.bytes = bytes;
        this.base = base;
    }

    /** Continues at the same place of another buffer with the same contents. For the writing thread. */
    public void moveTo(ByteBuffer other) {
        bytes = other;
    }

    /** Watermarks of a log that nobody writes, with everything up to {@code end} in segment files. */
    public static Watermarks fixed(long begin, long end) {
        Watermarks watermarks = new Watermarks(ByteBuffer.allocateDirect(LENGTH).order(ByteOrder.LITTLE_ENDIAN), 0);
        watermarks.reset(begin, end);
        return watermarks;
    }

    /** Takes over what others than the writer have stored in those of the same log with the same tail. */
    public void follow(Watermarks other) {
        evictedRelease(other.evictedAcquire()); // first, as nothing is durable that is not evicted
        durableRelease(other.durableAcquire());
        keptRelease((long) LONG.getAcquire(other.bytes, other.base + KEPT_OFFSET));
        beginRelease(other.beginAcquire());
        gapBeginRelease(other.gapBeginAcquire());
        rebuiltRelease(other.rebuiltAcquire());
    }

    /** Announces, to readers of a ring that is about to be copied to, that bytes below an address may not stay. */
    public void announce(long address) {
        overwrittenOpaque(address);
        VarHandle.storeStoreFence();
    }

    /** Sets all watermarks, for a log that begins a session with everything in segment files. */
    public void reset(long begin, long end) {
        beginRelease(begin);
        durableRelease(end);
        evictedRelease(end);
        overwrittenOpaque(end);
        sealedRelease(end);
        tailRelease(end);
        coveredRelease(end);
    }

    /** Records below are complete and visible. Pairs with {@link #tailRelease}. */
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

    /** Publishes the source slots for the entries below, which are published already. */
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

    /** Bytes below may have been overwritten in the ring. A reader checks it after its copy and an acquire fence. */
    long overwrittenOpaque() {
        return (long) LONG.getOpaque(bytes, base + OVERWRITTEN_OFFSET);
    }

    /** Bytes below may have been overwritten in the ring. For callers that do not read them. */
    public long overwritten() {
        return overwrittenOpaque();
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

    /**
     * Bytes below survive a power cut, as those of pages that are durable or of the copy of the open page. Pairs with
     * {@link #keptRelease}.
     */
    public long keptAcquire() {
        return Math.max(durableAcquire(), (long) LONG.getAcquire(bytes, base + KEPT_OFFSET));
    }

    /** Publishes the end of the open page's durable copy. */
    void keptRelease(long address) {
        LONG.setRelease(bytes, base + KEPT_OFFSET, address);
    }

    /** Bytes below are no longer retained. */
    public long beginAcquire() {
        return (long) LONG.getAcquire(bytes, base + BEGIN_OFFSET);
    }

    /** Gives up the bytes below it, before their files are deleted. */
    public void beginRelease(long address) {
        LONG.setRelease(bytes, base + BEGIN_OFFSET, address);
    }

    /** Sets the gap, and which records the part before it describes. For a log that nobody reads yet. */
    public void gap(long begin, long end, long rebuilt, long to) {
        LONG.setOpaque(bytes, base + GAP_END_OFFSET, end);
        LONG.setOpaque(bytes, base + REBUILD_TO_OFFSET, to);
        gapBeginRelease(begin);
        rebuiltRelease(rebuilt);
    }

    /** The gap's begin; equal to {@link #gapEnd()} if there is none. Pairs with {@link #gapBeginRelease}. */
    public long gapBeginAcquire() {
        return (long) LONG.getAcquire(bytes, base + GAP_BEGIN_OFFSET);
    }

    /** Publishes the pages below, which are in segment files. */
    public void gapBeginRelease(long address) {
        LONG.setRelease(bytes, base + GAP_BEGIN_OFFSET, address);
    }

    /** The gap's end; 0 if there is none. */
    public long gapEnd() {
        return (long) LONG.getOpaque(bytes, base + GAP_END_OFFSET);
    }

    /** Records below have their entries before the gap. Pairs with {@link #rebuiltRelease}. */
    public long rebuiltAcquire() {
        return (long) LONG.getAcquire(bytes, base + REBUILT_OFFSET);
    }

    /** Publishes that the records below have their entries, after the gap's begin has moved past those entries. */
    public void rebuiltRelease(long recordAddress) {
        LONG.setRelease(bytes, base + REBUILT_OFFSET, recordAddress);
    }

    /** Records from here on have their entries after the gap. */
    public long rebuildTo() {
        return (long) LONG.getOpaque(bytes, base + REBUILD_TO_OFFSET);
    }

    /** Bytes from the beginning to an address, not counting the gap. */
    public long lengthTo(long address) {
        long end = gapEnd();
        long begin = beginAcquire();
        return address - begin - (address >= end ? Math.max(0, end - Math.max(gapBeginAcquire(), begin)) : 0);
    }
}
