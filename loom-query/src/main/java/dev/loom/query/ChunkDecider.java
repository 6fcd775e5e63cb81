package dev.loom.query;

import dev.loom.record.Chunks;

/** Decides, part by part of the record log, what a query has to read; one that indexes answer for it takes in at once. */
@FunctionalInterface
interface ChunkDecider {
    /** Reads every part. */
    ChunkDecider READ_ALL = (chunk, whole) -> ChunkUse.READ;

    /**
     * Decides about the part at which the walk stands.
     *
     * @param whole whether all records of the source in it count: only then its summaries may answer for it
     */
    ChunkUse decide(Chunks chunk, boolean whole);
}
