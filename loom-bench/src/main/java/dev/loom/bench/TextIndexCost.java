package dev.loom.bench;

import dev.loom.bench.compare.Interval;
import dev.loom.bench.push.PushRun;
import dev.loom.bench.push.PushSettings;
import dev.loom.bench.push.ReplayedLines;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.push.TextPush;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Pushes lines of logs with and without a text index, alternating in rounds: as fast as it can, and at a rate. Compares both in each
 * round, and tells what the index took of the processors meanwhile, by which it may slow the writer down where all are busy.
 */
public final class TextIndexCost {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "share", "0.25",
        "rates", "0,1000000",
        "records", "30000000",
        "seconds", "10",
        "lines", "20000",
        "rounds", "5",
        "ring", "128m",
        "segment", "64m",
        "direct", "true"
    };
    private static final double MILLION = 1e6;
    private static final double CONFIDENCE = 0.95;

    /**
     * One run.
     *
     * @param textShare the part of a processor that the index took
     */
    private record Sample(PushRun run, double textShare, long dropped, long indexed) {
        double recordsPerSecond() {
            return run.recordsPerSecond() / MILLION;
        }
    }

    private TextIndexCost() {}

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        final ReplayedLines lines = ReplayedLines.of(options.number("lines"));
        final double share = Double.parseDouble(options.text("share"));
        try (ScratchDirectory disk = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")))) {
            out.println("TextIndexCost " + options);
            Machine.describe(parent).forEach((name, value) -> out.println(name + ": " + value));
            out.println("bytes a line: " + lines.bytes() / lines.count());
            final PushSettings settings = new PushSettings(
                    disk.path(),
                    staging.path(),
                    (int) (lines.bytes() / lines.count()),
                    (int) options.bytes("ring"),
                    options.bytes("segment"),
                    options.flag("direct"));
            for (final String rate : options.list("rates")) {
                final long perSecond = Long.parseLong(rate);
                final long records = perSecond == 0 ? options.number("records") : perSecond * options.number("seconds");
                final List<Sample> without = new ArrayList<>();
                final List<Sample> with = new ArrayList<>();
                for (int round = 0; round <= options.number("rounds"); round++) {
                    // every second round runs in reverse order; the first is discarded
                    final boolean reverse = round % 2 == 1;
                    final Sample first = sample(settings, lines, reverse ? share : 0, perSecond, records);
                    final Sample second = sample(settings, lines, reverse ? 0 : share, perSecond, records);
                    if (round > 0) {
                        without.add(reverse ? second : first);
                        with.add(reverse ? first : second);
                    }
                }
                print(out, perSecond, without, with);
            }
        }
        out.printf("load at the end: %s%n", Machine.loadAverage());
    }

    private static Sample sample(PushSettings settings, ReplayedLines lines, double share, long rate, long records) {
        final TextPush target = new TextPush(settings, lines, share, rate);
        final PushRun run = PushRun.of("share " + share, target, settings, records, () -> {});
        return new Sample(run, target.textShare(), target.dropped(), target.indexed());
    }

    private static void print(PrintStream out, long rate, List<Sample> without, List<Sample> with) {
        final MarkdownTable table = new MarkdownTable(
                out,
                rate == 0 ? "As fast as it takes" : "Records/s: " + rate,
                "text index",
                "M records/s",
                "writer's CPU ns a record",
                "process' CPU ns a record",
                "index, % of a processor",
                "indexed, M records",
                "dropped",
                "others' cores");
        row(table, "off", without);
        row(table, "on", with);
        final double[] rates = ratios(without, with, Sample::recordsPerSecond);
        final double[] cpu = ratios(without, with, sample -> sample.run().writerCpuNsPerRecord());
        table.row("ratio", interval(rates), interval(cpu), "-", "-", "-", "-", "-");
        final double taken =
                with.stream().mapToDouble(Sample::textShare).average().orElse(0)
                        / Runtime.getRuntime().availableProcessors();
        out.printf(Locale.ROOT, "the index took %.3f of all processors%n", taken);
    }

    private static void row(MarkdownTable table, String name, List<Sample> of) {
        table.row(
                name,
                spread(of, Sample::recordsPerSecond).text(2),
                spread(of, sample -> sample.run().writerCpuNsPerRecord()).text(1),
                spread(of, sample -> sample.run().cpuNsPerRecord()).text(1),
                spread(of, sample -> 100 * sample.textShare()).text(1),
                spread(of, sample -> sample.indexed() / MILLION).text(2),
                Long.toString(of.stream().mapToLong(Sample::dropped).sum()),
                spread(of, sample -> sample.run().othersCores()).text(2));
    }

    private static double[] ratios(List<Sample> without, List<Sample> with, ToDoubleFunction<Sample> figure) {
        final double[] ratios = new double[with.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = figure.applyAsDouble(with.get(i)) / figure.applyAsDouble(without.get(i));
        }
        return ratios;
    }

    /** The geometric mean of the rounds' ratios, with its interval by Student's t. */
    private static String interval(double[] ratios) {
        double sum = 0;
        for (final double ratio : ratios) {
            sum += Math.log(ratio);
        }
        final double mean = sum / ratios.length;
        double squares = 0;
        for (final double ratio : ratios) {
            squares += Math.pow(Math.log(ratio) - mean, 2);
        }
        final double degrees = ratios.length - 1.0;
        final double error = degrees > 0 ? Math.sqrt(squares / degrees / ratios.length) : 0;
        final Interval of = Interval.around(mean, error, degrees, CONFIDENCE);
        return String.format(
                Locale.ROOT, "%.3f (%.3f to %.3f)", Math.exp(mean), Math.exp(of.low()), Math.exp(of.high()));
    }

    private static Spread spread(List<Sample> samples, ToDoubleFunction<Sample> figure) {
        return Spread.of(samples.stream().mapToDouble(figure).toArray());
    }
}
