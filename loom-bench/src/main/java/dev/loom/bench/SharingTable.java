package dev.loom.bench;

import dev.loom.bench.lsm.LookupCost;
import dev.loom.bench.lsm.TimeSplit;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * A table of lookups with a digest for each level, and with one, each beside what equations 4 and 5 say of it. The equations know
 * hashing and reading alone; its last column adds what else was measured, the probing and other of lookups with one digest.
 */
final class SharingTable {
    private static final double PERCENT = 100;

    private final MarkdownTable table;

    SharingTable(PrintStream out, String title, String label) {
        table = new MarkdownTable(
                out,
                title,
                label,
                "digest",
                "hashing",
                "probing",
                "I/O",
                "other",
                "total",
                "CPU",
                "hashing, %",
                "equation",
                "reads",
                "gain, %",
                "by equations",
                "and the rest");
    }

    /**
     * Adds two rows.
     *
     * @param falsePositives the rate of one filter that the equations are given; hashing and reading are the measured ones
     */
    void rows(
            String label,
            int levels,
            int ratio,
            double hits,
            double falsePositives,
            List<TimeSplit> own,
            List<TimeSplit> shared) {
        final double hashNs = median(own, TimeSplit::hashing) / own.get(0).visited();
        final LookupCost cost = new LookupCost(levels, ratio, hits, hashNs, readNs(own, shared), falsePositives);
        row(label, "a level", own, cost.digestPerLevel(), "", "", "");
        final double rest = median(shared, TimeSplit::probing) + median(shared, TimeSplit::other);
        final double[] gains = new double[own.size()];
        for (int round = 0; round < gains.length; round++) {
            gains[round] = PERCENT * (own.get(round).total() / shared.get(round).total() - 1);
        }
        row(
                label,
                "shared",
                shared,
                cost.sharedDigest(),
                Spread.of(gains).text(0),
                number(0, PERCENT * cost.gain()),
                number(0, PERCENT * ((cost.digestPerLevel() + rest) / (cost.sharedDigest() + rest) - 1)));
    }

    private void row(String label, String use, List<TimeSplit> splits, double equation, String... gain) {
        final double total = median(splits, TimeSplit::total);
        final List<String> cells = new ArrayList<>(List.of(
                label,
                use,
                number(0, median(splits, TimeSplit::hashing)),
                number(0, median(splits, TimeSplit::probing)),
                number(0, median(splits, TimeSplit::reading)),
                number(0, median(splits, TimeSplit::other)),
                Spread.of(splits.stream().mapToDouble(TimeSplit::total).toArray())
                        .text(0),
                number(0, median(splits, TimeSplit::cpu)),
                number(0, PERCENT * median(splits, TimeSplit::hashing) / total),
                number(0, equation),
                number(4, splits.get(0).reads())));
        cells.addAll(List.of(gain));
        table.row(cells.toArray(String[]::new));
    }

    /** What a read takes, in the median round of both. */
    private static double readNs(List<TimeSplit> own, List<TimeSplit> shared) {
        return Spread.of(Stream.concat(own.stream(), shared.stream())
                        .mapToDouble(TimeSplit::readNs)
                        .toArray())
                .median();
    }

    static double median(List<TimeSplit> splits, ToDoubleFunction<TimeSplit> part) {
        return Spread.of(splits.stream().mapToDouble(part).toArray()).median();
    }

    static String number(int decimals, double value) {
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }
}
