package dev.loom.record;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Records lost, by source, shared with readers. Little-endian.
 * <pre>
 *    0 | sequence, odd while anything is being changed
 *    8 | number of losses, by source and reason, not yet marked
 *   16 | being marked: source + 1, or 0     24 | address of the marker
 *   32 | what is left of the source's unmarked then: count, first and last time
 *   56 | one more than the highest source id that may have a loss; 0 is unknown, as earlier versions wrote
 *   64 | a slot of 32 bytes a source id: lost in all; of those not yet marked in the log: count, first and last time
 * </pre>
 *
 * <p>A loss leaves its slot only once its marker is in the log, so that it is always in at least one of them, wherever
 * its writer is killed. While it is in both, the marker is below the log's tail, and what is left then counts in the
 * slot's place.
 *
 * <p>A snapshot reads the sequence, the record log's tail, these slots, and the sequence again. So it sees each loss
 * either here or as a marker below its tail. While losses go on without a pause it reads the slots first and then the
 * tail, and may see a loss in both.
 */
public final class LossSlots {
    public static final int HEADER_LENGTH = 64;
    public static final int SLOT_LENGTH = 32;

    static final int LOST_OFFSET = 0;
    static final int UNMARKED_OFFSET = LOST_OFFSET + Long.BYTES;
    static final int FIRST_OFFSET = UNMARKED_OFFSET + Long.BYTES;
    static final int LAST_OFFSET = FIRST_OFFSET + Long.BYTES;

    private static final int PENDING_OFFSET = Long.BYTES;
    private static final int MARKING_OFFSET = PENDING_OFFSET + Long.BYTES;
    private static final int MARKING_ADDRESS_OFFSET = MARKING_OFFSET + Long.BYTES;
    private static final int LEFT_OFFSET = MARKING_ADDRESS_OFFSET + Long.BYTES;
    private static final int LEFT_FIRST_OFFSET = LEFT_OFFSET + Long.BYTES;
    private static final int LEFT_LAST_OFFSET = LEFT_FIRST_OFFSET + Long.BYTES;
    private static final int IDS_OFFSET = LEFT_LAST_OFFSET + Long.BYTES;
    private static final long NO_TAIL = Long.MIN_VALUE;
    private static final long[] NONE = {};
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private ByteBuffer bytes;
    private final int base;
    private final int sources;

    public LossSlots(ByteBuffer bytes, int base, int sources) {
        this.bytes = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        this.base = base;
        this.sources = sources;
    }

    public static int length(int sources) {
        return HEADER_LENGTH + sources * SLOT_LENGTH;
    }

    public static LossSlots allocate(int sources) {
        return new LossSlots(ByteBuffer.allocateDirect(length(sources)), 0, sources);
    }

    public int sources() {
        return sources;
    }

    private int slot(int sourceId) {
        return base + HEADER_LENGTH + sourceId * SLOT_LENGTH;
    }

    /** Fields per source of {@link #unmarked(long)}: id, count, first and last time. */
    public static final int UNMARKED_FIELDS = 4;

    /**
     * The sources with losses that no marker in the log counts yet, {@link #UNMARKED_FIELDS} values each.
     *
     * @param recordTail the log's end
     */
    public long[] unmarked(long recordTail) {
        long pending = (long) LONG.getOpaque(bytes, base + PENDING_OFFSET);
        if (pending == 0) {
            return NONE;
        }
        long[] all = new long[UNMARKED_FIELDS * 16];
        int used = 0;
        int end = ids();
        for (int id = 0; id < end; id++) {
            boolean marked = isMarked(id, recordTail);
            long records = marked ? (long) LONG.getOpaque(bytes, base + LEFT_OFFSET) : unmarked(id);
            if (records > 0) {
                all = used == all.length ? Arrays.copyOf(all, used * 2) : all;
                all[used] = id;
                all[used + 1] = records;
                all[used + 2] = marked ? (long) LONG.getOpaque(bytes, base + LEFT_FIRST_OFFSET) : unmarkedFirst(id);
                all[used + 3] = marked ? (long) LONG.getOpaque(bytes, base + LEFT_LAST_OFFSET) : unmarkedLast(id);
                used += UNMARKED_FIELDS;
            }
        }
        return Arrays.copyOf(all, used);
    }

