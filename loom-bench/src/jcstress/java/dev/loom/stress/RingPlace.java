package dev.loom.stress;

import dev.loom.log.HybridLog;
import dev.loom.log.LogKind;
import dev.loom.log.PageDescriptor;
import dev.loom.log.Watermarks;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A ring of one page and the watermarks of its log, for one state of a test. A test touches only the first bytes of its
 * page, so the rings overlap in memory: each has {@link #LENGTH} bytes of its own. A place is used again long after the
 * state that had it is gone.
 */
final class RingPlace {
    static final long STORE_ID = 7;
    static final int EPOCH = 1;

    /** The bytes of the page that a test may touch. */
    static final int LENGTH = 256;

    private static final int CELL = LENGTH + Watermarks.LENGTH;

    /** Several times the states that exist at once: by default 40 strides of 256. */
    private static final int PLACES = 1 << 16;

    private static final ByteBuffer MEMORY = ByteBuffer.allocateDirect(PLACES * CELL + PageDescriptor.PAGE_LENGTH);
    private static final AtomicInteger NEXT = new AtomicInteger();

    /** One page. */
    final ByteBuffer ring;

    /** The watermarks. */
    final ByteBuffer live;

    RingPlace() {
        int cell = (NEXT.getAndIncrement() & (PLACES - 1)) * CELL;
        ring = slice(cell, PageDescriptor.PAGE_LENGTH);
        live = slice(cell + LENGTH, Watermarks.LENGTH);
        for (int i = 0; i < CELL; i += Long.BYTES) {
            ring.putLong(i, 0);
        }
    }

    private static ByteBuffer slice(int index, int length) {
        return MEMORY.slice(index, length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** An empty log in the ring. */
    HybridLog newLog() {
        return new HybridLog(LogKind.RECORD, STORE_ID, EPOCH, ring, new Watermarks(live, 0), 0, 0);
    }
}
