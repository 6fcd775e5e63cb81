package dev.loom.log;

import dev.loom.io.Storage;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * All that a reader needs of one log. Immutable.
 *
 * @param ring the newest pages, or null when all are in segment files
 */
public record LogView(
        LogKind kind,
        long storeId,
        Storage storage,
        Segments segments,
        Watermarks watermarks,
        @Nullable UnsafeBuffer ring) {}
