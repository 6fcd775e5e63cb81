package dev.loom.otlp.ingest;

import java.util.Arrays;
import org.agrona.BitUtil;

/**
 * Addresses of contexts by their digests, bounded in number; all memory, 48 to 96 bytes for each, is allocated up front. Not
 * thread-safe.
 */
final class ContextPlaces {
    private final int entriesMax;
    private final long[] lows;
    private final long[] highs;
    private final long[] addresses;
    private int entries;

    /** Room for up to {@code entriesMax} contexts. */
    ContextPlaces(int entriesMax) {
        int slots = 2 * BitUtil.findNextPositivePowerOfTwo(entriesMax);
        this.entriesMax = entriesMax;
        lows = new long[slots];
        highs = new long[slots];
        addresses = new long[slots];
        Arrays.fill(addresses, ContextBytes.NOWHERE);
    }

    /** The address of a context, or {@link ContextBytes#NOWHERE}. */
    long get(ContextDigest digest) {
        return addresses[slot(digest)];
    }

    /** Sets the address of a context; before one too many, forgets all others. */
    void put(ContextDigest digest, long address) {
        int slot = slot(digest);
        if (addresses[slot] == ContextBytes.NOWHERE) {
            if (entries == entriesMax) {
                clear();
                slot = slot(digest);
            }
            lows[slot] = digest.low();
            highs[slot] = digest.high();
            entries++;
        }
        addresses[slot] = address;
    }

    /** The slot of a digest, or the free one where it belongs; one exists, as at most half are taken. */
    private int slot(ContextDigest digest) {
        int mask = addresses.length - 1;
        int slot = (int) digest.low() & mask;
        while (addresses[slot] != ContextBytes.NOWHERE
                && (lows[slot] != digest.low() || highs[slot] != digest.high())) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    void clear() {
        if (entries > 0) {
            Arrays.fill(addresses, ContextBytes.NOWHERE);
            entries = 0;
        }
    }
}
