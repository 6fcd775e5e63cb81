package dev.loom.record;

import dev.loom.log.PageDescriptor;
import org.agrona.DirectBuffer;

/**
 * Layout of a record in a page: a header of two little-endian words, then the payload, padded to 8 bytes.
 * <pre>
 *   0                24      32                                64
 *   | payload length  | type  | back-pointer in 8-byte words     |   word 0
 *   | source id (16)  | arrival time - page base time, ns (48)   |   word 1
 * </pre>
 *
 * <p>The back-pointer is the distance to the source's previous record in the same chunk, 0 for its first. A payload
 * larger than a page is a run of fragments (first, middle, ..., last), each filling its page except the last. The first
 * fragment's payload begins with the total length, 8 bytes. A run without its last fragment is not a record.
 */
public final class RecordDescriptor {
    public static final int WORD0_OFFSET = 0;
    public static final int WORD1_OFFSET = WORD0_OFFSET + Long.BYTES;
    public static final int HEADER_LENGTH = WORD1_OFFSET + Long.BYTES;
    static final int ALIGNMENT_SHIFT = 3;
    public static final int ALIGNMENT = 1 << ALIGNMENT_SHIFT;

    public static final int TYPE_SHIFT = 24;
    public static final int BACK_SHIFT = 32;
    static final int TIME_SHIFT = 16;
    static final int LENGTH_MASK = (1 << TYPE_SHIFT) - 1;

    public static final int WHOLE = 1;
    public static final int FIRST = 2;
    public static final int MIDDLE = 3;
    public static final int LAST = 4;

    /** The bytes of the total length, at the beginning of a first fragment's payload. */
    public static final int TOTAL_LENGTH = Long.BYTES;

    /** The most nanoseconds between a page's base time and a record: 78 hours. */
    public static final long TIME_DELTA_MAX = (1L << (Long.SIZE - TIME_SHIFT)) - 1;

    /** The longest payload that a page holds whole. */
    public static final int PAYLOAD_LENGTH_MAX =
            PageDescriptor.PAGE_LENGTH - PageDescriptor.HEADER_LENGTH - HEADER_LENGTH;

    /** The most records of a page. */
    public static final int PAGE_RECORDS_MAX =
            (PageDescriptor.PAGE_LENGTH - PageDescriptor.HEADER_LENGTH) / HEADER_LENGTH;

    /** The longest payload. */
    public static final int JUMBO_LENGTH_MAX = LENGTH_MASK;

    /** The most pages of a chunk: those of the longest payload, which begins in a page with other records. */
    static final int CHUNK_PAGES_MAX = 2 + JUMBO_LENGTH_MAX / PAYLOAD_LENGTH_MAX;

    private RecordDescriptor() {}

    static long word0(int length, int type, long backWords) {
        return length | (long) type << TYPE_SHIFT | backWords << BACK_SHIFT;
    }

    public static long word1(int sourceId, long timeDelta) {
        return sourceId | timeDelta << TIME_SHIFT;
    }

    public static int length(long word0) {
        return (int) word0 & LENGTH_MASK;
    }

    public static int type(long word0) {
        return (int) (word0 >>> TYPE_SHIFT) & 0xff;
    }

    /** The distance to the source's previous record in the chunk, bytes, or 0. */
    public static long back(long word0) {
        return (word0 >>> BACK_SHIFT) * ALIGNMENT;
    }

    public static int sourceId(long word1) {
        return (int) word1 & 0xffff;
    }

    public static long timeDelta(long word1) {
        return word1 >>> TIME_SHIFT;
    }

    /** The time of the last record of a page; the page's base time if it has none. */
    public static long lastTimeNs(DirectBuffer page, int used) {
        long timeNs = PageDescriptor.baseTimeNs(page, 0);
        int at = PageDescriptor.HEADER_LENGTH;
        long delta = 0;
        while (at < used) {
            delta = timeDelta(page.getLong(at + WORD1_OFFSET));
            at += alignedLength(length(page.getLong(at + WORD0_OFFSET)));
        }
        return timeNs + delta;
    }

    /** The bytes that a record takes in its page. */
    public static int alignedLength(int payloadLength) {
        return (HEADER_LENGTH + payloadLength + ALIGNMENT - 1) & -ALIGNMENT;
    }
}
