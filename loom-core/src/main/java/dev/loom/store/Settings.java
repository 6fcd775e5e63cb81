package dev.loom.store;

import dev.loom.api.Eviction;
import dev.loom.api.IndexFunction;
import dev.loom.api.Pressure;
import dev.loom.api.ProgressHandler;
import dev.loom.io.Storage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a writer's store. A null setting takes the existing store's value, else the default of {@code
 * LoomConfig}.
 */
public record Settings(
        Path directory,
        @Nullable Path staging,
        @Nullable Integer recordRingLength,
        @Nullable Integer timeRingLength,
        @Nullable Integer chunkRingLength,
        @Nullable Long segmentLength,
        @Nullable Long maxBytes,
        @Nullable Duration maxAge,
        @Nullable Long minFreeBytes,
        Eviction eviction,
        Pressure pressure,
        @Nullable LongSupplier clock,
        Duration durabilityInterval,
        long durabilityBytes,
        int sourcesMax,
        boolean adoptCopy,
        boolean rebuildIndexes,
        long backgroundRebuildBytes,
        long indexCheckBytes,
        @Nullable Duration compressAfter,
        double compressionShare,
        TextIndexSettings textIndex,
        double rollupShare,
        List<IndexFunction> indexFunctions,
        @Nullable Repair repair,
        ProgressHandler progress,
        @Nullable ClassLoader classLoader,
        Storage storage) {
    /** The bytes of records indexed before a waiting writer resumes, and between two publications afterwards. */
    private static final long REBUILD_BYTES_LIVE = 16 << 20;

    /**
     * The settings to rebuild all indexes while the writer waits for the opening.
     *
     * @param functions the available functions of the indexes
     */
    Settings toRebuild(List<IndexFunction> functions) {
        return new Settings(
                directory,
                staging,
                recordRingLength,
                timeRingLength,
                chunkRingLength,
                segmentLength,
                maxBytes,
                maxAge,
                minFreeBytes,
                eviction,
                pressure,
                clock,
                durabilityInterval,
                durabilityBytes,
                sourcesMax,
                adoptCopy,
                true,
                Math.min(backgroundRebuildBytes, REBUILD_BYTES_LIVE),
                indexCheckBytes,
                compressAfter,
                compressionShare,
                textIndex,
                rollupShare,
                Stream.concat(indexFunctions.stream(), functions.stream()).toList(),
                null,
                progress,
                classLoader,
                storage);
    }
}
