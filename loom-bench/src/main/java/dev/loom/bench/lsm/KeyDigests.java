package dev.loom.bench.lsm;

/** The digests of one key at a time, as filters ask for them. The state of a lookup. */
public abstract class KeyDigests {
    /** The units of an ElasticBF filter. */
    static final int UNITS = 7;

    /** Begins with a key. */
    abstract void start(byte[] key);

    /** The digest for filters of a level. */
    abstract long of(int level);

    /** A second digest, of another hash function, for double hashing. */
    abstract long second(int level);

    /** The digest for a unit that has a hash function of its own. */
    abstract long ofUnit(int level, int unit);
}
