package dev.loom.query.plan;

import dev.loom.read.ChunkCursor;

/** What indexes say about a condition on records, chunk by chunk. */
@FunctionalInterface
public interface ChunkCondition {
    /** Nothing is known. */
    ChunkCondition UNKNOWN = chunk -> Coverage.SOME;

    /** Every record meets it. */
    ChunkCondition ALWAYS = chunk -> Coverage.ALL;

    /** How many of the source's records in the chunk meet the condition. */
    Coverage cover(ChunkCursor chunk);
}
