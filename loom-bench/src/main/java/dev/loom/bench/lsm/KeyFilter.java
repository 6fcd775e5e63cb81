package dev.loom.bench.lsm;

import java.util.List;

/**
 * A single filter that hashes keys for itself, in one array of bits, or in as many units as it has indexes (ElasticBF). Where
 * each index has a hash function of its own, a test computes only as many as it needs to.
 */
public final class KeyFilter {
    private static final int ROTATION = SstFilter.ROTATION;

    private final BitArray[] units;
    private final KeyHash[] hashes;
    private final long[] seeds;
    private final int indexes;
    private final boolean own;

    private KeyFilter(List<HashFunction> hashes, boolean own, int indexes, int bits, boolean inUnits) {
        this.hashes = hashes.stream().map(HashFunction::create).toArray(KeyHash[]::new);
        this.own = own;
        this.indexes = indexes;
        seeds = new long[indexes];
        for (int i = 0; i < indexes; i++) {
            seeds[i] = i == 0 ? 0 : KeySpace.mix(i);
        }
        units = new BitArray[inUnits ? indexes : 1];
        for (int i = 0; i < units.length; i++) {
            units[i] = new BitArray(bits / units.length);
        }
    }

    /** Each index has its own hash function, and a seed that no other index has. */
    public static KeyFilter ofMany(List<HashFunction> hashes, int bits, boolean inUnits) {
        return new KeyFilter(hashes, true, hashes.size(), bits, inUnits);
    }

    /** All indexes come from one digest, by rotation. */
    public static KeyFilter rotated(HashFunction hash, int indexes, int bits, boolean inUnits) {
        return new KeyFilter(List.of(hash), false, indexes, bits, inUnits);
    }

    /** All indexes come from two digests. */
    public static KeyFilter doubled(HashFunction first, HashFunction second, int indexes, int bits, boolean inUnits) {
        return new KeyFilter(List.of(first, second), false, indexes, bits, inUnits);
    }

    public void add(byte[] key) {
        if (own) {
            for (int i = 0; i < indexes; i++) {
                units[i % units.length].set(hashes[i].digest(key, seeds[i]));
            }
            return;
        }
        long digest = hashes[0].digest(key, 0);
        final long step = step(key, digest);
        for (int i = 0; i < indexes; i++) {
            units[i % units.length].set(digest);
            digest += step;
        }
    }

    public boolean mayContain(byte[] key) {
        if (own) {
            for (int i = 0; i < indexes; i++) {
                if (!units[i % units.length].get(hashes[i].digest(key, seeds[i]))) {
                    return false;
                }
            }
            return true;
        }
        long digest = hashes[0].digest(key, 0);
        final long step = step(key, digest);
        for (int i = 0; i < indexes; i++) {
            if (!units[i % units.length].get(digest)) {
                return false;
            }
            digest += step;
        }
        return true;
    }

    private long step(byte[] key, long digest) {
        return hashes.length == 1 ? Long.rotateLeft(digest, ROTATION) : hashes[1].digest(key, 0);
    }

    /** The share of keys that it does not say no to. */
    public double passed(byte[][] keys) {
        int passed = 0;
        for (final byte[] key : keys) {
            passed += mayContain(key) ? 1 : 0;
        }
        return (double) passed / keys.length;
    }

    /** Different keys, from {@code first} on; those of other ranges are different again. */
    public static byte[][] keys(int count, int length, long first) {
        final byte[][] keys = new byte[count][length];
        for (int i = 0; i < count; i++) {
            KeySpace.write(KeySpace.mix(first + i), keys[i]);
        }
        return keys;
    }
}
