package dev.loom.bench;

import dev.loom.bench.lsm.FilterKind;
import dev.loom.bench.lsm.HashUse;
import dev.loom.bench.lsm.TreeFilters;
import dev.loom.bench.lsm.TreeShape;
import java.util.HashMap;
import java.util.Map;

/** The filters of a tree, built when they are first asked for, and kept for the other media that it is read from. */
final class SharingFilters {
    private final TreeShape shape;
    private final Map<Built, TreeFilters> built = new HashMap<>();

    SharingFilters(TreeShape shape) {
        this.shape = shape;
    }

    private record Built(FilterKind kind, double bitsPerKey, boolean seeded) {}

    TreeFilters of(FilterKind kind, double bitsPerKey, HashUse use) {
        return built.computeIfAbsent(
                new Built(kind, bitsPerKey, use == HashUse.SEEDED),
                absent -> new TreeFilters(shape, kind, bitsPerKey, use));
    }
}
