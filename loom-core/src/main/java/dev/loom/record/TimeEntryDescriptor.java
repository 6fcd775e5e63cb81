package dev.loom.record;

import dev.loom.index.IndexSummaryCodec;
import dev.loom.log.PageDescriptor;

/**
 * Layout of the timestamp index's entries. Little-endian, each padded to 8 bytes, none across a page's end. An entry
 * that would be too long is split into parts, each an entry of its own with the same first fields.
 *
 * <p>A chunk's directory, type 1, written when the chunk is sealed:
 * <pre>
 *   0                 4       5        6                8
 *   | length          | type  | flags  | sources        |
 *   8 | the chunk's address                             |
 *  16 | pages of the chunk        | part, from 0        |  20
 *  24 | time of its first record                        |
 *  32 | time of its last record                         |
 *  40 | address in the chunk index where the chunk's bins begin
 *  48 | address in the chunk index behind them
 *  56 | per source, as varints: id; records; payload bytes; first time - the chunk's first;
 *     | the chunk's last time - last time; (address of its last record - chunk's address) / 8;
 *     | (this entry's address - that of the last entry that lists the source) / 8, 0 for none;
 *     | indexes, then each of them as {@link IndexSummaryCodec} describes, the bins before the first being
 *     | taken as 8 bytes before where the chunk's bins begin
 * </pre>
 *
 * <p>It lists only the indexes that cover every record of their source in the chunk. A source whose indexes don't fit
 * into a part is listed again in the next part with the remaining indexes and 0 records.
 *
 * <p>A checkpoint, type 2, lists every source as of an address of the record log:
 * <pre>
 *   0 | as above
 *   8 | address of the record log below which all is counted
 *  16 | address in this log of the checkpoint before, -1 for none
 *  24 | time of the last record below
 *  32 | number of this part, from 0                     |
 *  40 | 0
 *  56 | per source, as varints: id; address of its last directory + 1; records; payload bytes; lost;
 *     | time of its first record
 * </pre>
 */
public final class TimeEntryDescriptor {
    public static final int DIRECTORY = 1;
    public static final int CHECKPOINT = 2;

    /** Flag: the last part. */
    public static final int FLAG_LAST = 1;

    /** Flag: the first part. */
    public static final int FLAG_FIRST = 2;

    static final int LENGTH_OFFSET = 0;
    static final int TYPE_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    static final int FLAGS_OFFSET = TYPE_OFFSET + Byte.BYTES;
    static final int SOURCES_OFFSET = FLAGS_OFFSET + Byte.BYTES;
    static final int ADDRESS_OFFSET = SOURCES_OFFSET + Short.BYTES;
    static final int PAGES_OFFSET = ADDRESS_OFFSET + Long.BYTES;
    static final int DIRECTORY_PART_OFFSET = PAGES_OFFSET + Integer.BYTES;
    static final int FIRST_TIME_OFFSET = DIRECTORY_PART_OFFSET + Integer.BYTES;
    static final int LAST_TIME_OFFSET = FIRST_TIME_OFFSET + Long.BYTES;
    static final int BINS_BEGIN_OFFSET = LAST_TIME_OFFSET + Long.BYTES;
    static final int BINS_END_OFFSET = BINS_BEGIN_OFFSET + Long.BYTES;
    static final int LIST_OFFSET = BINS_END_OFFSET + Long.BYTES;

    static final int PREVIOUS_CHECKPOINT_OFFSET = PAGES_OFFSET;
    static final int CHECKPOINT_TIME_OFFSET = FIRST_TIME_OFFSET;
    static final int CHECKPOINT_PART_OFFSET = LAST_TIME_OFFSET;

    static final int ALIGNMENT = Long.BYTES;

    /** The origin of the first bins' distance, chosen so that no distance is 0. */
    static long beforeBins(long binsBegin) {
        return binsBegin - ALIGNMENT;
    }

    /** A part is closed before it grows past this: half of what a page holds, so that no page stays half empty. */
    static final int PART_LENGTH_MAX = (PageDescriptor.PAGE_LENGTH - PageDescriptor.HEADER_LENGTH) / 2 & -ALIGNMENT;

    /**
     * The most bytes of one source in a directory, without its indexes: id, records, payload bytes, times (two pages'
     * worth of 48 bits) twice, address, distance, number of indexes.
     */
    static final int LISTED_LENGTH_MAX = 3 + 2 + 4 + 7 + 7 + 4 + 9 + 4;

    /** The same with one index, for which each listed source has room. */
    static final int LISTED_INDEXED_LENGTH_MAX = LISTED_LENGTH_MAX + IndexSummaryCodec.LENGTH_MAX + Varint.LENGTH_MAX;

    /** The most bytes of one source in a checkpoint: id 3, five longs 10 each, and some to spare. */
    static final int CHECKPOINTED_LENGTH_MAX = 56;

    /** The most bytes of a directory's lists, over all parts, with this many sources and indexes in total. */
    static int directoryLengthMax(int sources, int indexes) {
        return sources * LISTED_LENGTH_MAX + indexes * IndexSummaryCodec.LENGTH_MAX;
    }

    /** The most bytes of a checkpoint's lists, over all parts. */
    static int checkpointLengthMax(int sources) {
        return sources * CHECKPOINTED_LENGTH_MAX;
    }

    /**
     * The most parts for lists of this many bytes. A part may end short of its limit by the length of one source with
     * an index, and begin with a source that is listed again.
     */
    static int partsMax(int listsLength) {
        return 1 + listsLength / (PART_LENGTH_MAX - LIST_OFFSET - 2 * LISTED_INDEXED_LENGTH_MAX);
    }

    /** The most bytes of parts with lists of this many bytes. */
    static int partsLengthMax(int listsLength) {
        return listsLength + partsMax(listsLength) * (LIST_OFFSET + LISTED_INDEXED_LENGTH_MAX + ALIGNMENT);
    }

    /** The most pages begun for parts with lists of this many bytes: a page holds at least two parts. */
    static int pagesMax(int listsLength) {
        return (partsMax(listsLength) + 1) / 2;
    }

    /** The longest lists, in bytes, whose parts begin no more than this many pages: the inverse of {@link #pagesMax}. */
    static int listsLengthMax(int pages) {
        return 2 * pages * (PART_LENGTH_MAX - LIST_OFFSET - 2 * LISTED_INDEXED_LENGTH_MAX) - 1;
    }

    private TimeEntryDescriptor() {}
}
