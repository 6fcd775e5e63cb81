package dev.loom.bench.replay;

import dev.loom.bench.search.PeerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * ClickHouse, by {@code chdb} in a process of Python's: {@code peers/clickhouse_replay.py}. As its documentation advises, it gets few large
 * inserts: the rows of a second, or of a million records; the next ones are gathered while one runs.
 */
final class ClickHouseSink implements Sink {
    private static final String DATABASE = "replay";
    private static final String WARM_UP = "warm_up";
    private static final long INSERT_NS = 1_000_000_000;
    private static final long INSERT_RECORDS = 1_000_000;

    /** The level of a percentile whose rank is one higher if level and count give a whole number. */
    private static final String LEVEL = "0.99989999999";

    private final Engine engine;
    private final PeerProcess process;
    private final String database;
    private final RowFiles rows;
    private final BackgroundLoad load = new BackgroundLoad(1);
    private long handedNs = ReplayPlan.BEGIN_NS;

    /** The process, and its connection for inserts. */
    private record Engine(PeerProcess process, Socket connection, Writer inserts, BufferedReader answers) {
        private static Engine start(SinkSettings settings) throws IOException {
            final PeerProcess process = PeerProcess.start(
                    List.of(
                            settings.programs().python(),
                            "-B",
                            settings.programs()
                                    .peers()
                                    .resolve("clickhouse_replay.py")
                                    .toString(),
                            settings.directory().resolve("clickhouse").toString()),
                    settings.directory().resolveSibling("clickhouse.err"));
            try {
                final Socket connection = new Socket(
                        InetAddress.getLoopbackAddress(),
                        Integer.parseInt(process.request("port").get(0)));
                return new Engine(
                        process,
                        connection,
                        new OutputStreamWriter(connection.getOutputStream(), StandardCharsets.UTF_8),
                        new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8)));
            } catch (IOException | RuntimeException e) {
                process.close();
                throw e;
            }
        }

        private void close() throws IOException {
            connection.close();
            process.close();
        }
    }

    ClickHouseSink(SinkSettings settings) throws IOException {
        this(Engine.start(settings), DATABASE, settings);
    }

    private ClickHouseSink(Engine engine, String database, SinkSettings settings) throws IOException {
        this.engine = engine;
        this.database = database;
        process = engine.process();
        rows = new RowFiles(settings.staging());
        try {
            process.request("database", database);
            for (final ReplaySource source :
                    settings.plan().workload().sources(settings.plan().phase())) {
                process.request(
                        "create",
                        source.text(),
                        columns(source.kind()),
                        source.kind() == RecordKind.CALL ? "call, ts_ns" : "ts_ns");
            }
        } catch (IOException | RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    @Override
    public Sink openOther(SinkKind kind, SinkSettings settings) throws IOException {
        return new ClickHouseSink(engine, WARM_UP, settings);
    }

    private static String columns(RecordKind kind) {
        return SqlQuestions.columns(kind).stream()
                .map(column -> column.name() + " "
                        + switch (column.type()) {
                            case "i64" -> "Int64";
                            case "i32" -> "Int32";
                            case "u32" -> "UInt32";
                            case "u16" -> "UInt16";
                            default -> "String";
                        })
                .collect(Collectors.joining(", "));
    }

    @Override
    public String description() throws IOException {
        return process.request("version").get(0);
    }

    @Override
    public void write(BatchSection section) throws IOException {
        rows.add(section);
    }

    @Override
    public void endBatch(long endNs) throws Exception {
        final boolean due = endNs - handedNs >= INSERT_NS || rows.records() >= INSERT_RECORDS;
        if (due && (load.hasRoom() || rows.records() >= INSERT_RECORDS)) {
            hand(endNs);
        }
    }

    private void hand(long endNs) throws Exception {
        final List<RowFiles.Rows> taken = rows.take();
        load.hand(() -> insert(taken), endNs);
        handedNs = endNs;
    }

    private void insert(List<RowFiles.Rows> taken) throws IOException {
        for (final RowFiles.Rows one : taken) {
            engine.inserts()
                    .write(database
                            + '.'
                            + one.source().text()
                            + '\t'
                            + one.file()
                            + '\t'
                            + columns(one.source().kind())
                            + '\n');
            engine.inserts().flush();
            final String answer = engine.answers().readLine();
            if (!"ok".equals(answer)) {
                throw new IOException("insert failed: answer=" + answer);
            }
        }
        RowFiles.delete(taken);
    }

    @Override
    public void finish() throws Exception {
        hand(handedNs);
        load.await();
    }

    @Override
    public long visibleNs() {
        return load.visibleNs();
    }

    @Override
    public ReplayAnswer ask(ReplayQuestion question) throws IOException {
        return switch (question.form()) {
            case TAIL -> ReplayAnswer.ofValue(tail(question));
            case ABOVE_TAIL -> {
                final long tail = tail(question);
                yield records(process.request("ask", SqlQuestions.above(question, tail)), tail);
            }
            case MAX -> ReplayAnswer.ofValue(number(process.request("ask", SqlQuestions.of(question)), 0));
            case COUNT -> ReplayAnswer.ofCount(number(process.request("ask", SqlQuestions.of(question)), 0));
            case LARGEST -> {
                final List<String> cells = process.request("ask", SqlQuestions.of(question));
                yield records(cells.subList(0, Math.min(1, cells.size())), number(cells, 1));
            }
            case DUMP -> {
                final List<String> cells = process.request("dump", SqlQuestions.of(question));
                yield new ReplayAnswer(0, number(cells, 0), number(cells, 1), List.of());
            }
            case PLANTED, MANGLED -> records(process.request("ask", SqlQuestions.of(question)), 0);
        };
    }

    private long tail(ReplayQuestion question) throws IOException {
        return number(
                process.request(
                        "ask", "SELECT quantileExact(" + LEVEL + ")(latency_ns)" + SqlQuestions.where(question)),
                0);
    }

    private static long number(List<String> cells, int index) {
        return index < cells.size() ? Long.parseLong(cells.get(index)) : 0;
    }

    private static ReplayAnswer records(List<String> cells, long value) {
        final AnswerBuilder found = new AnswerBuilder();
        cells.forEach(cell -> found.add(Long.parseLong(cell)));
        return found.answer(value);
    }

    @Override
    public void settle() throws IOException {
        process.request("idle");
    }

    @Override
    public long peerCpuNs() throws IOException {
        return number(process.request("cpu"), 0);
    }

    @Override
    public void close() throws IOException {
        load.close();
        rows.close();
        if (database.equals(WARM_UP)) {
            process.request("drop", WARM_UP);
            process.request("database", DATABASE);
        } else {
            engine.close();
        }
    }
}
