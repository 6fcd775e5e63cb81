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

    /** The most that this many encoded bytes may become, bytes. */
    int allowed(int encodedLength) {
        return (int) Math.min(maxLength, Math.max(RATIO_FREE, (long) maxRatio * encodedLength));
    }

    RefusalException exceeded(int encodedLength) {
        return new RefusalException(
                Reason.TOO_LARGE,
                "request is too large when decompressed: encoded=" + encodedLength + ", max=" + allowed(encodedLength));
    }
}
