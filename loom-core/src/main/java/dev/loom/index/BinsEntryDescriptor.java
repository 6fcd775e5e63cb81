package dev.loom.index;

import dev.loom.log.PageDescriptor;
import org.agrona.DirectBuffer;

/**
 * Layout of the chunk index's entries: the bins of one index in one chunk. Little-endian, each padded to 8 bytes, none across
 * a page's end.
 *
 * <pre>
 *   0                 4       5                         8
 *   | length          | type  | 0                       |
 *   8 | the chunk's address                             |
 *  16 | index id          | bytes of the bins           |
 *  24 | the bins, as {@link BinListDescriptor} describes; of type 2, of each key
 * </pre>
 */
final class BinsEntryDescriptor {
    static final int BINS = 1;

    /** The bins of each key, as {@link KeyedBinsDescriptor} describes. */
    static final int KEYED_BINS = 2;

    static final int LENGTH_OFFSET = 0;
    static final int TYPE_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    static final int CHUNK_OFFSET = LENGTH_OFFSET + Long.BYTES;
    static final int INDEX_OFFSET = CHUNK_OFFSET + Long.BYTES;
    static final int BINS_LENGTH_OFFSET = INDEX_OFFSET + Integer.BYTES;
    static final int BINS_OFFSET = BINS_LENGTH_OFFSET + Integer.BYTES;

    static final int ALIGNMENT = Long.BYTES;

    /** The most bytes of an entry. */
    static final int LENGTH_MAX = PageDescriptor.PAGE_LENGTH - PageDescriptor.HEADER_LENGTH;

    private BinsEntryDescriptor() {}

    /** Whether an entry of any type can be in the bytes that are left of a page. */
    static boolean possible(DirectBuffer buffer, int at, int left) {
        if (left < BINS_OFFSET) {
            return false;
        }
        int length = buffer.getInt(at + LENGTH_OFFSET);
        return length >= BINS_OFFSET && length % ALIGNMENT == 0 && length <= left;
    }

    /** Whether a possible entry has bins that fill it, except for zeroes. */
    static boolean isWhole(DirectBuffer buffer, int at) {
        int length = buffer.getInt(at + LENGTH_OFFSET);
        int binsLength = buffer.getInt(at + BINS_LENGTH_OFFSET);
        // type, and the zeroes behind it
        int type = buffer.getInt(at + TYPE_OFFSET);
        boolean whole = (type == BINS || type == KEYED_BINS)
                && binsLength >= 0
                && binsLength <= length
                && alignedLength(binsLength) == length;
        for (int i = BINS_OFFSET + binsLength; whole && i < length; i++) {
            whole = buffer.getByte(at + i) == 0;
        }
        return whole;
    }

    static int alignedLength(int binsLength) {
        return (BINS_OFFSET + binsLength + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
