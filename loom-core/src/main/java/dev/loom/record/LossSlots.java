package dev.loom.record;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Records lost, by source, shared with readers: a sequence, odd while anything is being changed, and the number of losses, by
 * source and reason, not yet marked; then one slot of 32 bytes a source id: lost in all; of those not yet marked in the log: count, first and last time.
 *
 * <p>A snapshot reads the sequence, the record log's tail, these slots, and the sequence again: so it sees each loss
 * either here or as a marker below its tail.
 */
public final class LossSlots {
    public static final int HEADER_LENGTH = 64;
    public static final int SLOT_LENGTH = 32;

    static final int LOST_OFFSET = 0;
    static final int UNMARKED_OFFSET = LOST_OFFSET + Long.BYTES;
    static final int FIRST_OFFSET = UNMARKED_OFFSET + Long.BYTES;
    static final int LAST_OFFSET = FIRST_OFFSET + Long.BYTES;

    private static final int PENDING_OFFSET = Long.BYTES;
    private static final long[] NONE = {};
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final ByteBuffer bytes;
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

    /** Fields per source of {@link #unmarked()}: id, count, first and last time. */
    public static final int UNMARKED_FIELDS = 4;

    /** Every source with losses that no marker in the log counts yet, {@link #UNMARKED_FIELDS} values each. */
    public long[] unmarked() {
        long pending = (long) LONG.getOpaque(bytes, base + PENDING_OFFSET);
        if (pending == 0) {
            return NONE;
        }
        long[] all = new long[UNMARKED_FIELDS * 16];
        int used = 0;
        for (int id = 0; id < sources; id++) {
            if (unmarked(id) != 0) {
                all = used == all.length ? Arrays.copyOf(all, used * 2) : all;
                all[used] = id;
                all[used + 1] = unmarked(id);
                all[used + 2] = unmarkedFirst(id);
                all[used + 3] = unmarkedLast(id);
                used += UNMARKED_FIELDS;
            }
        }
        return Arrays.copyOf(all, used);
    }

    /** Says how many losses are not marked. */
    void pending(int count) {
        LONG.setOpaque(bytes, base + PENDING_OFFSET, (long) count);
    }

    /** Takes over every slot of another table of at least as many. */
    public void copyFrom(LossSlots other) {
        for (int id = 0; id < sources; id++) {
            put(id, other.lost(id), other.unmarked(id), other.unmarkedFirst(id), other.unmarkedLast(id));
        }
        pending((int) (long) LONG.getOpaque(other.bytes, other.base + PENDING_OFFSET));
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
        int slot = slot(sourceId);
        LONG.setOpaque(bytes, slot + LOST_OFFSET, lost);
        LONG.setOpaque(bytes, slot + UNMARKED_OFFSET, unmarked);
        LONG.setOpaque(bytes, slot + FIRST_OFFSET, firstNs);
        LONG.setOpaque(bytes, slot + LAST_OFFSET, lastNs);
    }

    public long lost(int sourceId) {
        return sourceId < sources ? (long) LONG.getOpaque(bytes, slot(sourceId) + LOST_OFFSET) : 0;
    }

    public long unmarked(int sourceId) {
        return sourceId < sources ? (long) LONG.getOpaque(bytes, slot(sourceId) + UNMARKED_OFFSET) : 0;
    }

    public long unmarkedFirst(int sourceId) {
        return (long) LONG.getOpaque(bytes, slot(sourceId) + FIRST_OFFSET);
    }

    public long unmarkedLast(int sourceId) {
        return (long) LONG.getOpaque(bytes, slot(sourceId) + LAST_OFFSET);
    }
}
