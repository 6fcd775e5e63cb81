package dev.loom.log;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of a page: 64 KiB, aligned in its log, the unit of integrity. Little-endian.
 * <pre>
 *   0                4                5        6       7
 *   | magic          | major          | minor  | kind  | flags  |
 *   8 | store id                                               |
 *  16 | page number = address / 64 KiB                         |
 *  24 | base time, epoch ns                                    |
 *  32 | bytes used, with header       | CRC32C                 |  36
 *  40 | epoch                         | reserved, 0            |  44
 *  48 | last time, epoch ns                                    |
 *  56 | base address: the record log's address that the page begins with
 *  64 | records or entries, the rest zero
 * </pre>
 *
 * <p>The checksum is seeded with store id and page number, and covers the page with the checksum's own field as zero.
 * The checksum, bytes used and last time are zero until the page is sealed.
 */
public final class PageDescriptor {
    public static final int PAGE_SHIFT = 16;
    public static final int PAGE_LENGTH = 1 << PAGE_SHIFT;

    /** Reads {@code Loom} in a dump. */
    public static final int MAGIC = 0x6d6f_6f4c;

    public static final int MAJOR = 1;
    public static final int MINOR = 1;

    /** Flag: the page begins with a fragment of a record that began in an earlier page. */
    public static final int FLAG_CONTINUES = 1;

    /** Beyond any real log; the sum of two addresses still fits a long. */
    public static final long ADDRESS_MAX = 1L << 61;

    static final int MAGIC_OFFSET = 0;
    static final int MAJOR_OFFSET = MAGIC_OFFSET + Integer.BYTES;
    static final int MINOR_OFFSET = MAJOR_OFFSET + Byte.BYTES;
    static final int KIND_OFFSET = MINOR_OFFSET + Byte.BYTES;
    static final int FLAGS_OFFSET = KIND_OFFSET + Byte.BYTES;
    static final int STORE_ID_OFFSET = FLAGS_OFFSET + Byte.BYTES;
    static final int PAGE_NUMBER_OFFSET = STORE_ID_OFFSET + Long.BYTES;
    static final int BASE_TIME_OFFSET = PAGE_NUMBER_OFFSET + Long.BYTES;
    public static final int USED_OFFSET = BASE_TIME_OFFSET + Long.BYTES;
    static final int CRC_OFFSET = USED_OFFSET + Integer.BYTES;
    static final int EPOCH_OFFSET = CRC_OFFSET + Integer.BYTES;
    static final int RESERVED_OFFSET = EPOCH_OFFSET + Integer.BYTES;
    static final int LAST_TIME_OFFSET = RESERVED_OFFSET + Integer.BYTES;
    static final int BASE_ADDRESS_OFFSET = LAST_TIME_OFFSET + Long.BYTES;
    public static final int HEADER_LENGTH = BASE_ADDRESS_OFFSET + Long.BYTES;

    private PageDescriptor() {}

    /** The address of the page that holds an address. */
    public static long pageAddress(long address) {
        return address & -PAGE_LENGTH;
    }

    /** The address that the header of a page at this offset names. */
    public static long address(DirectBuffer buffer, int pageOffset) {
        return buffer.getLong(pageOffset + PAGE_NUMBER_OFFSET) << PAGE_SHIFT;
    }

    /** Whether a page can be at an address. */
    public static boolean isPage(long address) {
        return address >= 0 && address <= ADDRESS_MAX && (address & (PAGE_LENGTH - 1)) == 0;
    }

    public static int offsetInPage(long address) {
        return (int) address & (PAGE_LENGTH - 1);
    }

    public static long pageNumber(long address) {
        return address >>> PAGE_SHIFT;
    }

