package dev.loom.bench;

import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.search.Ingest;
import dev.loom.bench.search.Latencies;
import dev.loom.bench.search.QuestionClass;
import dev.loom.bench.search.SearchComparison;
import dev.loom.bench.search.SearchSide;
import dev.loom.bench.search.Sides;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Tables 1 to 4 and Figure 9 of ESTELLE: takes the same log into stores with either text index, ClickHouse and Lucene, and asks them
 * and {@code grep} for the ten newest lines that have words. All answers are checked against what the log was made of.
 */
public final class SearchVersusPeers {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "keep", "",
        "staging", "/dev/shm",
        "logs", System.getProperty("loom.logs", ""),
        "bytes", "5g",
        "seed", "1",
        "sides", "loom-filter,loom,clickhouse,clickhouse-all,clickhouse-text,lucene,grep",
        "tables", "full-text,prefix,and,histogram,estimates",
        "words", "20",
        "repetitions", "50",
        "cold", "3",
        "seconds", "10",
        "segment", "64m",
        "peers", "loom-bench/peers",
        "python", "python3",
        "java", "java",
        "lucene", "lucene-core.jar"
    };
    private static final double MEGA = 1e6;
    private static final double MILLI = 1e6;
    private static final double SECOND = 1e9;
    private static final double PERCENT = 100;

    private final Arguments arguments;
    private final PrintStream out;
    private final SearchComparison comparison;

    private SearchVersusPeers(Arguments arguments, PrintStream out, SearchComparison comparison) {
        this.arguments = arguments;
        this.out = out;
        this.comparison = comparison;
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws IOException {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws IOException {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        out.println("SearchVersusPeers " + options);
        final List<Sides.Name> sides = options.list("sides").stream()
                .map(side -> Sides.Name.valueOf(constant(side)))
                .toList();
        final List<QuestionClass.Table> tables = options.list("tables").stream()
                .map(table -> QuestionClass.Table.valueOf(constant(table)))
                .toList();
        final String kept = options.text("keep");
        try (ScratchDirectory scratch = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")));
                SearchComparison comparison = new SearchComparison(
                        Path.of(options.text("logs")),
                        options.bytes("bytes"),
                        options.number("words"),
                        options.number("seed"),
                        sides,
                        new Sides.Places(
                                kept.isEmpty() ? scratch.path() : Files.createDirectories(Path.of(kept)),
                                staging.path(),
                                Path.of(options.text("peers")),
                                options.text("python"),
                                options.text("java"),
                                options.text("lucene"),
                                options.bytes("segment")))) {
            Machine.describe(parent).forEach((name, value) -> out.println(name + ": " + value));
            comparison.sides().forEach(side -> out.println(side.name() + ": " + side.description()));
            out.println("log: " + comparison.lines() + " lines, " + comparison.bytes() + " bytes");
            new SearchVersusPeers(options, out, comparison).run(tables);
        }
    }

    private static String constant(String name) {
        return name.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    private void run(List<QuestionClass.Table> tables) throws IOException {
        ingest();
        for (QuestionClass.Table table : tables) {
            if (table == QuestionClass.Table.ESTIMATES) {
                estimate();
            } else {
                ask(table);
            }
        }
        out.println("load at the end: " + Machine.loadAverage());
    }

    private void ingest() throws IOException {
        final MarkdownTable rows = new MarkdownTable(
                out,
                "Figure 9: ingest and storage",
                "side",
                "MB/s of CPU",
                "until the last line is accepted, MB/s of CPU",
                "MB/s",
                "MB stored",
                "of the log",
                "parts, MB");
        final double megabytes = comparison.bytes() / MEGA;
        for (SearchSide side : comparison.sides()) {
            if (side.takesIn()) {
                final Ingest ingest = comparison.ingest(side);
                final Map<String, Long> parts = comparison.stored(side);
                final double stored =
                        parts.values().stream().mapToLong(Long::longValue).sum() / MEGA;
                rows.row(
                        side.name(),
                        text("%.1f", megabytes / (ingest.cpuNs() / SECOND)),
                        text("%.1f", megabytes / (ingest.firstCpuNs() / SECOND)),
                        text("%.1f", megabytes / (ingest.elapsedNs() / SECOND)),
                        text("%.1f", stored),
                        text("%.3f", stored / megabytes),
                        parts.entrySet().stream()
                                .limit(8)
                                .map(part -> part.getKey() + text(" %.1f", part.getValue() / MEGA))
                                .collect(Collectors.joining(", ")));
            }
        }
    }

    private void ask(QuestionClass.Table table) throws IOException {
        final MarkdownTable rows = new MarkdownTable(
                out,
                table.title(),
                "words",
                "lines",
                "side",
                "warm, ms: mean; p50; p99",
                "CPU, ms: mean; of the time",
                "questions",
                "cold, ms: mean; p50; p99",
                "questions");
        for (QuestionClass questions : comparison.classes()) {
            if (questions.table() == table && !questions.questions().isEmpty()) {
                for (SearchSide side : comparison.sides()) {
                    ask(rows, questions, side);
                }
            }
        }
    }

    private void ask(MarkdownTable rows, QuestionClass questions, SearchSide side) throws IOException {
        final long limitNs = (long) (arguments.number("seconds") * SECOND);
        final Latencies warm = comparison.warm(side, questions, arguments.number("repetitions"), limitNs);
        final int cold = arguments.number("cold");
        final boolean skipped = cold == 0 || warm.mean() * MILLI > limitNs;
        final Latencies disk = skipped ? null : comparison.cold(side, questions, cold, limitNs);
        rows.row(
                questions.name(),
                comparison.lines(questions),
                side.name(),
                warm.text(),
                warm.cpuText(),
                Integer.toString(warm.queries()),
                disk == null ? "-" : disk.text(),
                disk == null ? "-" : Integer.toString(disk.queries()));
    }

    private void estimate() throws IOException {
        final MarkdownTable rows = new MarkdownTable(
                out,
                QuestionClass.Table.ESTIMATES.title(),
                "words",
                "side",
                "round",
                "questions",
                "ms: mean; p50; p99",
                "CPU, ms: mean; of the time",
                "pages read, mean",
                "sum is wrong by, %: mean; most",
                "steps are wrong by, %: mean",
                "intervals that hold, %: sum; steps");
        for (QuestionClass questions : comparison.classes()) {
            if (questions.table() == QuestionClass.Table.HISTOGRAM) {
                for (SearchSide side : comparison.sides()) {
                    comparison
                            .estimates(side, questions)
                            .forEach((round, errors) -> rows.row(
                                    questions.name(),
                                    side.name(),
                                    Integer.toString(round),
                                    Integer.toString(errors.questions()),
                                    errors.latencies().text(),
                                    errors.latencies().cpuText(),
                                    text("%.0f", errors.pages()),
                                    text("%.3f", errors.meanOfSums() * PERCENT) + "; "
                                            + text("%.3f", errors.mostOfSums() * PERCENT),
                                    text("%.3f", errors.meanOfSteps() * PERCENT),
                                    text("%.1f", errors.sumsHeld() * PERCENT) + "; "
                                            + text("%.1f", errors.stepsHeld() * PERCENT)));
                }
            }
        }
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
