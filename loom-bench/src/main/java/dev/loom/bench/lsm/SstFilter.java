package dev.loom.bench.lsm;

/** Tells of a key whether its file certainly does not have it. */
interface SstFilter {
    /** By how many bits a digest is rotated to step from one index to the next (paper, 4.1). */
    int ROTATION = 17;

    void add(KeyDigests digests, int level);

    boolean mayContain(KeyDigests digests, int level);

    /** Its size. */
    long bits();
}
