package dev.loom.record;

import dev.loom.api.LossReason;
import dev.loom.api.StoreInfo;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The records lost in a session, by reason and source, shared with readers. Little-endian.
 * <pre>
 *    0 | 16 sums of 8 bytes, by the reason's code
 *  128 | 120 cells of 16 bytes: source (4), reason's code + 1 (4), records; empty ones are zero
 * </pre>
 *
 * <p>The first pairs of source and reason that lose records get a cell each. What others lose is only in the sums, so that
 * this never grows. The writer's thread changes it.
 */
public final class LossCounts {
    /** Its length in the live file, bytes. */
    public static final int LENGTH = 2048;

    /** How many pairs of source and reason have a count of their own. */
    static final int CELLS = 120;

    /** Stands for no cell. */
    static final int NONE = -1;

    private static final int REASONS_MAX = 16;
    private static final int CELLS_OFFSET = REASONS_MAX * Long.BYTES;
    private static final int CELL_LENGTH = 16;
    private static final int RECORDS_OFFSET = 8;
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private ByteBuffer bytes;
    private final int base;
    private int used;

    /** A view of {@link #LENGTH} bytes from {@code base}, a multiple of 8, of a direct buffer. */
    public LossCounts(ByteBuffer bytes, int base) {
        this.bytes = bytes;
        this.base = base;
    }

    /** Continues at the same place of another buffer with the same contents. For the writing thread. */
    public void moveTo(ByteBuffer other) {
        bytes = other;
    }

    private int cellAt(int cell) {
        return base + CELLS_OFFSET + cell * CELL_LENGTH;
    }

    /** A cell for a source's losses of one reason; {@link #NONE} if there is none left. */
    int takeCell(int sourceId, LossReason reason) {
        if (used == CELLS) {
            return NONE;
        }
        LONG.setRelease(bytes, cellAt(used), sourceId | (reason.code() + 1L) << Integer.SIZE);
        return used++;
    }

    /** Counts lost records. */
    void add(int cell, LossReason reason, long records) {
        add(base + reason.code() * Long.BYTES, records);
        if (cell != NONE) {
            add(cellAt(cell) + RECORDS_OFFSET, records);
        }
    }

    private void add(int at, long records) {
        LONG.setRelease(bytes, at, (long) LONG.getOpaque(bytes, at) + records);
    }

    /** The counts, those without a cell of their own under source 0. For any thread. */
    public List<StoreInfo.Loss> all() {
        List<StoreInfo.Loss> all = new ArrayList<>();
        long[] others = new long[REASONS_MAX];
        for (int cell = 0; cell < CELLS; cell++) {
            long key = (long) LONG.getAcquire(bytes, cellAt(cell));
            long records = (long) LONG.getAcquire(bytes, cellAt(cell) + RECORDS_OFFSET);
            int code = (int) (key >>> Integer.SIZE) - 1;
            if (records > 0 && code >= 0 && code < REASONS_MAX) {
                others[code] -= records;
                all.add(new StoreInfo.Loss((int) key, LossReason.ofCode(code), records));
            }
        }
        // read after the cells and written before them, so that none is below its cells' sum
        for (int code = 0; code < REASONS_MAX; code++) {
            others[code] += (long) LONG.getAcquire(bytes, base + code * Long.BYTES);
            if (others[code] > 0) {
                all.add(new StoreInfo.Loss(0, LossReason.ofCode(code), others[code]));
            }
        }
        return List.copyOf(all);
    }
}
