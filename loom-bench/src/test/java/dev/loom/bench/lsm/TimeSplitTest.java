package dev.loom.bench.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the loops count; their times mean nothing. */
final class TimeSplitTest {
    private static final TreeShape SHAPE = new TreeShape(3, 10, 16 << 10, 64 << 10, 64, 1024);
    private static final List<HashUse> USES = List.of(HashUse.REPEATED, HashUse.SHARED);
    private static final int LOOKUPS = 5_000;

    @Test
    void shouldReadTheSameBlocksWithOneDigest(@TempDir Path directory) {
        BulkLoad.into(directory, SHAPE);
        final TreeFilters filters = new TreeFilters(SHAPE, FilterKind.STANDARD, 10, HashUse.SHARED);
        assertEquals(10, filters.bitsPerKey(), 0.01);
        try (SstTree tree = SstTree.open(directory, SHAPE, BlockAccess.BUFFERED)) {
            for (final double hits : new double[] {0, 0.5, 1}) {
                final LookupKeys keys = new LookupKeys(SHAPE, 3, LOOKUPS, hits, 7);
                int there = 0;
                int visits = 0;
                for (int i = 0; i < keys.count(); i++) {
                    there += keys.level(i) == Lookup.NOWHERE ? 0 : 1;
                    visits += keys.level(i) == Lookup.NOWHERE ? 3 : keys.level(i) + 1;
                }
                assertEquals(hits * LOOKUPS, there, 1);
                final SharingRun run = new SharingRun(tree, 3, keys, USES, List.of(filters, filters), System::nanoTime);
                run.run(2);
                final TimeSplit own = run.ofUse(0).get(1);
                final TimeSplit shared = run.ofUse(1).get(0);
                assertEquals(2, run.ofUse(1).size());
                assertEquals(own.reads(), shared.reads());
                assertEquals(own.visited(), shared.visited());
                // keys below a level's first or above its last visit no file of it
                assertTrue(own.visited() <= (double) visits / LOOKUPS, "visited=" + own.visited());
                assertEquals((double) visits / LOOKUPS, own.visited(), 0.2);
                final double wrong = (visits - there) * LookupCost.falsePositives(10);
                assertEquals(there + wrong, own.reads() * LOOKUPS, 6 * Math.sqrt(wrong + 1) + 0.1 * wrong);
                assertEquals(own.total(), own.hashing() + own.probing() + own.reading() + own.other(), 1e-6);
            }
        }
    }

    @Test
    void shouldChooseKeysOfAllLevelsByTheirSizes() {
        final LookupKeys keys = new LookupKeys(SHAPE, 3, 100_000, 1, 3);
        final int[] ofLevel = new int[3];
        for (int i = 0; i < keys.count(); i++) {
            ofLevel[keys.level(i)]++;
        }
        assertEquals(100_000 / 111.0, ofLevel[0], 6 * 30);
        assertEquals(1_000_000 / 111.0, ofLevel[1], 6 * 95);
    }
}
