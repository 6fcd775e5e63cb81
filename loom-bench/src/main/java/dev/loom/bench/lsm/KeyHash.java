package dev.loom.bench.lsm;

/** Computes digests of keys. For one thread. */
@FunctionalInterface
public interface KeyHash {
    /** The digest of a key whose length is a multiple of 8. Not all functions have a seed; the others ignore it. */
    long digest(byte[] key, long seed);
}
