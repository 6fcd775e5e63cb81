package dev.loom.store;

import dev.loom.api.Eviction;
import dev.loom.api.IndexFunction;
import dev.loom.api.Pressure;
import dev.loom.api.StoreClock;
import dev.loom.io.Storage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a writer's store. Null ones are taken over from an existing store, or else are the defaults of {@code
 * LoomConfig}.
 */
public record Settings(
        Path directory,
        @Nullable Path staging,
        @Nullable Integer recordRingLength,
        @Nullable Integer timeRingLength,
        @Nullable Integer chunkRingLength,
        @Nullable Long segmentLength,
        Eviction eviction,
        Pressure pressure,
        @Nullable StoreClock clock,
        Duration durabilityInterval,
        long durabilityBytes,
        int sourcesMax,
        boolean adoptCopy,
        boolean rebuildIndexes,
        long backgroundRebuildBytes,
        long indexCheckBytes,
        List<IndexFunction> indexFunctions,
        Storage storage) {
    /** Of records indexed before a writer goes on that waits, and between two publications afterwards. */
    private static final long REBUILD_BYTES_LIVE = 16 << 20;

    /**
     * To write all indexes anew beside a writer that waits for the opening.
     *
     * @param functions of the indexes, as far as they are at hand
     */
    Settings toRebuild(List<IndexFunction> functions) {
        return new Settings(
                directory,
                staging,
                recordRingLength,
                timeRingLength,
                chunkRingLength,
                segmentLength,
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
                Stream.concat(indexFunctions.stream(), functions.stream()).toList(),
                storage);
    }
}
