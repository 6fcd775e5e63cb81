package dev.loom.store;

import dev.loom.api.Eviction;
import dev.loom.api.IndexFunction;
import dev.loom.api.Pressure;
import dev.loom.api.StoreClock;
import dev.loom.io.Storage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
        Storage storage) {}
