package dev.loom.bench.scaling;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** Applications that run beside the ingest, whose slow-down is measured. */
public enum Neighbour {
    /** Computes, and reads and writes memory at random places: processor, caches and memory alone. */
    LOOP,
    /** Reads random keys of a RocksDB store in memory. */
    ROCKSDB;

    /** The name on command lines and in results. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Parses a name. */
    public static Neighbour parse(String text) {
        return Arrays.stream(values())
                .filter(kind -> kind.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown application: name=" + text + ", known="
                        + Arrays.stream(values()).map(Neighbour::text).collect(Collectors.joining(","))));
    }

    /** Opens the application. */
    NeighbourWork open(Path directory) {
        return switch (this) {
            case LOOP -> new LoopWork();
            case ROCKSDB -> new RocksDbReads(directory);
        };
    }
}
