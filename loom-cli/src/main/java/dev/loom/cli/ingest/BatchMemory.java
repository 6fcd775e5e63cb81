package dev.loom.cli.ingest;

import org.jspecify.annotations.Nullable;

/** Memory that all connections share, which bounds what batches take up together. Usable from any thread. */
public interface BatchMemory {
    /** Takes so many bytes, perhaps after a moment; null when there are not enough. */
    @Nullable
    BatchRoom take(int length);
}
