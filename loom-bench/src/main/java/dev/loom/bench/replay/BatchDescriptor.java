package dev.loom.bench.replay;

import org.agrona.BitUtil;

/**
 * A batch on its way: the records of a slice of time, source by source.
 *
 * <pre>
 *  0        4          8       16       24              24 + 12   lengths       payloads
 *  +--------+----------+-------+--------+---------------+---------------------+------------------+
 *  | length | sections | end   | number | source        | u16 for each record | one after        | next section,
 *  |        |          | ns    |        | records bytes |                     | the other        | at a multiple of 8
 *  +--------+----------+-------+--------+---------------+---------------------+------------------+
 * </pre>
 *
 * <p>Little-endian. The length is that of all. A batch of no sections, number {@link #END}, is the last.
 */
final class BatchDescriptor {
    static final int LENGTH_OFFSET = 0;
    static final int SECTIONS_OFFSET = LENGTH_OFFSET + Integer.BYTES;
    static final int END_NS_OFFSET = SECTIONS_OFFSET + Integer.BYTES;
    static final int NUMBER_OFFSET = END_NS_OFFSET + Long.BYTES;
    static final int HEADER_LENGTH = NUMBER_OFFSET + Long.BYTES;

    /** Offsets in a section. */
    static final int SOURCE_OFFSET = 0;

    static final int RECORDS_OFFSET = SOURCE_OFFSET + Integer.BYTES;
    static final int BYTES_OFFSET = RECORDS_OFFSET + Integer.BYTES;
    static final int SECTION_HEADER_LENGTH = BYTES_OFFSET + Integer.BYTES;

    /** The number of what ends a run. */
    static final long END = -1;

    static final int ALIGNMENT = Long.BYTES;

    private BatchDescriptor() {}

    /** Where a section's payloads begin, from its own begin. */
    static int payloadsOffset(int records) {
        return SECTION_HEADER_LENGTH + records * Short.BYTES;
    }

    /** The most bytes that a section takes. */
    static int sectionLengthMax(int records, RecordKind kind) {
        return BitUtil.align(payloadsOffset(records) + records * kind.lengthMax(), ALIGNMENT);
    }
}
