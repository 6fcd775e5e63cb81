package dev.loom.otlp.server;

import dev.loom.otlp.server.Refusal.Reason;

/**
 * What a compressed body may become.
 *
 * @param maxLength decoded, bytes
 * @param maxRatio of decoded to encoded length, once more than {@link #RATIO_FREE} bytes are decoded
 */
record DecodeLimits(int maxLength, int maxRatio) {
    /** Bytes that may be decoded whatever the ratio: equal records compress well. */
    static final int RATIO_FREE = 1 << 20;

    private static final int HEADERS_LENGTH = 1024;
    private static final int EXPANSION_SHIFT = 11;
    private static final int ROOM_FOR_BLOCKS = ZstdDecoder.ROOM + 2 * GzipDecoder.STEP;

    /** The most that this many encoded bytes may become, bytes. */
    int allowed(int encodedLength) {
        return (int) Math.min(maxLength, Math.max(RATIO_FREE, (long) maxRatio * encodedLength));
    }

    RefusalException exceeded(int encodedLength) {
        return new RefusalException(
                Reason.TOO_LARGE,
                "request is too large when decompressed: encoded=" + encodedLength + ", max=" + allowed(encodedLength));
    }

    /**
     * The most bytes that so many become when they can't be compressed: 5 a block of at least 16 KiB by gzip, 3 of 128 KiB by
     * Zstandard.
     */
    static int encodedMax(int length) {
        return length + (length >> EXPANSION_SHIFT) + HEADERS_LENGTH;
    }

    /**
     * Memory in which messages of a length can be decoded in place: what is yet to be read is at most what it will become, as
     * by {@link #encodedMax}, and a decoder wants room for its next step.
     */
    static int roomFor(int maxLength) {
        return encodedMax(maxLength) + ROOM_FOR_BLOCKS;
    }
}
