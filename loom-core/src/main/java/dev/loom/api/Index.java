package dev.loom.api;

/**
 * An index as the schema knows it.
 *
 * @param id 1 or greater, never reused in a store
 * @param sourceId the source that it indexes
 * @param name unique among the open indexes of its source
 * @param bins for a {@link IndexKind#VALUE} index; unused by others
 * @param fromAddress record log chunks before this address are not in it
 * @param closed whether new chunks are no longer added to it
 */
public record Index(
        int id,
        int sourceId,
        String name,
        IndexKind kind,
        IndexFunction function,
        Bins bins,
        long fromAddress,
        boolean closed) {
    /** The same index with a readable function. */
    public Index supply(IndexFunction readable) {
        return new Index(id, sourceId, name, kind, readable, bins, fromAddress, closed);
    }
}
