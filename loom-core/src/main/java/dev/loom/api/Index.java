package dev.loom.api;

/**
 * An index as the schema knows it.
 *
 * @param id 1 or greater, never reused in a store
 * @param sourceId the source whose records it is over
 * @param name unique among the open indexes of its source
 * @param bins of a {@link IndexKind#VALUE} index; not used by others
 * @param fromAddress chunks of the record log before this are not in it
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
    /** The same index, closed. */
    public Index close() {
        return new Index(id, sourceId, name, kind, function, bins, fromAddress, true);
    }

    /** The same index with a function that can be read. */
    public Index supply(IndexFunction readable) {
        return new Index(id, sourceId, name, kind, readable, bins, fromAddress, closed);
    }
}
