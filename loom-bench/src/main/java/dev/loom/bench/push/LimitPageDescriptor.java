package dev.loom.bench.push;

/**
 * Layout of the limit's pages and records: the sizes of Loom's, written down here again on purpose.
 *
 * <pre>
 *   page, 64 KiB                              record, little-endian
 *   0   page number                           0  payload length (24) | type (8) | back-pointer in words (32)
 *   8   base time, ns                         8  source id (16) | arrival - base time, ns (48)
 *   16  bytes used, header included           16 payload
 *   24  CRC32C of [64, 65,536), low 32 bits
 *   64  records, then zeros
 * </pre>
 */
final class LimitPageDescriptor {
    static final int PAGE_LENGTH = 64 * 1024;
    static final int NUMBER_OFFSET = 0;
    static final int BASE_TIME_OFFSET = NUMBER_OFFSET + Long.BYTES;
    static final int USED_OFFSET = BASE_TIME_OFFSET + Long.BYTES;
    static final int CHECKSUM_OFFSET = USED_OFFSET + Long.BYTES;
    static final int PAGE_HEADER_LENGTH = 64;

    static final int RECORD_WORD_1_OFFSET = Long.BYTES;
    static final int RECORD_HEADER_LENGTH = PushSettings.HEADER_LENGTH;

    static final long RECORD_TYPE = 1L << 24;
    static final int BACK_SHIFT = 32;
    static final int TIME_SHIFT = 16;
    static final long LENGTH_MASK = (1L << 24) - 1;
    static final long SOURCE_ID = 1;

    private LimitPageDescriptor() {}
}
