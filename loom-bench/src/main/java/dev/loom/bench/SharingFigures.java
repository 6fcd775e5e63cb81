package dev.loom.bench;

import dev.loom.bench.lsm.BlockReads;
import dev.loom.bench.lsm.FilterKind;
import dev.loom.bench.lsm.HashUse;
import dev.loom.bench.lsm.LookupCost;
import dev.loom.bench.lsm.LookupKeys;
import dev.loom.bench.lsm.SharingRun;
import dev.loom.bench.lsm.SstTree;
import dev.loom.bench.lsm.TimeSplit;
import dev.loom.bench.lsm.TreeShape;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Measures and prints the paper's figures of one tree, read from one medium.
 *
 * @param medium as tables call it
 * @param clock of a lookup's time: the wall's if reads wait for a device, otherwise the thread's CPU time, which other work on
 *     the machine disturbs less
 * @param lookups of a round, where few of them read
 * @param hitLookups of a round, where many do
 */
record SharingFigures(
        PrintStream out,
        String medium,
        LongSupplier clock,
        SstTree tree,
        SharingFilters filters,
        int lookups,
        int hitLookups,
        int rounds) {
    private static final double BITS_PER_KEY = 10;
    private static final List<HashUse> USES = List.of(HashUse.REPEATED, HashUse.SHARED);
    private static final double[] HITS = {0, 0.2, 0.4, 0.6, 0.8, 1};
    private static final int LEVELS_FROM = 8;
    private static final double PERCENT = 100;

    /** Prints a figure of the paper, or the table {@code filters} or {@code blocks}. */
    void print(String figure) {
        switch (figure) {
            case "1" -> timeByLevels();
            case "6" -> absentKeys();
            case "7" -> timeByBits();
            case "8" -> timeByHits();
            case "filters" -> filterKinds();
            case "blocks" -> blocks();
            default -> throw new IllegalArgumentException("no such figure: figure=" + figure);
        }
    }

    private void blocks() {
        out.printf(
                "%nTable 1, %s: a block of 4 KiB takes %s ns, mean of %d at random%n",
                medium,
                Spread.of(BlockReads.measure(tree, hitLookups, rounds, clock)).text(0),
                hitLookups);
    }

    /** Figure 1: half of the keys are there. */
    private void timeByLevels() {
        final SharingTable table = table("Figure 1, " + medium + ": half of the keys are there", "levels, size");
        for (int levels = 1; levels <= levels(); levels++) {
            row(table, size(tree.shape(), levels), levels, BITS_PER_KEY, 0.5);
        }
    }

    /** Figure 5b: levels of which each is twice as large as the one before. */
    void doublingLevels() {
        final SharingTable table = table("Figure 5b, " + medium + ": absent keys, size ratio 2", "levels, size");
        for (int levels = Math.min(LEVELS_FROM, levels()); levels <= levels(); levels++) {
            row(table, size(tree.shape(), levels), levels, BITS_PER_KEY, 0);
        }
    }

    private void absentKeys() {
        row(
                table("Figure 6, " + medium + ": absent keys", "levels, size"),
                size(tree.shape(), levels()),
                levels(),
                BITS_PER_KEY,
                0);
    }

    private void timeByBits() {
        final SharingTable table = table("Figure 7, " + medium + ": absent keys by bits a key", "bits a key");
        for (int bitsPerKey = 8; bitsPerKey <= 14; bitsPerKey += 2) {
            row(table, Integer.toString(bitsPerKey), levels(), bitsPerKey, 0);
        }
    }

    /** Figure 8, and on tmpfs Figure 9. */
    private void timeByHits() {
        final SharingTable table =
                table("Figures 8 and 9, " + medium + ": by the share of keys that are there", "share there");
        for (final double hits : HITS) {
            row(table, SharingTable.number(1, hits), levels(), BITS_PER_KEY, hits);
        }
    }

    /** A row of Figure 5a, whose table spans trees. */
    void row(SharingTable table, String label) {
        row(table, label, levels(), BITS_PER_KEY, 0);
    }

    private void row(SharingTable table, String label, int levels, double bitsPerKey, double hits) {
        final SharingRun run = run(FilterKind.STANDARD, bitsPerKey, levels, hits, USES);
        table.rows(
                label,
                levels,
                tree.shape().ratio(),
                hits,
                LookupCost.falsePositives(bitsPerKey),
                run.ofUse(0),
                run.ofUse(1));
    }

    private SharingRun run(FilterKind kind, double bitsPerKey, int levels, double hits, List<HashUse> uses) {
        final int count = hits > 0 ? hitLookups : lookups;
        final SharingRun run = new SharingRun(
                tree,
                levels,
                new LookupKeys(tree.shape(), levels, count, hits, levels),
                uses,
                uses.stream().map(use -> filters.of(kind, bitsPerKey, use)).toList(),
                clock);
        run.run(rounds);
        return run;
    }

    /** All kinds of filters, with a digest for each level, the same and seeded, and with one. */
    private void filterKinds() {
        final MarkdownTable table = new MarkdownTable(
                out,
                "Kinds of filters, " + medium + ": absent keys, " + size(tree.shape(), levels()),
                "filter",
                "bits a key",
                "digest",
                "total, ns",
                "CPU, ns",
                "wrong a filter, %",
                "gain over a digest a level, %");
        for (final double bitsPerKey : new double[] {8, 10, 16}) {
            for (final FilterKind kind : FilterKind.values()) {
                final boolean hasSize = kind == FilterKind.LOG
                        ? bitsPerKey != BITS_PER_KEY // its sizes are powers of two
                        : bitsPerKey == BITS_PER_KEY || kind == FilterKind.STANDARD;
                if (hasSize) {
                    filterKind(table, kind, bitsPerKey);
                }
            }
        }
    }

    private void filterKind(MarkdownTable table, FilterKind kind, double bitsPerKey) {
        final List<HashUse> uses = List.of(HashUse.REPEATED, HashUse.SEEDED, HashUse.SHARED);
        final SharingRun run = run(kind, bitsPerKey, levels(), 0, uses);
        final List<TimeSplit> own = run.ofUse(0);
        for (int use = 0; use < uses.size(); use++) {
            final List<TimeSplit> splits = run.ofUse(use);
            final double[] gains = new double[splits.size()];
            for (int round = 0; round < gains.length; round++) {
                gains[round] =
                        PERCENT * (own.get(round).total() / splits.get(round).total() - 1);
            }
            table.row(
                    kind.text(),
                    SharingTable.number(
                            2, filters.of(kind, bitsPerKey, uses.get(use)).bitsPerKey()),
                    uses.get(use).text(),
                    Spread.of(splits.stream().mapToDouble(TimeSplit::total).toArray())
                            .text(0),
                    SharingTable.number(0, SharingTable.median(splits, TimeSplit::cpu)),
                    SharingTable.number(
                            3, PERCENT * splits.get(0).reads() / splits.get(0).visited()),
                    use == 0 ? "" : Spread.of(gains).text(0));
        }
    }

    private int levels() {
        return tree.shape().levels();
    }

    private SharingTable table(String title, String label) {
        return new SharingTable(out, title, label);
    }

    /** How large the first levels of a tree are. */
    static String size(TreeShape shape, int levels) {
        return String.format(Locale.ROOT, "%d, %.1f MB", levels, shape.dataBytes(levels) / 1e6);
    }
}
