package dev.loom.otlp.server;

import dev.loom.otlp.server.Refusal.Reason;

/**
 * Limits on what a compressed body may decode to.
 *
 * @param maxLength decoded length, in bytes
 * @param maxRatio decoded to encoded length, once more than {@link #RATIO_FREE} bytes are decoded
 */
record DecodeLimits(int maxLength, int maxRatio) {
    /** Bytes that may be decoded at any ratio, as similar records compress well. */
    static final int RATIO_FREE = 1 << 20;

    private static final int HEADERS_LENGTH = 1024;
    private static final int EXPANSION_SHIFT = 11;

    /** The most bytes that this many encoded bytes may decode to. */
    int allowed(int encodedLength) {
        return (int) Math.min(maxLength, Math.max(RATIO_FREE, (long) maxRatio * encodedLength));
    }

    RefusalException exceeded(int encodedLength) {
        return new RefusalException(
                Reason.TOO_LARGE,
                "request is too large when decompressed: encoded=" + encodedLength + ", max=" + allowed(encodedLength));
    }

    /**
     * The greatest encoded length of incompressible data, in bytes: gzip adds 5 per block of at least 16 KiB, Zstandard 3
     * per 128 KiB.
     */
    static int encodedMax(int length) {
        return length + (length >> EXPANSION_SHIFT) + HEADERS_LENGTH;
    }
}
