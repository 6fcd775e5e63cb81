package dev.loom.query.walk;

import dev.loom.read.ChunkCursor;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** Counts the parts of the log by how they served a walk. */
public final class ChunkTally {
    private final Map<ChunkUse, Count> counts = new EnumMap<>(ChunkUse.class);

    public ChunkTally() {
        for (ChunkUse use : ChunkUse.values()) {
            counts.put(use, new Count());
        }
    }

    private static final class Count {
        private long chunks;
        private long pages;
    }

    private long runs;

    /** Counts a part. A part that no directory covers is counted by its pages as they are read, not here. */
    public void add(ChunkUse use, ChunkCursor part) {
        Count count = count(use);
        runs += part.isRun() ? 1 : 0;
        if (use != ChunkUse.READ) {
            count.chunks += part.listed() ? part.count() : 1;
            count.pages += part.pages();
        } else if (part.listed()) {
            count.chunks++;
        }
    }

    private Count count(ChunkUse use) {
        return Objects.requireNonNull(counts.get(use));
    }

    /** The number of chunks used this way. */
    public long chunks(ChunkUse use) {
        return count(use).chunks;
    }

    /** The number of pages in chunks used this way, none of which was read. */
    public long pages(ChunkUse use) {
        return count(use).pages;
    }

    /** The number of parts that were runs. */
    public long runs() {
        return runs;
    }
}
