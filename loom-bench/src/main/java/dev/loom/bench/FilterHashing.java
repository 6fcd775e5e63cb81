package dev.loom.bench;

import dev.loom.bench.lsm.HashFunction;
import dev.loom.bench.lsm.KeyFilter;
import dev.loom.bench.lsm.KeyHash;
import dev.loom.bench.lsm.LookupCost;
import dev.loom.bench.push.CpuTime;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Hash sharing within one filter ("Reducing Bloom filter CPU overhead in LSM-trees", Tables 1 to 3, Figures 2 and 3): what a
 * digest takes, and what filters take whose indexes have hash functions of their own, against one digest, rotated, and two. Keys
 * are absent ones. Times are CPU time, which other work on the machine disturbs less.
 */
public final class FilterHashing {
    private static final String[] DEFAULTS = {
        "keys", "10000",
        "lookups", "100000",
        "bits-per-key", "10",
        "key-lengths", "8,16,32,64,128,256,512,1024",
        "rounds", "7",
        "filters", "20"
    };
    private static final List<HashFunction> ALL = List.of(HashFunction.values());
    private static final List<HashFunction> SEEDED =
            List.of(HashFunction.MM, HashFunction.MM64, HashFunction.XX, HashFunction.TOKEN);
    private static final long PERCENT = 100;

    private final Arguments arguments;
    private final PrintStream out;
    private final int indexes;

