package dev.loom.bench.replay;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loom.bench.search.PeerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The process of a sink, and that of a replay into it. For one thread, which asks.
 *
 * <p>What was started is ended by {@link #close}.
 */
public final class RunningSink implements AutoCloseable {
    private final SinkKind kind;
    private final ReplayPlan plan;
    private final PeerProcess sink;
    private final PrintStream out;

    /**
     * An answer, and what it took.
     *
     * @param elapsedNs from the question to the last record, in the sink's process
     */
    public record Timed(ReplayAnswer answer, long elapsedNs) {}

    /** Starts the sink. */
    public RunningSink(SinkKind kind, SinkSettings settings, Path errors, PrintStream out) throws IOException {
        this.kind = kind;
        this.plan = settings.plan();
        this.out = out;
        sink = PeerProcess.start(command(kind, settings), errors);
    }

    private static List<String> command(SinkKind kind, SinkSettings settings) {
        final SinkPrograms programs = settings.programs();
        final List<String> program = new ArrayList<>(kind.program(programs));
        final List<String> files = List.of(
                settings.plan().toString(),
                settings.directory().toString(),
                settings.staging().toString());
        if (!program.isEmpty()) {
            program.addAll(files);
            return program;
        }
        return command(
                SinkProcess.class,
                kind.text(),
                files.get(0),
                files.get(1),
                files.get(2),
                programs.python(),
                programs.peers().toString(),
                programs.influxd());
    }

    private static List<String> command(Class<?> main, String... arguments) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Version and settings of the sink. */
    public String description() throws IOException {
        return sink.request("version").get(0);
    }

    /** Where it waits for the one connection that batches come from. */
    public int port() throws IOException {
        return Integer.parseInt(sink.request("port").get(0));
    }

    /**
     * Before the replay: has the sink's process ask another sink of its kind each question of a short plan for so long.
     *
     * @return false if a program of its own refuses to: it may be older than this request
     */
    public boolean warmUp(long eachNs) throws IOException {
        try {
            sink.request("warm-up", Long.toString(eachNs));
            return true;
        } catch (final IllegalStateException e) {
            if (!kind.isProgram()) {
                throw e;
            }
            return false;
        }
    }

    /**
     * Starts the replay.
     *
     * @param sliceNs the time of which a batch has the records
     * @param queueBatches how many batches may wait for the sink
     * @param paced whether on the schedule; otherwise as fast as the sink takes it, and complete
     * @return the result, once the sink has everything
     */
    public CompletableFuture<ReplayResult> replay(long sliceNs, int queueBatches, boolean paced) throws IOException {
        final int port = port();
        final Process replay = new ProcessBuilder(command(
                        Replay.class,
                        plan.toString(),
                        Integer.toString(port),
                        Long.toString(sliceNs),
                        Integer.toString(queueBatches),
                        Boolean.toString(paced)))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        final CompletableFuture<ReplayResult> result = new CompletableFuture<>();
        final Thread reader = new Thread(
                () -> {
                    try {
                        result.complete(read(replay));
                    } catch (final Exception | Error e) {
                        result.completeExceptionally(e);
                        endWaiting(port);
                    } finally {
                        replay.destroy();
                    }
                },
                "replay-output");
        reader.setDaemon(true);
        reader.start();
        return result;
    }

    /** A sink that no replay has reached waits for one: it gets a connection that ends. */
    private static void endWaiting(int port) {
        try (Socket gone = new Socket(InetAddress.getLoopbackAddress(), port)) {
            gone.shutdownOutput();
        } catch (final IOException e) {
            // it waits no more
        }
    }

    private ReplayResult read(Process replay) throws Exception {
        String last = "";
        try (BufferedReader lines = replay.inputReader()) {
            String line;
            while ((line = lines.readLine()) != null) {
                last = line;
                if (!line.startsWith(Replay.RESULT)) {
                    out.println(kind.text() + " " + plan + " " + line);
                }
            }
        }
        if (!replay.waitFor(1, TimeUnit.MINUTES) || replay.exitValue() != 0 || !last.startsWith(Replay.RESULT)) {
            throw new IllegalStateException("replay failed: system=" + kind.text() + ", plan=" + plan);
        }
        return new ObjectMapper().readValue(last.substring(Replay.RESULT.length()), ReplayResult.class);
    }

    /** Asks; waits until the window has been received. */
    public Timed ask(ReplayQuestion question) throws IOException {
        final List<String> answer = sink.request("ask", question.text());
        return new Timed(ReplayAnswer.parse(answer.get(1)), Long.parseLong(answer.get(0)));
    }

    /** Waits until everything is on the disk. */
    public void settle() throws IOException {
        sink.request("settle");
    }

    /** CPU time so far of all processes of the sink, ns. */
    public long cpuNs() throws IOException {
        return Long.parseLong(sink.request("cpu").get(0));
    }

    /** Length of the sink's files. */
    public long bytes() throws IOException {
        return Long.parseLong(sink.request("bytes").get(0));
    }

    /** Records that the sink has taken, once it has all. */
    public long records() throws IOException {
        return Long.parseLong(sink.request("end").get(0));
    }

    @Override
    public void close() {
        sink.close();
    }
}