    /** Writes the header of a new page. */
    static void begin(
            MutableDirectBuffer buffer,
            int pageOffset,
            LogKind kind,
            boolean continues,
            long storeId,
            long address,
            long baseTimeNs,
            long baseAddress,
            int epoch) {
        buffer.putInt(pageOffset + MAGIC_OFFSET, MAGIC);
        buffer.putByte(pageOffset + MAJOR_OFFSET, (byte) MAJOR);
        buffer.putByte(pageOffset + MINOR_OFFSET, (byte) MINOR);
        buffer.putByte(pageOffset + KIND_OFFSET, (byte) kind.code());
        buffer.putByte(pageOffset + FLAGS_OFFSET, (byte) (continues ? FLAG_CONTINUES : 0));
        buffer.putLong(pageOffset + STORE_ID_OFFSET, storeId);
        buffer.putLong(pageOffset + PAGE_NUMBER_OFFSET, pageNumber(address));
        buffer.putLong(pageOffset + BASE_TIME_OFFSET, baseTimeNs);
        buffer.putInt(pageOffset + USED_OFFSET, 0);
        buffer.putInt(pageOffset + CRC_OFFSET, 0);
        buffer.putInt(pageOffset + EPOCH_OFFSET, epoch);
        buffer.putInt(pageOffset + RESERVED_OFFSET, 0);
        buffer.putLong(pageOffset + LAST_TIME_OFFSET, 0);
        buffer.putLong(pageOffset + BASE_ADDRESS_OFFSET, baseAddress);
    }

    /** Seals a page, except for its checksum. */
    public static void seal(MutableDirectBuffer buffer, int pageOffset, int used, long lastTimeNs) {
        buffer.putLong(pageOffset + LAST_TIME_OFFSET, lastTimeNs);
        buffer.putInt(pageOffset + USED_OFFSET, used);
        buffer.setMemory(pageOffset + used, PAGE_LENGTH - used, (byte) 0);
    }

    /** The minor version of the format. */
    public static int minor(DirectBuffer buffer, int pageOffset) {
        return buffer.getByte(pageOffset + MINOR_OFFSET);
    }

    public static boolean continues(DirectBuffer buffer, int pageOffset) {
        return (buffer.getByte(pageOffset + FLAGS_OFFSET) & FLAG_CONTINUES) != 0;
    }

    public static long baseTimeNs(DirectBuffer buffer, int pageOffset) {
        return buffer.getLong(pageOffset + BASE_TIME_OFFSET);
    }

    public static long lastTimeNs(DirectBuffer buffer, int pageOffset) {
        return buffer.getLong(pageOffset + LAST_TIME_OFFSET);
    }

    public static long baseAddress(DirectBuffer buffer, int pageOffset) {
        return buffer.getLong(pageOffset + BASE_ADDRESS_OFFSET);
    }

    public static int used(DirectBuffer buffer, int pageOffset) {
        return buffer.getInt(pageOffset + USED_OFFSET);
    }

    public static int epoch(DirectBuffer buffer, int pageOffset) {
        return buffer.getInt(pageOffset + EPOCH_OFFSET);
    }

    static void putCrc(ByteBuffer bytes, int pageOffset, int crc) {
        bytes.putInt(pageOffset + CRC_OFFSET, crc);
    }

    static int crc(DirectBuffer buffer, int pageOffset) {
        return buffer.getInt(pageOffset + CRC_OFFSET);
    }

    /** Moves the position and limit of {@code bytes}. */
    static int computeCrc(CRC32C crc, ByteBuffer bytes, int pageOffset, ByteBuffer seed, long storeId, long address) {
        crc.reset();
        seed.clear();
        seed.putLong(storeId).putLong(pageNumber(address)).flip();
        crc.update(seed);
        bytes.limit(pageOffset + CRC_OFFSET).position(pageOffset);
        crc.update(bytes);
        seed.clear();
        seed.putInt(0).flip();
        crc.update(seed);
        bytes.limit(pageOffset + PAGE_LENGTH).position(pageOffset + CRC_OFFSET + Integer.BYTES);
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
