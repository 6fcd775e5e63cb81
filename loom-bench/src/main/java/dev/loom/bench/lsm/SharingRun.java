package dev.loom.bench.lsm;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/** Lookups of the same keys in the same files, by different uses of digests, in turns. */
public final class SharingRun {
    private final List<Lookup> lookups = new ArrayList<>();
    private final List<List<TimeSplit>> splits = new ArrayList<>();
    private final LookupKeys keys;
    private final List<LookupTrace> traces = new ArrayList<>();
    private final LongSupplier clock;

    /**
     * Prepares lookups.
     *
     * @param filters of each use, which they serve
     * @param clock of a lookup's time
     */
    public SharingRun(
            SstTree tree,
            int ofLevels,
            LookupKeys keys,
            List<HashUse> uses,
            List<TreeFilters> filters,
            LongSupplier clock) {
        this.keys = keys;
        this.clock = clock;
        for (int i = 0; i < uses.size(); i++) {
            lookups.add(new Lookup(tree, filters.get(i), uses.get(i), ofLevels));
            splits.add(new ArrayList<>());
            traces.add(new LookupTrace(lookups.get(i), keys, ofLevels));
        }
    }

    /** Runs rounds, and one before them that doesn't count: it compiles, and brings files into the page cache. */
    public void run(int rounds) {
        for (int round = -1; round < rounds; round++) {
            for (int i = 0; i < lookups.size(); i++) {
                final TimeSplit split = TimeSplit.measure(lookups.get(i), keys, traces.get(i), clock);
                if (round >= 0) {
                    splits.get(i).add(split);
                }
            }
        }
    }

    /** The rounds of the use with this index. */
    public List<TimeSplit> ofUse(int index) {
        return List.copyOf(splits.get(index));
    }
}
