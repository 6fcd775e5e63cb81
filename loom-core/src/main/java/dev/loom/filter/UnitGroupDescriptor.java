package dev.loom.filter;

/**
 * The layout of a file of units, in contents of its blocks, little-endian: a header, the units' extents, and their parts one after
 * the other. Within a part, the pieces of all units with one number lie side by side, so that a word's test of all units reads
 * one run (ESTELLE, 3.2.1, columnar-store format).
 * <pre>
 *   header   magic (8), version (4), units (4), store id (8), source id (4), versions of tokens (4) and digests (4),
 *            shape: seven numbers (28), bytes of what is indexed (4), frequent words (4)
 *   indexed  the text form of what is indexed, UTF-8; then the digests of the frequent words, ascending (8 each)
 *   extents  of each unit: start (8), end (8), rows (4), chunks (4), distinct words (4); then of each unit's chunks: address (8), first row (4)
 *   parts    in the order of UnitPart: piece 0 of unit 0, of unit 1, ..., piece 1 of unit 0, ...
 *   table    of each list of rows: where it begins behind the table (8); then where the last ends (8)
 *   lists    of each list: its rows' number in unit 0, in unit 1, ... (1 each); then these rows (2 each)
 * </pre>
 */
final class UnitGroupDescriptor {
    static final long MAGIC = 0x7469_6e55_6d6f_6f4cL; // "LoomUnit"
    static final int VERSION = 3;

    static final int VERSION_OFFSET = 8;
    static final int UNITS_OFFSET = 12;
    static final int STORE_ID_OFFSET = 16;
    static final int SOURCE_ID_OFFSET = 24;
    static final int TOKENS_OFFSET = 28;
    static final int DIGESTS_OFFSET = 32;
    static final int SHAPE_OFFSET = 36;
    static final int INDEXED_LENGTH_OFFSET = 64;
    static final int FREQUENT_WORDS_OFFSET = 68;
    static final int HEADER_LENGTH = 72;

    static final int EXTENT_LENGTH = 28;
    static final int CHUNK_LENGTH = 12;

    /** The units of a file. */
    static final int UNITS_MAX = 256;

    /** The chunks of a unit: each has a row. */
    static final int CHUNKS_MAX = UnitShape.ROWS_MAX;

    /** The chunks of all units of a file, as readers keep them. */
    static final int GROUP_CHUNKS_MAX = 1 << 16;

    private UnitGroupDescriptor() {}

    /** What a file's checksums are seeded with: its store, its source, and where it begins. */
    static long key(long storeId, int sourceId, long start) {
        return (storeId ^ start * 0x9E3779B97F4A7C15L) + sourceId * 0xBF58476D1CE4E5B9L;
    }
}
