package dev.loom.query;

import dev.loom.record.Chunks;

/** What indexes tell about a condition on records, chunk by chunk. */
@FunctionalInterface
interface ChunkCondition {
    /** Tells nothing. */
    ChunkCondition UNKNOWN = chunk -> Coverage.SOME;

    /** Met by every record. */
    ChunkCondition ALWAYS = chunk -> Coverage.ALL;

    /** How many of the source's records in the part meet the condition. */
    Coverage cover(Chunks chunk);
}
