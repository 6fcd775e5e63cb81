package dev.loom.bench;

import dev.loom.bench.figure.FigureCells;
import dev.loom.bench.figure.FigureResult;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints the tables of {@code docs/evaluation.md} from the raw results in a folder. A figure that was not measured is left out. */
public final class Tables {
    private static final String[] DEFAULTS = {"results", "target/evaluation"};
    private static final String LOOM = "loom";
    private static final String RECORDER = "loom-recorder";
    private static final String RAW_FILE = "rawfile";
    private static final String IDEALISED = " (idealised)";
    private static final double MS = 1_000;

    private final PrintStream out;
    private final Path folder;

    private Tables(PrintStream out, Path folder) {
        this.out = out;
        this.folder = folder;
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) {
        final Tables tables =
                new Tables(out, Path.of(Arguments.parse(arguments, DEFAULTS).text("results")));
        tables.rates();
        tables.found();
        tables.questions("live", "while records arrive");
        tables.questions("idle", "when all records are there");
        tables.probes();
        tables.ingest("1", "one thread", LOOM);
        tables.ingest("2", "two threads", RECORDER);
        tables.slowDown();
        tables.values("16", "latency", "Figure 16, ms");
        tables.values("17", "exceeded-by-0.00001", "Figure 17, calls above all but one in 100,000, ms");
        tables.values("17", "exceeded-by-0.001", "Figure 17, calls above all but one in 1,000, ms");
        tables.growth();
    }

    private boolean has(String figure) {
        return Files.exists(file(figure));
    }

    private Path file(String figure) {
        return folder.resolve("figure-" + figure + ".json");
    }

    private FigureCells cells(String figure) {
        return new FigureCells(FigureResult.read(file(figure)));
    }

    private void table(String title, List<String> columns, List<List<String>> rows) {
        final MarkdownTable table = new MarkdownTable(out, title, columns.toArray(String[]::new));
        rows.forEach(row -> table.row(row.toArray(String[]::new)));
    }

    private static List<String> row(String first, Stream<String> rest) {
        return Stream.concat(Stream.of(first), rest).toList();
    }

    private void rates() {
        if (!has("2")) {
            return;
        }
        final FigureCells cells = cells("2");
        final List<String> rates = cells.places("cpu");
        final List<List<String>> rows = new ArrayList<>();
        for (final String system : cells.series("cpu")) {
            final Function<String, String> joined = panel -> rates.stream()
                    .map(rate -> cells.median(panel, system, rate))
                    .collect(Collectors.joining("; "));
            rows.add(row(
                    system,
                    Stream.concat(
                            rates.stream()
                                    .map(rate -> system.equals(LOOM)
                                            ? cells.values("cpu-time", system, rate, 1)
                                            : cells.ratio("cpu-time", system, LOOM, rate)),
                            Stream.of(joined.apply("cpu"), joined.apply("drops")))));
        }
        final Stream<String> columns =
                rates.stream().map(rate -> String.format(Locale.ROOT, "%,d records/s", Long.parseLong(rate)));
        table(
                "Figure 2: CPU of Loom in ns a stored record, of others as ratios to it",
                row("system", Stream.concat(columns, Stream.of("CPU of the machine, %", "dropped, %"))),
                rows);
    }

    private void found() {
        values("3", "found", "Figure 3, found, %");
        for (final String workload : List.of("redis", "rocksdb")) {
            values("11", "drops-" + workload, "Figure 11, " + workload + ", dropped, %");
            values("11", "missing-" + workload, "Figure 11, " + workload + ", missing from answers, %");
        }
    }

    private void questions(String panel, String title) {
        for (final String figure : List.of("12", "13")) {
            if (has(figure)) {
                final FigureCells cells = cells(figure);
                final List<String> peers = Stream.concat(cells.series("live").stream(), cells.series("idle").stream())
                        .map(system -> system.replace(IDEALISED, ""))
                        .distinct()
                        .filter(system -> !system.equals(LOOM))
                        .toList();
                table(
                        "Figure " + figure + ", " + title + ": Loom in ms, others as ratios to it",
                        row("question", Stream.concat(Stream.of(LOOM), peers.stream())),
                        cells.places(panel).stream()
                                .map(question -> row(
                                        question,
                                        Stream.concat(
                                                Stream.of(cells.values(panel, LOOM, question, MS)),
                                                peers.stream().map(peer -> peer(cells, panel, peer, question)))))
                                .toList());
            }
        }
    }

    private static String peer(FigureCells cells, String panel, String peer, String question) {
        return cells.has(panel, peer + IDEALISED, question)
                ? cells.ratio(panel, peer + IDEALISED, LOOM, question) + "*"
                : cells.ratio(panel, peer, LOOM, question);
    }

    private void probes() {
        if (!has("14")) {
            return;
        }
        final FigureCells cells = cells("14");
        for (final String application : cells.places("effect")) {
            table(
                    "Figure 14, " + application,
                    List.of("sink", "loses, %", "more than beside a raw file", "sink's CPU ns a record", "later"),
                    cells.series("effect").stream()
                            .map(sink -> List.of(
                                    sink,
                                    cells.values("effect", sink, application, 1),
                                    cells.difference("effect", sink, RAW_FILE, application),
                                    cells.values("cpu-time", sink, application, 1),
                                    cells.median("later", sink, application)))
                            .toList());
        }
    }

    private void ingest(String threads, String title, String base) {
        final String rate = "rate-" + threads;
        final String cpu = "cpu-" + threads;
        if (!has("15")) {
            return;
        }
        final FigureCells cells = cells("15");
        final List<String> sizes = cells.places(rate);
        final List<List<String>> rows = new ArrayList<>();
        final List<String> others = cells.series(rate).stream()
                .filter(target -> !target.equals(base))
                .toList();
        for (final String target : row(base, others.stream())) {
            final boolean own = target.equals(base);
            rows.add(row(
                    target,
                    sizes.stream()
                            .map(size -> own
                                    ? cells.values(rate, target, size, 1) + "; " + cells.values(cpu, target, size, 1)
                                    : cells.ratio(rate, target, base, size) + "; "
                                            + cells.ratio(cpu, target, base, size))));
        }
        table(
                "Figure 15, " + title + ": M records/s and CPU ns a record of " + base + ", of others as ratios to it",
                row("target", sizes.stream().map(size -> size + " B")),
                rows);
    }

    private void slowDown() {
        if (has("15")) {
            FigureResult.read(file("15")).panels().stream()
                    .filter(panel -> panel.name().startsWith("slow-down"))
                    .forEach(panel -> values("15", panel.name(), "Figure 15, " + panel.name() + ", %"));
        }
    }

    private void growth() {
        for (final String panel : List.of("with-runs", "without-runs", "ingest")) {
            values("growth", panel, "How cost grows, " + panel + ", ms or M records/s");
        }
    }

    /** A panel as it is, a row for each place. */
    private void values(String figure, String panel, String title) {
        if (has(figure)) {
            final FigureCells cells = cells(figure);
            final List<String> series = cells.series(panel);
            table(
                    title,
                    row("", series.stream()),
                    cells.places(panel).stream()
                            .map(x -> row(x, series.stream().map(each -> cells.values(panel, each, x, 1))))
                            .toList());
        }
    }
}
