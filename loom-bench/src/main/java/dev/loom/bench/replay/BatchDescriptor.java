package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

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

    private static final int ALIGNMENT = Long.BYTES;

    private BatchDescriptor() {}

    /** Where a section's payloads begin, from its own begin. */
    static int payloadsOffset(int records) {
        return SECTION_HEADER_LENGTH + records * Short.BYTES;
    }

    static void putHeader(UnsafeBuffer batch, int length, int sections, long endNs, long number) {
        batch.putInt(LENGTH_OFFSET, length, LITTLE_ENDIAN);
        batch.putInt(SECTIONS_OFFSET, sections, LITTLE_ENDIAN);
        batch.putLong(END_NS_OFFSET, endNs, LITTLE_ENDIAN);
        batch.putLong(NUMBER_OFFSET, number, LITTLE_ENDIAN);
    }

    /** Where a section ends whose payloads end here. */
    static int sectionEnd(int payloadsEnd) {
        return BitUtil.align(payloadsEnd, ALIGNMENT);
    }

    /** The most bytes that a section takes. */
    static int sectionLengthMax(int records, RecordKind kind) {
        return sectionEnd(payloadsOffset(records) + records * kind.lengthMax());
    }
}
