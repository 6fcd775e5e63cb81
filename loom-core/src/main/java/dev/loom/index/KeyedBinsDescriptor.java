package dev.loom.index;

/**
 * Layout of what an index by keys has of a chunk, in an entry of the chunk index, or of a run of chunks.
 * <pre>
 *   keys, as a varint
 *   records whose keys are not apart, as a varint: 0, or all of the chunk, and then there are no keys
 *   per key, in the order of the bytes:
 *     bytes of the key, as a varint
 *     the key, as {@link dev.loom.value.KeyEncoder} makes it
 *     records with the key, as a varint
 *     their totals, as {@link IndexSummaryCodec} writes them, without an address
 *     bytes of their bins (4)
 *     their bins, as {@link BinListDescriptor} describes; none without a value
 * </pre>
 */
public final class KeyedBinsDescriptor {
    /** The most keys of a chunk. */
    public static final int KEYS_MAX = 64;

    /** The most keys of a run of chunks. */
    public static final int RUN_KEYS_MAX = 1024;

    /** The most bytes of a key: longer ones are of the rest. */
    public static final int KEY_LENGTH_MAX = 512;

    private KeyedBinsDescriptor() {}
}
