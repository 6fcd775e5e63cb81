package dev.loom.bench;

import dev.loom.api.Bins;
import dev.loom.bench.groups.ClickHouseTable;
import dev.loom.bench.groups.GroupPeer;
import dev.loom.bench.groups.GroupQuestion;
import dev.loom.bench.groups.RequestStore;
import dev.loom.bench.groups.RequestTable;
import dev.loom.bench.groups.SimulatedRequests;
import dev.loom.bench.push.ScratchDirectory;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Asks a store, a DuckDB table and a ClickHouse table of the same requests the same questions by groups, checks that the answers are
 * equal, and compares the times round by round: warm, and cold.
 *
 * <p>Warm: files are in the page cache or in the engine's own memory; the first rounds are discarded. Cold: before each question the
 * files are dropped from the page cache, and from the engine's memory; that is not timed.
 */
public final class GroupsVersusPeers {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "records", "10000000",
        "seed", "1",
        "bins", "log-linear",
        "keyed", "false",
        "rounds", "5",
        "threads", "2,1",
        "clickhouse", "",
        "peers", "loom-bench/peers",
        "questions", "",
        "cold", "true"
    };
    private static final int DISCARDED = 2;
    private static final long BATCH_NS = 20_000_000;
    private static final double MILLI = 1e6;

    private final Arguments arguments;
    private final PrintStream out;
    private final List<GroupQuestion> questions;
    private final List<GroupPeer> peers;
    private final List<Side> sides = new ArrayList<>();

    /** An engine, and how many threads it may take. */
    private record Side(GroupPeer peer, int threads) {
        GroupPeer.Answer ask(GroupQuestion question) throws Exception {
            return peer.ask(question, threads);
        }

        String name() {
            return peer.name() + ", threads=" + threads;
        }
    }

    /** @param peers the store first, which takes one thread */
    private GroupsVersusPeers(Arguments arguments, PrintStream out, SimulatedRequests requests, List<GroupPeer> peers) {
        this.arguments = arguments;
        this.out = out;
        questions = GroupQuestion.all(requests).stream()
                .filter(question -> question.name().contains(arguments.text("questions")))
                .toList();
        this.peers = peers;
        sides.add(new Side(peers.get(0), 1));
        for (final GroupPeer peer : peers.subList(1, peers.size())) {
            arguments.list("threads").forEach(threads -> sides.add(new Side(peer, Integer.parseInt(threads))));
        }
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws Exception {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) throws Exception {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir")).toAbsolutePath();
        out.println("GroupsVersusPeers " + options);
        final SimulatedRequests requests =
                new SimulatedRequests(Long.parseLong(options.text("records")), options.number("seed"));
        try (ScratchDirectory loom = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory duckDb = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory clickHouse = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(options.text("staging")));
                RequestStore store = new RequestStore(
                        loom.path(),
                        staging.path(),
                        requests,
                        Bins.parse(options.text("bins")),
                        options.flag("keyed") ? List.of("region", "service") : List.of());
                RequestTable table = new RequestTable(duckDb.path(), requests)) {
            Machine.describe(parent).forEach((name, value) -> out.println(name + ": " + value));
            if (options.text("clickhouse").isEmpty()) {
                new GroupsVersusPeers(options, out, requests, List.of(store, table)).run();
                return;
            }
            final Path parquet = clickHouse.path().resolve("requests.parquet");
            table.export(parquet);
            try (ClickHouseTable other = new ClickHouseTable(
                    clickHouse.path(), options.text("clickhouse"), Path.of(options.text("peers")), parquet)) {
                Files.delete(parquet);
                new GroupsVersusPeers(options, out, requests, List.of(store, table, other)).run();
            }
        }
    }

    private void run() throws Exception {
        for (final GroupPeer peer : peers) {
            out.println(peer.name() + ": " + peer.description());
        }
        for (final GroupQuestion question : questions) {
            check(question);
        }
        final Times[][][] warm = rounds(DISCARDED, GroupsVersusPeers::warm);
        print("Warm, milliseconds", warm, Times::millis);
        print("Warm, milliseconds of CPU", warm, Times::cpuMillis);
        if (arguments.flag("cold")) {
            print("Cold, milliseconds", rounds(0, GroupsVersusPeers::cold), Times::millis);
        }
        out.printf("load at the end: %s%n", Machine.loadAverage());
    }

    private void check(GroupQuestion question) throws Exception {
        final List<List<Object>> mine = sides.get(0).ask(question).rows();
        for (final Side side : sides.subList(1, sides.size())) {
            final List<List<Object>> theirs = side.ask(question).rows();
            final int row = question.disagreement(mine, theirs);
            if (row >= 0) {
                throw new IllegalStateException("answers differ: question=" + question.name() + ", row=" + row
                        + ", loom=" + show(mine, row) + ", " + side.name() + "=" + show(theirs, row));
            }
        }
    }

    private static String show(List<List<Object>> rows, int row) {
        return (row < rows.size() ? rows.get(row) : "none") + " of " + rows.size();
    }

    /**
     * How long a question took.
     *
     * @param cpuMillis of all threads that worked on it, which other work on the machine disturbs less
     */
    private record Times(double millis, double cpuMillis) {}

    /** Times one question. */
    @FunctionalInterface
    private interface Timer {
        Times ask(Side side, GroupQuestion question) throws Exception;
    }

    /** The mean of as many runs as take 20 ms, at least one. */
    private static Times warm(Side side, GroupQuestion question) throws Exception {
        long runs = 0;
        long elapsedNs = 0;
        long cpuNs = 0;
        while (elapsedNs < BATCH_NS) {
            final GroupPeer.Answer answer = side.ask(question);
            elapsedNs += answer.elapsedNs();
            cpuNs += answer.cpuNs();
            runs++;
        }
        return new Times(elapsedNs / MILLI / runs, cpuNs / MILLI / runs);
    }

    private static Times cold(Side side, GroupQuestion question) throws Exception {
        side.peer.chill();
        final GroupPeer.Answer answer = side.ask(question);
        return new Times(answer.elapsedNs() / MILLI, answer.cpuNs() / MILLI);
    }

    /** The times of each question, side and round. */
    private Times[][][] rounds(int discarded, Timer timer) throws Exception {
        final int rounds = arguments.number("rounds");
        final Times[][][] times = new Times[questions.size()][sides.size()][rounds];
        for (int round = -discarded; round < rounds; round++) {
            for (int question = 0; question < times.length; question++) {
                for (int side = 0; side < sides.size(); side++) {
                    final Times asked = timer.ask(sides.get(side), questions.get(question));
                    if (round >= 0) {
                        times[question][side][round] = asked;
                    }
                }
            }
        }
        return times;
    }

    private void print(String title, Times[][][] times, ToDoubleFunction<Times> what) {
        final List<String> columns = new ArrayList<>(List.of("question"));
        sides.forEach(side -> columns.add(side.name()));
        sides.subList(1, sides.size()).forEach(side -> columns.add(side.name() + " : loom"));
        final MarkdownTable rows = new MarkdownTable(out, title, columns.toArray(String[]::new));
        for (int question = 0; question < times.length; question++) {
            final List<String> cells =
                    new ArrayList<>(List.of(questions.get(question).name()));
            final Times[][] asked = times[question];
            for (final Times[] rounds : asked) {
                cells.add(Spread.of(Arrays.stream(rounds).mapToDouble(what).toArray())
                        .text(2));
            }
            for (int side = 1; side < asked.length; side++) {
                final Times[] loom = asked[0];
                final Times[] peer = asked[side];
                cells.add(Spread.of(IntStream.range(0, loom.length)
                                .mapToDouble(round -> what.applyAsDouble(peer[round]) / what.applyAsDouble(loom[round]))
                                .toArray())
                        .text(2));
            }
            rows.row(cells.toArray(String[]::new));
        }
    }
}
