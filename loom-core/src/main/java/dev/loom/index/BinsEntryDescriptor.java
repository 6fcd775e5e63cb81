package dev.loom.index;

import dev.loom.log.PageDescriptor;

/**
 * Layout of the chunk index's entries: the bins of one index in one chunk. Little-endian, each padded to 8 bytes, none across
 * a page's end.
 *
 * <pre>
 *   0                 4       5                         8
 *   | length          | type  | 0                       |
 *   8 | the chunk's address                             |
 *  16 | index id          | bytes of the bins           |
 *  24 | the bins, as {@link BinListDescriptor} describes
 * </pre>
 */
final class BinsEntryDescriptor {
    static final int BINS = 1;

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

    static int alignedLength(int binsLength) {
        return (BINS_OFFSET + binsLength + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