    /**
     * As {@link #unmarked(long)}, for a reader that can't get a quiet moment: none is missing of those whose marker is not below the log's
     * end as it is read afterwards. Those that are being marked may be in both.
     */
    public long[] unmarkedAtLeast() {
        long[] all = unmarked(NO_TAIL);
        VarHandle.acquireFence();
        return all;
    }

    /** One more than the highest id that may have a loss. */
    private int ids() {
        long ids = (long) LONG.getOpaque(bytes, base + IDS_OFFSET);
        return ids > 0 && ids < sources ? (int) ids : sources;
    }

    /** Whether the marker that a source's slot waits for is in the log; then the slot's rest counts. */
    private boolean isMarked(int sourceId, long recordTail) {
        return (long) LONG.getAcquire(bytes, base + MARKING_OFFSET) == sourceId + 1
                && (long) LONG.getOpaque(bytes, base + MARKING_ADDRESS_OFFSET) < recordTail;
    }

    /** Sets the source's losses that will remain unmarked once there is a marker at an address. */
    void beginMark(int sourceId, long address, long unmarked, long firstNs, long lastNs) {
        LONG.setOpaque(bytes, base + MARKING_ADDRESS_OFFSET, address);
        LONG.setOpaque(bytes, base + LEFT_OFFSET, unmarked);
        LONG.setOpaque(bytes, base + LEFT_FIRST_OFFSET, firstNs);
        LONG.setOpaque(bytes, base + LEFT_LAST_OFFSET, lastNs);
        LONG.setRelease(bytes, base + MARKING_OFFSET, sourceId + 1L);
    }

    /** Moves the remaining losses into the slot; the marker is in the log. */
    void endMark(int sourceId) {
        VarHandle.storeStoreFence(); // who sees the rest alone sees the marker
        put(
                sourceId,
                lost(sourceId),
                (long) LONG.getOpaque(bytes, base + LEFT_OFFSET),
                (long) LONG.getOpaque(bytes, base + LEFT_FIRST_OFFSET),
                (long) LONG.getOpaque(bytes, base + LEFT_LAST_OFFSET));
        LONG.setRelease(bytes, base + MARKING_OFFSET, 0L);
    }

    /** Sets the number of unmarked losses. */
    void pending(int count) {
        LONG.setOpaque(bytes, base + PENDING_OFFSET, (long) count);
    }

    public void beginChange() {
        LONG.setOpaque(bytes, base, ((long) LONG.getOpaque(bytes, base)) | 1);
        VarHandle.storeStoreFence();
    }

    public void endChange() {
        LONG.setRelease(bytes, base, ((long) LONG.getOpaque(bytes, base) | 1) + 1);
    }

    public long sequenceAcquire() {
        return (long) LONG.getAcquire(bytes, base);
    }

    public boolean unchanged(long sequence) {
        VarHandle.acquireFence();
        return (sequence & 1) == 0 && (long) LONG.getOpaque(bytes, base) == sequence;
    }

    public void put(int sourceId, long lost, long unmarked, long firstNs, long lastNs) {
        if ((long) LONG.getOpaque(bytes, base + IDS_OFFSET) <= sourceId) {
            LONG.setOpaque(bytes, base + IDS_OFFSET, sourceId + 1L); // before the slot, which is looked at up to here
        }
        int slot = slot(sourceId);
        LONG.setOpaque(bytes, slot + LOST_OFFSET, lost);
        LONG.setOpaque(bytes, slot + FIRST_OFFSET, firstNs);
        LONG.setOpaque(bytes, slot + LAST_OFFSET, lastNs);
        // last, for a recovery after a kill
        LONG.setRelease(bytes, slot + UNMARKED_OFFSET, unmarked);
    }

    public long lost(int sourceId) {
        return sourceId < sources ? (long) LONG.getOpaque(bytes, slot(sourceId) + LOST_OFFSET) : 0;
    }

    public long unmarked(int sourceId) {
        return sourceId < sources ? (long) LONG.getAcquire(bytes, slot(sourceId) + UNMARKED_OFFSET) : 0;
    }

    public long unmarkedFirst(int sourceId) {
        return (long) LONG.getOpaque(bytes, slot(sourceId) + FIRST_OFFSET);
    }

    public long unmarkedLast(int sourceId) {
        return (long) LONG.getOpaque(bytes, slot(sourceId) + LAST_OFFSET);
    }

    /** Continues at the same place of another buffer with the same contents. For the writing thread. */
    public void moveTo(ByteBuffer other) {
        bytes = other;
    }
}
