package dev.loom.rollup;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Layout of a file of runs. Little-endian. Written behind its end, and synced when the store is closed: a run whose checksum does not
 * fit is not there.
 * <pre>
 *   0 | magic                                              |
 *   8 | version                 | level                    |
 *  16 | store id                                           |
 *  24 | number of the first run                            |
 *  32 | fan-out's logarithm     | 0                        |
 *  40 | a slot for each run, all zero while there is none:
 *        0 | address in the file of its directory          |
 *        8 | bytes of the directory | CRC32C of these      |
 *     | runs: bins, each behind its length (4) and CRC32C (4), then the directory
 * </pre>
 *
 * <p>A run's directory in memory; {@link RunDirectoryCodec} says how it lies in the file:
 * <pre>
 *   0 | address of its first chunk                         |
 *   8 | address behind its last chunk                      |
 *  16 | address, in the timestamp index, of the last part of the last chunk's directory
 *  24 | address in the file where its bins begin           |
 *  32 | chunks                  | sources                  |
 *  40 | for each source, ascending: id (4), place of its part in the directory (4)
 *     | the parts
 * </pre>
 *
 * <p>The part of a source:
 * <pre>
 *   0 | records                                            |
 *   8 | payload bytes                                      |
 *  16 | time of the first record                           |
 *  24 | time of the last record                            |
 *  32 | address, in the timestamp index, of the directory before that lists the source; -1 for none
 *  40 | address of that directory's chunk; -1 for none, -2 if it was not known
 *  48 | chunks with the source  | indexes                  |
 *  56 | the totals of each index that every one of those chunks lists, as {@link dev.loom.index.IndexSummaryCodec} writes them
 * </pre>
 */
final class RunFileDescriptor {
    /** Reads {@code LoomRuns} in a dump. */
    static final long MAGIC = 0x736e_7552_6d6f_6f4cL;

    /** Version 1 had no values of bins, version 2 whole bytes for all. */
    static final int VERSION = 3;

    static final int VERSION_OFFSET = 8;
    static final int LEVEL_OFFSET = 12;
    static final int STORE_ID_OFFSET = 16;
    static final int FIRST_OFFSET = 24;
    static final int SHIFT_OFFSET = 32;
    static final int SLOTS_OFFSET = 40;
    static final int SLOT_LENGTH = 16;
    static final int SLOT_LENGTH_OFFSET = 8;
    static final int SLOT_CRC_OFFSET = 12;

    static final int START_OFFSET = 0;
    static final int END_OFFSET = 8;
    static final int LAST_ENTRY_OFFSET = 16;
    static final int BINS_OFFSET = 24;
    static final int CHUNKS_OFFSET = 32;
    static final int SOURCES_OFFSET = 36;
    static final int TABLE_OFFSET = 40;
    static final int TABLE_ENTRY_LENGTH = 8;

    static final int RECORDS_OFFSET = 0;
    static final int BYTES_OFFSET = 8;
    static final int FIRST_TIME_OFFSET = 16;
    static final int LAST_TIME_OFFSET = 24;
    static final int PREVIOUS_OFFSET = 32;
    static final int PREVIOUS_CHUNK_OFFSET = 40;
    static final int SOURCE_CHUNKS_OFFSET = 48;
    static final int INDEXES_OFFSET = 52;
    static final int SUMMARIES_OFFSET = 56;

    /** Before the bins of an index: their length and checksum. */
    static final int BINS_HEADER_LENGTH = 8;

    /** The most bytes of a directory in memory, and of an index's bins: what a query may need of memory for them. */
    static final int LENGTH_MAX = 64 << 10;

    /** The most bytes of a directory in a file: more than in memory, if no number is as expected. */
    static final int PACKED_LENGTH_MAX = 2 * LENGTH_MAX;

    /** The most sources of a directory. */
    static final int SOURCES_MAX = (LENGTH_MAX - TABLE_OFFSET) / (TABLE_ENTRY_LENGTH + SUMMARIES_OFFSET);

    static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private RunFileDescriptor() {}

    /** Where the first run begins. */
    static int headLength() {
        return SLOTS_OFFSET + RunShape.fanOut() * SLOT_LENGTH;
    }

    /** What every file begins with that holds these runs. */
    static ByteBuffer header(long storeId, int level, long number) {
        ByteBuffer header = ByteBuffer.allocate(SLOTS_OFFSET).order(ORDER);
        header.putLong(0, MAGIC);
        header.putInt(VERSION_OFFSET, VERSION);
        header.putInt(LEVEL_OFFSET, level);
        header.putLong(STORE_ID_OFFSET, storeId);
        header.putLong(FIRST_OFFSET, RunShape.file(number) << RunShape.shift());
        header.putInt(SHIFT_OFFSET, RunShape.shift());
        return header;
    }
}
