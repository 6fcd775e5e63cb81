package dev.loom.query.diff;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The frequent keys of a stream in bounded memory (SpaceSaving: Metwally, Agrawal and El Abbadi, ICDT 2005). Each key that is more
 * frequent than {@link #error()} is there, and no count is off by more. Keys are distinguished by their 64-bit hash. For one thread.
 */
final class HeavyHitters {
    /** The number of counters. */
    static final int CAPACITY = 128;

    private static final int NONE = -1;

    private final Long2LongHashMap places = new Long2LongHashMap(2 * CAPACITY, 0.65f, NONE);
    private final long[] hashes = new long[CAPACITY];
    private final long[] counts = new long[CAPACITY];
    private final byte[][] keys = new byte[CAPACITY][];
    private int size;
    private long error;

    /** Counts a key once. */
    void add(long hash, DirectBuffer key, int length) {
        int place = (int) places.get(hash);
        if (place == NONE) {
            place = size < CAPACITY ? size++ : least();
            hashes[place] = hash;
            byte[] kept = keys[place];
            // room for the next keys of this place, most of which are as long
            if (kept == null || kept.length != length) {
                kept = new byte[length];
                keys[place] = kept;
            }
            key.getBytes(0, kept);
            places.put(hash, place);
        }
        counts[place]++;
    }

    /** Gives up the rarest key; the count stays, as the next key may have come as often. */
    private int least() {
        int least = 0;
        for (int i = 1; i < CAPACITY; i++) {
            if (counts[i] < counts[least]) {
                least = i;
            }
        }
        places.remove(hashes[least]);
        error = counts[least];
        return least;
    }

    /** By how much a count is too high, at most; a key that came no more often may be missing. */
    long error() {
        return error;
    }

    /** The keys that may have come at least so often, the most frequent first. */
    byte[][] keys(long countMin) {
        return IntStream.range(0, size)
                .filter(i -> counts[i] >= countMin)
                .boxed()
                .sorted((left, right) -> {
                    int order = Long.compare(counts[right], counts[left]);
                    return order != 0 ? order : Arrays.compareUnsigned(key(left), key(right));
                })
                .map(this::key)
                .toArray(byte[][]::new);
    }

    private byte[] key(int place) {
        byte @Nullable [] key = keys[place];
        return key == null ? new byte[0] : key;
    }
}
