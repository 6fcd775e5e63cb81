package dev.loom.bench.otlp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A server under test in its own process, and the CPU time that it uses. */
public final class ServerProcess implements AutoCloseable {
    private static final long START_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long IDLE_STEP_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long IDLE_CPU_NS = IDLE_STEP_NS / 20;
    private static final long TICK_NS = 10_000_000;
    private static final int USER_TICKS_FIELD = 11;
    private static final int SYSTEM_TICKS_FIELD = 12;

    private final Process process;

    private ServerProcess(Process process) {
        this.process = process;
    }

    /** Starts the process, and waits until it accepts connections on a local port. Its output goes to a file. */
    public static ServerProcess start(List<String> command, int port, Path output) throws IOException {
        final ServerProcess server = new ServerProcess(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start());
        Runtime.getRuntime().addShutdownHook(new Thread(server.process::destroy, "bench-server-end"));
        final long deadlineNs = System.nanoTime() + START_TIMEOUT_NS;
        while (!listens(port)) {
            if (!server.process.isAlive() || System.nanoTime() - deadlineNs > 0) {
                server.close();
                throw new IllegalStateException(
                        "server did not start: command=" + command + ", said=" + Files.readString(output));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
        return server;
    }

    private static boolean listens(int port) {
        try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return probe.isConnected();
        } catch (final IOException e) {
            return false;
        }
    }

    /** User and system time so far, ns, in steps of 10 ms. */
    public long cpuNs() {
        try {
            final String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return (Long.parseLong(fields[USER_TICKS_FIELD]) + Long.parseLong(fields[SYSTEM_TICKS_FIELD])) * TICK_NS;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Waits, without sending requests, until its background work is done: compilation, garbage collection, writes, indexes.
     *
     * @param limit how long to wait at most
     * @return whether it is done
     */
    public boolean awaitIdle(Duration limit) {
        final long startNs = System.nanoTime();
        long before;
        do {
            if (System.nanoTime() - startNs > limit.toNanos()) {
                return false;
            }
            before = cpuNs();
            LockSupport.parkNanos(IDLE_STEP_NS);
        } while (cpuNs() - before > IDLE_CPU_NS);
        return true;
    }

    /** Ends it with SIGTERM, and waits for it. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(1, TimeUnit.MINUTES)) {
                process.destroyForcibly();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
