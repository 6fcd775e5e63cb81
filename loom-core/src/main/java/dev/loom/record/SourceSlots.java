package dev.loom.record;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Each source's totals up to the newest chunk directory that lists it, shared with readers: one slot of 64 bytes per
 * source id.
 * <pre>
 *   0 | last directory: address in the timestamp index, -1 none
 *   8 | version: odd while the next three are being changed
 *  16 | records up to and with some directory, named by the last field
 *  24 | payload bytes of those
 *  32 | time of the first
 *  40 | that directory
 * </pre>
 *
 * <p>A killed writer may leave a version odd; a reader then counts by itself.
 */
public final class SourceSlots {
    public static final int SLOT_LENGTH = 64;
    public static final int SOURCES_MAX = 1 << 16;

    public static final long NO_DIRECTORY = -1;

    static final int DIRECTORY_OFFSET = 0;
    static final int VERSION_OFFSET = DIRECTORY_OFFSET + Long.BYTES;
    static final int RECORDS_OFFSET = VERSION_OFFSET + Long.BYTES;
    static final int BYTES_OFFSET = RECORDS_OFFSET + Long.BYTES;
    static final int FIRST_TIME_OFFSET = BYTES_OFFSET + Long.BYTES;
    static final int COUNTED_DIRECTORY_OFFSET = FIRST_TIME_OFFSET + Long.BYTES;

    private static final int TRIES = 10_000;
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private ByteBuffer bytes;
    private final int base;
    private final int sources;

    /** A view of the {@code sources} slots from {@code base}, a multiple of 8, of a direct buffer. */
    public SourceSlots(ByteBuffer bytes, int base, int sources) {
        this.bytes = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        this.base = base;
        this.sources = sources;
    }

    /** Allocates slots, all empty. */
    public static SourceSlots allocate(int sources) {
        SourceSlots slots = new SourceSlots(ByteBuffer.allocateDirect(sources * SLOT_LENGTH), 0, sources);
        slots.clear();
        return slots;
    }

    public int sources() {
        return sources;
    }

    public void clear() {
        for (int id = 0; id < sources; id++) {
            bytes.putLong(slot(id) + DIRECTORY_OFFSET, NO_DIRECTORY);
            bytes.putLong(slot(id) + COUNTED_DIRECTORY_OFFSET, NO_DIRECTORY);
        }
    }

    private int slot(int sourceId) {
        return base + sourceId * SLOT_LENGTH;
    }

    /** Sets the totals of the newest directory, which is already published in the timestamp index. */
    public void put(int sourceId, SourceTotals totals) {
        int slot = slot(sourceId);
        long version = bytes.getLong(slot + VERSION_OFFSET);
        LONG.setOpaque(bytes, slot + VERSION_OFFSET, version | 1);
        VarHandle.storeStoreFence();
        bytes.putLong(slot + RECORDS_OFFSET, totals.records);
        bytes.putLong(slot + BYTES_OFFSET, totals.bytes);
        bytes.putLong(slot + FIRST_TIME_OFFSET, totals.firstTimeNs);
        bytes.putLong(slot + COUNTED_DIRECTORY_OFFSET, totals.directoryAddress);
        // publishes the four above; pairs with the acquire in get
        LONG.setRelease(bytes, slot + VERSION_OFFSET, (version | 1) + 1);
        // publishes the directory's bytes; pairs with directoryAcquire
        LONG.setRelease(bytes, slot + DIRECTORY_OFFSET, totals.directoryAddress);
    }

    /** The address of the newest published directory. Pairs with {@link #put}. */
    public long directoryAcquire(int sourceId) {
        return sourceId < sources ? (long) LONG.getAcquire(bytes, slot(sourceId) + DIRECTORY_OFFSET) : NO_DIRECTORY;
    }

    /** The sources that a directory lists. */
    public List<Integer> listed() {
        return IntStream.range(0, sources)
                .filter(id -> directoryAcquire(id) != NO_DIRECTORY)
                .boxed()
                .toList();
    }

    /**
     * Reads a consistent slot.
     *
     * @return false if a change of the slot never ended
     */
    public boolean get(int sourceId, SourceTotals into) {
        if (sourceId >= sources) {
            into.clear();
            return true;
        }
        int slot = slot(sourceId);
        for (int i = 0; i < TRIES; i++) {
            long version = (long) LONG.getAcquire(bytes, slot + VERSION_OFFSET);
            into.records = bytes.getLong(slot + RECORDS_OFFSET);
            into.bytes = bytes.getLong(slot + BYTES_OFFSET);
            into.firstTimeNs = bytes.getLong(slot + FIRST_TIME_OFFSET);
            into.directoryAddress = bytes.getLong(slot + COUNTED_DIRECTORY_OFFSET);
            VarHandle.acquireFence();
            if ((version & 1) == 0 && version == (long) LONG.getOpaque(bytes, slot + VERSION_OFFSET)) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /** Continues at the same place of another buffer with the same contents. For the writing thread. */
    public void moveTo(ByteBuffer other) {
        bytes = other;
    }
}
