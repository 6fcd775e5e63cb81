package dev.loom.bench.replay;

import dev.loom.bench.push.CpuTime;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.search.StoredFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The process of a sink, which takes batches in from a port and answers requests meanwhile, as {@link dev.loom.bench.search.PeerProcess}
 * sends them:
 *
 * <pre>
 *     port                 where it waits for the replay
 *     version              description of the sink
 *     warm-up NS           before the replay: asks another sink of its kind, in the same engine, each question for so long
 *     ask QUESTION         elapsed ns, the answer; the question waits until its window has been received
 *     end                  once everything is received: how many records
 *     settle               once everything is on the disk
 *     cpu                  CPU ns so far, with all processes that work for the sink
 *     bytes                length of its files
 * </pre>
 */
public final class SinkProcess implements AutoCloseable {
    private static final long WARM_UP_MILLIS = 2_000;
    private static final long WARM_UP_SLICE_NS = 2_000_000;
    private static final int WARM_UP_QUEUE = 4;

    private final SinkKind kind;
    private final SinkSettings settings;
    private final Sink sink;
    private final ServerSocketChannel server;
    private final BatchReceiver receiver;

    SinkProcess(SinkKind kind, SinkSettings settings) throws Exception {
        this(kind, settings, kind.open(settings));
    }

    private SinkProcess(SinkKind kind, SinkSettings settings, Sink sink) throws IOException {
        this.kind = kind;
        this.settings = settings;
        this.sink = sink;
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        receiver = new BatchReceiver(server, sink);
        receiver.start();
    }

    /** The process: system, plan, directory, staging, and the programs. */
    public static void main(String[] arguments) throws Exception {
        ProcessHandle.current().parent().ifPresent(SinkProcess::endWith);
        final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err); // what libraries print is no answer
        final SinkSettings settings = new SinkSettings(
                ReplayPlan.parse(arguments[1]),
                Path.of(arguments[2]),
                Path.of(arguments[3]),
                new SinkPrograms(arguments[4], Path.of(arguments[5]), arguments[6], "", ""));
        try (SinkProcess process = new SinkProcess(SinkKind.parse(arguments[0]), settings);
                BufferedReader requests =
                        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            String request;
            while ((request = requests.readLine()) != null) {
                out.println(process.answer(request));
            }
        }
    }

    /** A request may wait for ever for a replay that never comes, and does not see the end of those who ask. */
    private static void endWith(ProcessHandle parent) {
        final Thread thread = new Thread(
                () -> {
                    parent.onExit().join();
                    System.exit(1);
                },
                "sink-parent");
        thread.setDaemon(true);
        thread.start();
    }

    /** Answers a request; a failure is an answer. */
    String answer(String request) {
        try {
            return "ok\t" + String.join("\t", values(request.split("\t", -1)));
        } catch (final Exception e) {
            e.printStackTrace();
            return "error\t" + failures(e);
        }
    }

    private static String failures(Throwable failure) {
        return java.util.stream.Stream.iterate(failure, java.util.Objects::nonNull, Throwable::getCause)
                .map(Throwable::toString)
                .collect(Collectors.joining(", because of "))
                .replaceAll("\\s+", " ");
    }

    private List<String> values(String[] request) throws Exception {
        return switch (request[0]) {
            case "port" -> List.of(Integer.toString(port()));
            case "version" -> List.of(sink.description());
            case "warm-up" -> {
                warmUp(Long.parseLong(request[1]));
                yield List.of();
            }
            case "ask" -> ask(ReplayQuestion.parse(request[1]));
            case "end" -> {
                receiver.awaitEnd();
                yield List.of(Long.toString(receiver.records()));
            }
            case "settle" -> {
                receiver.awaitEnd();
                sink.settle();
                yield List.of();
            }
            case "cpu" -> List.of(Long.toString(CpuTime.processNs() + sink.peerCpuNs()));
            case "bytes" -> {
                final long length = StoredFiles.bytes(settings.directory(), true).values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
                yield List.of(Long.toString(length));
            }
            default -> throw new IllegalArgumentException("unknown request: words=" + Arrays.toString(request));
        };
    }

    int port() throws IOException {
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    /** What this process and that of its engine compile for the plan's first seconds is there when records count. */
    private void warmUp(long eachNs) throws Exception {
        final ReplayPlan all = settings.plan();
        final ReplayPlan plan = new ReplayPlan(
                all.workload(),
                all.phase(),
                all.scale(),
                Math.min(WARM_UP_MILLIS, all.millis()),
                all.seed(),
                all.sample());
        try (ScratchDirectory disk = ScratchDirectory.in(settings.directory().resolveSibling("warm-up"));
                ScratchDirectory staging = ScratchDirectory.in(settings.staging())) {
            final SinkSettings others = new SinkSettings(
                    plan, Files.createDirectory(disk.path().resolve("files")), staging.path(), settings.programs());
            try (SinkProcess other = new SinkProcess(kind, others, sink.openOther(kind, others))) {
                warmUp(other, plan, eachNs);
            }
        }
    }

    private static void warmUp(SinkProcess other, ReplayPlan plan, long eachNs) throws Exception {
        try (SocketChannel batches =
                SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), other.port()))) {
            new Replay(plan, WARM_UP_SLICE_NS, WARM_UP_QUEUE, false)
                    .run(batches, new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
            for (final ReplayQuestion question : ReplayQuestion.of(plan, 0)) {
                final long beginNs = System.nanoTime();
                do {
                    other.ask(question);
                } while (System.nanoTime() - beginNs < eachNs);
            }
        }
    }

    private List<String> ask(ReplayQuestion question) throws Exception {
        receiver.await(question.toNs());
        final long startNs = System.nanoTime();
        final ReplayAnswer answer = sink.ask(question);
        return List.of(Long.toString(System.nanoTime() - startNs), answer.text());
    }

    @Override
    public void close() throws IOException, SQLException {
        server.close();
        sink.close();
    }
}