    private FilterHashing(Arguments arguments, PrintStream out) {
        this.arguments = arguments;
        this.out = out;
        indexes = LookupCost.indexes(arguments.number("bits-per-key"));
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws Exception {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        out.println("FilterHashing " + options);
        Machine.describe(Path.of(".")).forEach((name, value) -> out.println(name + ": " + value));
        final FilterHashing workload = new FilterHashing(options, out);
        workload.digests();
        workload.rates();
        workload.elasticRates();
        workload.latencies("Figure 2", workload.singles());
        workload.latencies("Figure 3", workload.elastics());
    }

    /** A filter to be filled. */
    @FunctionalInterface
    private interface Fresh {
        KeyFilter make();
    }

    private int bits() {
        return arguments.number("keys") * arguments.number("bits-per-key");
    }

    /** Table 1, lower half. */
    private void digests() {
        final List<Integer> lengths = lengths();
        final List<String> columns = new ArrayList<>(List.of("digest"));
        lengths.forEach(length -> columns.add(length + " bytes"));
        final MarkdownTable table =
                new MarkdownTable(out, "Table 1: a digest, ns, by the key's length", columns.toArray(String[]::new));
        final List<KeyHash> hashes = ALL.stream().map(HashFunction::create).toList();
        final List<List<String>> rows = new ArrayList<>();
        ALL.forEach(hash -> rows.add(new ArrayList<>(List.of(hash.name()))));
        for (final int length : lengths) {
            final byte[][] keys = KeyFilter.keys(arguments.number("keys") / 10, length, 0);
            final double[][] ns = new double[ALL.size()][arguments.number("rounds")];
            for (int round = -1; round < arguments.number("rounds"); round++) {
                for (int i = 0; i < ns.length; i++) {
                    final double time = digestNs(hashes.get(i), keys);
                    if (round >= 0) {
                        ns[i][round] = time;
                    }
                }
            }
            for (int i = 0; i < ns.length; i++) {
                rows.get(i).add(Spread.of(ns[i]).medianText(0));
            }
        }
        rows.forEach(cells -> table.row(cells.toArray(String[]::new)));
    }

    private double digestNs(KeyHash hash, byte[][] keys) {
        final int passes = Math.max(1, arguments.number("lookups") / keys.length);
        long sum = 0;
        final long startNs = CpuTime.threadNs();
        for (int pass = 0; pass < passes; pass++) {
            for (final byte[] key : keys) {
                sum += hash.digest(key, pass);
            }
        }
        final long elapsedNs = CpuTime.threadNs() - startNs;
        if (sum == 0) {
            throw new IllegalStateException("digests sum up to nothing");
        }
        return (double) elapsedNs / passes / keys.length;
    }

    /** Table 2. */
    private void rates() {
        final Map<String, Fresh> filters = new LinkedHashMap<>();
        ALL.forEach(hash -> filters.put(hash + ", rotated", () -> KeyFilter.rotated(hash, indexes, bits(), false)));
        filters.put("all " + indexes, () -> KeyFilter.ofMany(own(), bits(), false));
        rates("Table 2: one array of bits", filters);
    }

    /** Table 3. */
    private void elasticRates() {
        final Map<String, Fresh> filters = new LinkedHashMap<>();
        for (final HashFunction hash :
                List.of(HashFunction.MM64, HashFunction.XX, HashFunction.CRC, HashFunction.TOKEN)) {
            filters.put(hash + ", rotated", () -> KeyFilter.rotated(hash, indexes, bits(), true));
        }
        for (final HashFunction hash : List.of(HashFunction.XX, HashFunction.CRC, HashFunction.TOKEN)) {
            filters.put(hash + " + MM64", () -> KeyFilter.doubled(HashFunction.MM64, hash, indexes, bits(), true));
        }
        filters.put("own hash a unit, all " + indexes, () -> KeyFilter.ofMany(own(), bits(), true));
        filters.put("own hash a unit, MM64 seeded", () -> KeyFilter.ofMany(seeded(), bits(), true));
        rates("Table 3: ElasticBF, " + indexes + " units of one index", filters);
    }

    /** As many different functions as there are; then those that have a seed begin again, with other ones. */
    private List<HashFunction> own() {
        final List<HashFunction> hashes = new ArrayList<>();
        for (int i = 0; i < indexes; i++) {
            hashes.add(i < ALL.size() ? ALL.get(i) : SEEDED.get((i - ALL.size()) % SEEDED.size()));
        }
        return hashes;
    }

    private List<HashFunction> seeded() {
        return Collections.nCopies(indexes, HashFunction.MM64);
    }

    private void rates(String title, Map<String, Fresh> filters) {
        final int length = Math.min(512, Collections.max(lengths()));
        final int count = arguments.number("filters");
        final MarkdownTable table = new MarkdownTable(
                out,
                title + ", " + arguments.text("bits-per-key") + " bits a key, keys of " + length + " bytes, mean of "
                        + count + " filters",
                "hash",
                "wrong, %",
                "half of the interval of 95 %",
                "equation 1, %");
        final double expected = LookupCost.falsePositives(arguments.number("bits-per-key"));
        filters.forEach((name, fresh) -> {
            final double[] rates = new double[count];
            for (int i = 0; i < count; i++) {
                final long first = (long) i << Integer.SIZE;
                rates[i] = filled(fresh, length, first)
                        .passed(KeyFilter.keys(arguments.number("lookups"), length, first + (1L << 31)));
            }
            table.row(name, percent(mean(rates)), percent(halfInterval(rates)), percent(expected));
        });
    }

    private KeyFilter filled(Fresh fresh, int length, long first) {
        final KeyFilter filter = fresh.make();
        for (final byte[] key : KeyFilter.keys(arguments.number("keys"), length, first)) {
            filter.add(key);
        }
        return filter;
    }

    private static double mean(double[] values) {
        double sum = 0;
        for (final double value : values) {
            sum += value;
        }
        return sum / values.length;
    }

    private static double halfInterval(double[] values) {
        final double mean = mean(values);
        double squares = 0;
        for (final double value : values) {
            squares += (value - mean) * (value - mean);
        }
        return values.length < 2 ? 0 : 1.96 * Math.sqrt(squares / (values.length - 1) / values.length);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.3f", share * PERCENT);
    }

    private Map<String, Fresh> singles() {
        final Map<String, Fresh> filters = new LinkedHashMap<>();
        filters.put("all " + indexes, () -> KeyFilter.ofMany(own(), bits(), false));
        filters.put("MM64, " + indexes + " seeds", () -> KeyFilter.ofMany(seeded(), bits(), false));
        filters.put("MD5, rotated", () -> KeyFilter.rotated(HashFunction.MD5, indexes, bits(), false));
        filters.put("MM64, rotated", () -> KeyFilter.rotated(HashFunction.MM64, indexes, bits(), false));
        return filters;
    }

    private Map<String, Fresh> elastics() {
        final Map<String, Fresh> filters = new LinkedHashMap<>();
        filters.put("all " + indexes, () -> KeyFilter.ofMany(own(), bits(), true));
        filters.put("MM64, " + indexes + " seeds", () -> KeyFilter.ofMany(seeded(), bits(), true));
        filters.put("XX + MM64", () -> KeyFilter.doubled(HashFunction.MM64, HashFunction.XX, indexes, bits(), true));
        filters.put("MM64, rotated", () -> KeyFilter.rotated(HashFunction.MM64, indexes, bits(), true));
        return filters;
    }

    /** A row for each length of keys; the filters take turns. */
    private void latencies(String figure, Map<String, Fresh> filters) {
        final List<String> columns = new ArrayList<>(List.of("key, bytes"));
        columns.addAll(filters.keySet());
        final String last = columns.get(columns.size() - 1);
        filters.keySet().stream().filter(name -> !name.equals(last)).forEach(name -> columns.add(name + " : " + last));
        final MarkdownTable table = new MarkdownTable(
                out, figure + ": a lookup of an absent key, ns; ratios", columns.toArray(String[]::new));
        final int rounds = arguments.number("rounds");
        for (final int length : lengths()) {
            final byte[][] keys = KeyFilter.keys(arguments.number("keys"), length, 1L << 31);
            final List<KeyFilter> filled = filters.values().stream()
                    .map(fresh -> filled(fresh, length, 0))
                    .toList();
            final double[][] ns = new double[filled.size()][rounds];
            for (int round = -1; round < rounds; round++) {
                for (int i = 0; i < filled.size(); i++) {
                    final double time = lookupNs(filled.get(i), keys);
                    if (round >= 0) {
                        ns[i][round] = time;
                    }
                }
            }
            final List<String> cells = new ArrayList<>(List.of(Integer.toString(length)));
            for (final double[] times : ns) {
                cells.add(Spread.of(times).medianText(0));
            }
            for (int i = 0; i < ns.length - 1; i++) {
                final double[] ratios = new double[rounds];
                for (int round = 0; round < rounds; round++) {
                    ratios[round] = ns[i][round] / ns[ns.length - 1][round];
                }
                cells.add(Spread.of(ratios).text(2));
            }
            table.row(cells.toArray(String[]::new));
        }
    }

    private double lookupNs(KeyFilter filter, byte[][] keys) {
        final int passes = Math.max(1, arguments.number("lookups") / keys.length);
        double passed = 0;
        final long startNs = CpuTime.threadNs();
        for (int pass = 0; pass < passes; pass++) {
            passed += filter.passed(keys);
        }
        final long elapsedNs = CpuTime.threadNs() - startNs;
        if (passed >= passes) {
            throw new IllegalStateException("filter never says no");
        }
        return (double) elapsedNs / passes / keys.length;
    }

    private List<Integer> lengths() {
        return arguments.list("key-lengths").stream().map(Integer::valueOf).toList();
    }
}
