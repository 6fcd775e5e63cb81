package dev.loom.bench;

import dev.loom.api.Bins;
import dev.loom.api.StoreInfo;
import dev.loom.bench.push.IndexedPush;
import dev.loom.bench.push.PushRun;
import dev.loom.bench.push.PushSettings;
import dev.loom.bench.push.ScratchDirectory;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * Pushes records of a source with 0, 1, 4 and 16 indexes, alternating in rounds like {@link PushVersusLimit}. Reports the CPU
 * time that each index adds to a record, and the size of the index logs relative to the record log.
 */
public final class IndexCost {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "payload", "48",
        "indexes", "0,1,4,16",
        "bins", "log-linear",
        "keys", "0",
        "rounds", "5",
        "bytes", "1g",
        "ring", "128m",
        "segment", "1g",
        "direct", "true"
    };
    private static final double MILLION = 1e6;

    /**
     * One run.
     *
     * @param timePercent bytes of the timestamp index, in percent of the record log
     * @param chunkPercent bytes of the chunk index, in percent of the record log
     */
    private record Sample(PushRun run, double timePercent, double chunkPercent) {
        double recordsPerSecond() {
            return run.recordsPerSecond() / MILLION;
        }

        double writerNs() {
            return run.writerCpuNsPerRecord();
        }

        double allocated() {
            return (double) run.allocatedBytes() / run.records();
        }
    }

    private IndexCost() {}

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        final List<Integer> counts =
                options.list("indexes").stream().map(Integer::parseInt).toList();
        final Map<Integer, List<Sample>> samples = new TreeMap<>();
        try (ScratchDirectory disk = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")))) {
            out.println("IndexCost " + options);
            Machine.describe(parent).forEach((name, value) -> out.println(name + ": " + value));
            final PushSettings settings = new PushSettings(
                    disk.path(),
                    staging.path(),
                    options.number("payload"),
                    (int) options.bytes("ring"),
                    options.bytes("segment"),
                    options.flag("direct"));
            final long records = options.bytes("bytes") / settings.recordLength();
            for (int round = 0; round <= options.number("rounds"); round++) {
                final List<Integer> order = new ArrayList<>(counts);
                if (round % 2 == 1) {
                    Collections.reverse(order);
                }
                for (final int count : order) {
                    final Sample sample = sample(settings, count, options, records);
                    if (round > 0) {
                        samples.computeIfAbsent(count, unused -> new ArrayList<>())
                                .add(sample);
                    }
                }
            }
        }
        print(out, counts.get(0), samples);
        out.printf("load at the end: %s%n", Machine.loadAverage());
    }

    private static Sample sample(PushSettings settings, int indexes, Arguments options, long records) {
        final IndexedPush target =
                new IndexedPush(settings, indexes, Bins.parse(options.text("bins")), options.number("keys"));
        final double[] percents = new double[2];
        final PushRun run = PushRun.of(indexes + " indexes", target, settings, records, () -> {
            final StoreInfo info = target.info();
            final double recordBytes = info.records().tail();
            percents[0] = 100 * info.times().tail() / recordBytes;
            percents[1] = 100 * info.chunks().tail() / recordBytes;
        });
        return new Sample(run, percents[0], percents[1]);
    }

    private static void print(PrintStream out, int base, Map<Integer, List<Sample>> samples) {
        final MarkdownTable table = new MarkdownTable(
                out,
                "Pushing",
                "indexes",
                "M records/s",
                "writer's CPU ns a record",
                "for each index",
                "process' CPU ns a record",
                "timestamp index, % of records",
                "chunk index, % of records",
                "B a record allocated",
                "others' cores");
        final List<Sample> bases = samples.getOrDefault(base, List.of());
        samples.forEach((count, of) -> {
            final double[] each = new double[of.size()];
            for (int i = 0; i < each.length; i++) {
                each[i] = (of.get(i).writerNs() - bases.get(i).writerNs()) / Math.max(1, count - base);
            }
            table.row(
                    Integer.toString(count),
                    spread(of, Sample::recordsPerSecond).text(2),
                    spread(of, Sample::writerNs).text(1),
                    count == base ? "-" : Spread.of(each).text(1),
                    spread(of, sample -> sample.run().cpuNsPerRecord()).text(1),
                    String.format(Locale.ROOT, "%.3f", of.get(0).timePercent()),
                    String.format(Locale.ROOT, "%.3f", of.get(0).chunkPercent()),
                    spread(of, Sample::allocated).text(4),
                    spread(of, sample -> sample.run().othersCores()).medianText(2));
        });
    }

    private static Spread spread(List<Sample> samples, ToDoubleFunction<Sample> figure) {
        return Spread.of(samples.stream().mapToDouble(figure).toArray());
    }
}
