package dev.loom.cli.archive;

import java.util.zip.CRC32C;

/**
 * Layout of an archive. Little-endian.
 *
 * <pre>
 *   archive: header, schema blocks, record blocks, end block; nothing after it
 *
 *   header  0 | magic "LoomArch"                               |
 *           8 | major (1) | minor (1) | 0 (2) | CRC32C (4)     |
 *          16 | random id (8)                                  |
 *
 *   block   0 | type (1) | coding (1) | 0 (2) | number (4)     |
 *           8 | stored length (4)     | plain length (4)       |
 *          16 | CRC32C (4)            | stored bytes ...
 * </pre>
 *
 * The header's checksum covers its other bytes; a block's covers the archive's id, the block's header before the checksum, and
 * the stored bytes. Blocks are numbered from 0. The plain bytes, which {@code docs/format.md} describes, are stored as they are
 * or compressed by LZ4, whichever is shorter.
 */
final class ArchiveDescriptor {
    /** "LoomArch". */
    static final long MAGIC = 0x6863_7241_6d6f_6f4cL;

    /** The major of an archive that every reader takes. */
    static final int MAJOR = 1;

    /** The major of one whose indexes keep values or keys, for which a reader of major 1 would take it for damaged. */
    static final int MAJOR_KEEPING = 2;

    static final int MINOR = 0;

    static final int MAJOR_OFFSET = Long.BYTES;
    static final int MINOR_OFFSET = MAJOR_OFFSET + 1;
    static final int HEADER_CRC_OFFSET = MAJOR_OFFSET + Integer.BYTES;
    static final int ID_OFFSET = HEADER_CRC_OFFSET + Integer.BYTES;
    static final int HEADER_LENGTH = ID_OFFSET + Long.BYTES;

    static final int TYPE_OFFSET = 0;
    static final int CODING_OFFSET = TYPE_OFFSET + 1;
    static final int NUMBER_OFFSET = CODING_OFFSET + 1 + Short.BYTES;
    static final int STORED_LENGTH_OFFSET = NUMBER_OFFSET + Integer.BYTES;
    static final int PLAIN_LENGTH_OFFSET = STORED_LENGTH_OFFSET + Integer.BYTES;
    static final int BLOCK_CRC_OFFSET = PLAIN_LENGTH_OFFSET + Integer.BYTES;
    static final int BLOCK_HEADER_LENGTH = BLOCK_CRC_OFFSET + Integer.BYTES;

    static final int SCHEMA = 1;
    static final int RECORDS = 2;
    static final int END = 3;

    static final int PLAIN = 0;
    static final int LZ4 = 1;

    /** The longest payload of any store. */
    static final int PAYLOAD_LENGTH_MAX = (1 << 24) - 1;

    /** Beyond this many plain bytes a block ends. */
    static final int BLOCK_LENGTH = 1 << 18;

    /** The most plain bytes of a block: what is just not too long, and one more record or definition. */
    static final int PLAIN_LENGTH_MAX = BLOCK_LENGTH + PAYLOAD_LENGTH_MAX + 1024;

    static final int HOST = 1;
    static final int SOURCE = 2;
    static final int INDEX = 3;

    /** The record gets the next slot, from 0, to be referred to by. */
    static final int KEPT = 1;

    /** The record is kept, but not part of the archive by itself: it comes from outside of the range. */
    static final int CARRIED = 1 << 1;

    /** The record refers to the one in a slot. Its payload's reference has no address. */
    static final int REFERS = 1 << 2;

    /** All slots are empty again before this record takes one. */
    static final int FORGET = 1 << 3;

    static final int FLAGS = KEPT | CARRIED | REFERS | FORGET;

    /** The bits of a reference that are not its address. */
    static final long REFERENCE_BITS = 7;

    static final int SLOTS_MAX = 4096;

    /** The most payload bytes in slots, unless one record alone has more. */
    static final int SLOT_BYTES_MAX = 8 << 20;

    private ArchiveDescriptor() {}

    /** The checksum of a header, which is in an array. */
    static int headerChecksum(byte[] bytes, int offset) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, offset, HEADER_CRC_OFFSET);
        checksum.update(bytes, offset + ID_OFFSET, Long.BYTES);
        return (int) checksum.getValue();
    }

    /** The checksum of a block, whose header and stored bytes are in arrays. */
    static int blockChecksum(long archiveId, byte[] header, int offset, byte[] stored, int storedOffset, int length) {
        CRC32C checksum = new CRC32C();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            checksum.update((int) (archiveId >>> shift));
        }
        checksum.update(header, offset, BLOCK_CRC_OFFSET);
        checksum.update(stored, storedOffset, length);
        return (int) checksum.getValue();
    }
}
