package dev.loom.server.ingest;

import org.jspecify.annotations.Nullable;

/** Memory that all connections share; it bounds what their batches occupy together. Usable from any thread. */
public interface BatchMemory {
    /** Takes {@code length} bytes, waiting a moment if necessary; null if there are not enough. */
    @Nullable
    BatchRoom take(int length);
}
