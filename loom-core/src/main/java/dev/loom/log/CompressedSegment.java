package dev.loom.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Layout of a compressed segment file, which replaces a segment file of whole, durable pages under the same name.
 * Little-endian.
 * <pre>
 *   header
 *   directory: for each page an entry of 8 bytes
 *   header again
 *   the pages' stored forms, one behind the other
 * </pre>
 *
 * <p>Header, 64 bytes:
 * <pre>
 *   0 | magic LoomLZ4S (8)
 *   8 | major (1), minor (1), kind (1), 0 (1)    12 | pages (4)
 *  16 | store id                                 24 | first address
 *  32 | bytes of the file                        40 | 0 (20)
 *  60 | CRC32C of the 60 bytes before
 * </pre>
 *
 * <p>Entry: where the page's stored form begins in the file (40 bits), how long it is (20), and its {@link PageForm} (4). An
 * entry has no checksum: a wrong one leads to bytes that do not decode to the page with this number and a valid checksum.
 */
public final class CompressedSegment {
    public static final int HEADER_LENGTH = 64;
    public static final int ENTRY_LENGTH = Long.BYTES;

    /** The longest segment that can be compressed, 16 GiB: its directory has 2 MiB. */
    public static final long SEGMENT_LENGTH_MAX = 1L << 34;

    /** Reads {@code LoomLZ4S} in a dump. */
    private static final long MAGIC = 0x5334_5a4c_6d6f_6f4cL;

    private static final int MAJOR = 1;
    private static final int MINOR = 0;

    private static final int PAGES_OFFSET = 12;
    private static final int STORE_ID_OFFSET = 16;
    private static final int FIRST_OFFSET = 24;
    private static final int LENGTH_OFFSET = 32;
    private static final int CRC_OFFSET = HEADER_LENGTH - Integer.BYTES;

    private static final int OFFSET_BITS = 40;
    private static final int LENGTH_BITS = 20;

    private CompressedSegment() {}

    /** The pages of a segment. */
    public static int pages(long segmentLength) {
        return Math.toIntExact(segmentLength >>> PageDescriptor.PAGE_SHIFT);
    }

    /** Where the second header begins. */
    public static long secondHeader(long segmentLength) {
        return HEADER_LENGTH + (segmentLength >>> PageDescriptor.PAGE_SHIFT) * ENTRY_LENGTH;
    }

    /** Where the first page's stored form begins. */
    public static long begin(long segmentLength) {
        return secondHeader(segmentLength) + HEADER_LENGTH;
    }

    /** Where a page's entry is. */
    static long entryAt(long addressInSegment) {
        return HEADER_LENGTH + (addressInSegment >>> PageDescriptor.PAGE_SHIFT) * ENTRY_LENGTH;
    }

    /**
     * Writes a header at the buffer's beginning.
     *
     * @param length the bytes of the file
     */
    public static void putHeader(ByteBuffer target, LogKind kind, long storeId, long first, int pages, long length) {
        ByteBuffer header = target.duplicate().order(ByteOrder.LITTLE_ENDIAN).clear();
        header.putLong(MAGIC).put((byte) MAJOR).put((byte) MINOR).put((byte) kind.code());
        header.put((byte) 0).putInt(pages).putLong(storeId).putLong(first).putLong(length);
        while (header.position() < CRC_OFFSET) {
            header.putInt(0);
        }
        header.putInt(crc(header));
    }

    /** Whether a header of this segment begins at the buffer's beginning. */
    static boolean isHeader(ByteBuffer source, LogKind kind, long storeId, long first, long segmentLength) {
        ByteBuffer header = source.duplicate().order(ByteOrder.LITTLE_ENDIAN).clear();
        return header.getLong(0) == MAGIC
                && header.getInt(CRC_OFFSET) == crc(header)
                && header.get(Long.BYTES) == MAJOR
                && header.get(Long.BYTES + 2) == kind.code()
                && header.getLong(STORE_ID_OFFSET) == storeId
                && header.getLong(FIRST_OFFSET) == first
                && (long) header.getInt(PAGES_OFFSET) << PageDescriptor.PAGE_SHIFT == segmentLength;
    }

    /** The bytes of the file, from a header. */
    static long length(ByteBuffer header) {
        return header.duplicate().order(ByteOrder.LITTLE_ENDIAN).getLong(LENGTH_OFFSET);
    }

    private static int crc(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().limit(CRC_OFFSET).position(0));
        return (int) crc.getValue();
    }

    public static long entry(long offset, int length, PageForm form) {
        return offset | (long) length << OFFSET_BITS | (long) form.code() << (OFFSET_BITS + LENGTH_BITS);
    }

    static long entryOffset(long entry) {
        return entry & ((1L << OFFSET_BITS) - 1);
    }

    static int entryLength(long entry) {
        return (int) (entry >>> OFFSET_BITS) & ((1 << LENGTH_BITS) - 1);
    }

    static int entryForm(long entry) {
        return (int) (entry >>> (OFFSET_BITS + LENGTH_BITS));
    }
}
