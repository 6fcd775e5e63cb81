package dev.loom.bench;

import dev.loom.api.Bins;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.query.DuckDbTable;
import dev.loom.bench.query.Question;
import dev.loom.bench.query.SimulatedCapture;
import dev.loom.bench.query.TelemetryStore;
import dev.loom.bench.scan.FileReads;
import java.io.PrintStream;
import java.math.BigInteger;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Asks a store and a DuckDB table of the same records the same questions, checks that the answers are equal, and compares the
 * times round by round: warm, and cold. Where DuckDB can be asked in several forms, the faster one counts.
 *
 * <p>Warm: the store is in the page cache, and the table in DuckDB's own memory as far as DuckDB keeps it there; the first rounds
 * are discarded. Cold: before each query the files are dropped from the page cache and reopened; opening is not timed.
 */
public final class QueryVersusDuckDb {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "records", "100000000",
        "bins", "log-linear",
        "keyed", "false",
        "rounds", "5",
        "threads", "2,1",
        "cold", "true"
    };
    private static final long INTERVAL_NS = 1_000;
    private static final int DISCARDED = 2;
    private static final double MEBI = 1 << 20;

    private final Arguments arguments;
    private final PrintStream out;
    private final TelemetryStore store;
    private final DuckDbTable table;
    private final List<Integer> threads;
    private final List<Question> questions;

    private QueryVersusDuckDb(
            Arguments arguments, PrintStream out, SimulatedCapture telemetry, TelemetryStore store, DuckDbTable table) {
        this.arguments = arguments;
        this.out = out;
        this.store = store;
        this.table = table;
        threads = arguments.list("threads").stream().map(Integer::parseInt).toList();
        questions = Question.all(telemetry, arguments.flag("keyed"));
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws Exception {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        out.println("QueryVersusDuckDb " + options);
        final SimulatedCapture telemetry =
                SimulatedCapture.ofCalls(Long.parseLong(options.text("records")), INTERVAL_NS);
        try (ScratchDirectory loom = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory duckDb = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")));
                TelemetryStore store = new TelemetryStore(
                        loom.path(),
                        staging.path(),
                        telemetry,
                        Bins.parse(options.text("bins")),
                        options.flag("keyed"),
                        false);
                DuckDbTable table = new DuckDbTable(duckDb.path(), telemetry)) {
            Machine.describe(parent).forEach((name, value) -> out.println(name + ": " + value));
            out.println("duckdb: " + table.version());
            new QueryVersusDuckDb(options, out, telemetry, store, table).run();
        }
    }

    private void run() throws Exception {
        for (final Question question : questions) {
            check(question);
        }
        final List<List<Times>> warm = new ArrayList<>();
        for (int round = -DISCARDED; round < arguments.number("rounds"); round++) {
            final List<Times> times = new ArrayList<>();
            for (final Question question : questions) {
                times.add(warm(question));
            }
            if (round >= 0) {
                warm.add(times);
            }
        }
        print("Warm, milliseconds", warm);
        if (arguments.flag("cold")) {
            final List<List<Times>> cold = new ArrayList<>();
            for (int round = 0; round < arguments.number("rounds"); round++) {
                final List<Times> times = new ArrayList<>();
                for (final Question question : questions) {
                    times.add(cold(question));
                }
                cold.add(times);
            }
            print("Cold, milliseconds", cold);
        }
        out.printf("load at the end: %s%n", Machine.loadAverage());
    }

    private void check(Question question) throws SQLException {
        final List<BigInteger> mine = ask(question).values();
        for (final Question.DuckDb form : question.duckDb()) {
            final List<BigInteger> theirs = form.ask(table);
            if (!mine.equals(theirs)) {
                throw new IllegalStateException("answers differ: question=" + question.name() + ", values="
                        + mine.size() + " and " + theirs.size() + ", loom=" + head(mine) + ", duckdb="
                        + head(theirs));
            }
        }
    }

    private static List<BigInteger> head(List<BigInteger> values) {
        return values.subList(0, Math.min(values.size(), SimulatedCapture.COLUMNS));
    }

    private Question.Answer ask(Question question) {
        return question.loom().ask(store.snapshot(), store.latency());
    }

    /**
     * One round of a question.
     *
     * @param loom milliseconds
     * @param duckDb milliseconds, for each number of threads in the options
     * @param loomReadMiB read from the disk
     * @param duckDbReadMiB read from the disk, with the last number of threads
     */
    private record Times(double loom, List<Double> duckDb, double loomReadMiB, double duckDbReadMiB) {}

    private Times warm(Question question) throws Exception {
        final double loom = QueryTimer.repeated(() -> ask(question)).millis();
        final List<Double> duckDb = new ArrayList<>();
        for (final int count : threads) {
            table.threads(count);
            double fastest = Double.MAX_VALUE;
            for (final Question.DuckDb form : question.duckDb()) {
                fastest = Math.min(
                        fastest, QueryTimer.repeated(() -> form.ask(table)).millis());
            }
            duckDb.add(fastest);
        }
        return new Times(loom, duckDb, 0, 0);
    }

    private Times cold(Question question) throws Exception {
        store.chill();
        FileReads before = FileReads.now();
        final double loom = QueryTimer.once(() -> ask(question)).millis();
        final long loomBytes = FileReads.now().since(before).diskBytes();
        final List<Double> duckDb = new ArrayList<>();
        long duckDbBytes = 0;
        for (final int count : threads) {
            double fastest = Double.MAX_VALUE;
            for (final Question.DuckDb form : question.duckDb()) {
                table.chill();
                table.threads(count);
                before = FileReads.now();
                final double millis = QueryTimer.once(() -> form.ask(table)).millis();
                if (millis < fastest) {
                    fastest = millis;
                    duckDbBytes = FileReads.now().since(before).diskBytes();
                }
            }
            duckDb.add(fastest);
        }
        return new Times(loom, duckDb, loomBytes / MEBI, duckDbBytes / MEBI);
    }

    private void print(String title, List<List<Times>> rounds) {
        final List<String> columns = new ArrayList<>(List.of("question", "loom", "loom read MiB"));
        for (final int count : threads) {
            columns.add("duckdb, threads=" + count);
            columns.add("duckdb : loom");
        }
        columns.add("duckdb read MiB");
        final MarkdownTable printed = new MarkdownTable(out, title, columns.toArray(String[]::new));
        for (int i = 0; i < questions.size(); i++) {
            final int row = i;
            final List<Times> times =
                    rounds.stream().map(round -> round.get(row)).toList();
            final List<String> cells = new ArrayList<>();
            cells.add(questions.get(i).name());
            cells.add(
                    Spread.of(times.stream().mapToDouble(Times::loom).toArray()).text(3));
            cells.add(Spread.of(times.stream().mapToDouble(Times::loomReadMiB).toArray())
                    .medianText(1));
            for (int j = 0; j < threads.size(); j++) {
                final int column = j;
                cells.add(Spread.of(times.stream()
                                .mapToDouble(time -> time.duckDb().get(column))
                                .toArray())
                        .text(3));
                cells.add(Spread.of(times.stream()
                                .mapToDouble(time -> time.duckDb().get(column) / time.loom())
                                .toArray())
                        .text(2));
            }
            cells.add(Spread.of(times.stream().mapToDouble(Times::duckDbReadMiB).toArray())
                    .medianText(1));
            printed.row(cells.toArray(String[]::new));
        }
    }
}
