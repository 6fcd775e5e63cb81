package dev.loom.query.group;

import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/** Records of one length, numbered from 0, in blocks that never move. For one thread. */
final class RecordTable {
    private static final int BLOCK_SHIFT = 8;
    private static final int BLOCK_RECORDS = 1 << BLOCK_SHIFT;

    private final GroupMemory memory;
    private final int recordLength;
    private UnsafeBuffer[] blocks = new UnsafeBuffer[0];
    private int blockCount;
    private int size;

    /** @param recordLength a multiple of 8 */
    RecordTable(GroupMemory memory, int recordLength) {
        this.memory = memory;
        this.recordLength = recordLength;
    }

    int size() {
        return size;
    }

    /** Adds a record of zeros; returns its number. */
    int add() {
        if (size == blockCount << BLOCK_SHIFT) {
            if (blockCount == blocks.length) {
                blocks = Arrays.copyOf(blocks, Math.max(4, blockCount * 2));
            }
            blocks[blockCount] = memory.allocate(BLOCK_RECORDS * recordLength);
            blockCount++;
        }
        return size++;
    }

    /** The block that holds a record. */
    UnsafeBuffer buffer(int record) {
        return blocks[record >>> BLOCK_SHIFT];
    }

    /** Where the record begins in its block. */
    int offset(int record) {
        return (record & (BLOCK_RECORDS - 1)) * recordLength;
    }

    /** Forgets all records, and frees their blocks. */
    void clear() {
        for (int i = 0; i < blockCount; i++) {
            memory.free(blocks[i]);
        }
        blockCount = 0;
        size = 0;
    }
}
