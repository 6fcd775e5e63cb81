package dev.loom.cli.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A client, a packet filter and a server, which talk over loopback sockets of this process. Ends after its time and the last
 * damaged request. One thread starts, awaits and closes it.
 */
final class Workload implements AutoCloseable {
    /** How long the client waits for a reply: far longer than the stalls of a busy machine. */
    static final Duration REPLY_TIMEOUT = Duration.ofMillis(250);

    /** Requests that take at least this long are slow. */
    static final Duration SLOW = REPLY_TIMEOUT.dividedBy(2);

    /** The part of the run in which requests are damaged begins and ends at these shares of it. */
    private static final double FROM = 0.1;

    private static final double TO = 0.9;

    /** How long the threads may take to end after the client. */
    private static final long END_SECONDS_MAX = 60;

    private final int damaged;
    private final long durationNs;
    private final Telemetry telemetry;
    private final ExecutorService threads = Executors.newCachedThreadPool(Workload::daemon);
    private final KeyValueServer server;
    private final PacketFilter filter;
    private final KeyValueClient client;
    private final Future<?> serving;
    private final Future<?> filtering;
    private final Future<?> requesting;
    private volatile long startNs;
    private volatile boolean stopped;

    private Workload(long seed, int damaged, Duration duration, Telemetry telemetry) throws IOException {
        this.damaged = damaged;
        this.durationNs = duration.toNanos();
        this.telemetry = telemetry;
        server = new KeyValueServer(telemetry);
        try {
            filter = new PacketFilter(server.port(), seed, this::damageIsDue, telemetry, threads);
        } catch (IOException e) {
            server.close();
            throw e;
        }
        client = new KeyValueClient(filter.port(), seed, telemetry, this::startRecording, this::over);
        serving = threads.submit(server);
        filtering = threads.submit(filter);
        requesting = threads.submit(client);
    }

    /**
     * Starts a run. Its time begins when the client has warmed up.
     *
     * @param seed determines the requests and their damage
     * @param damaged how many requests the filter damages, evenly spread
     */
    static Workload start(long seed, int damaged, Duration duration, Telemetry telemetry) throws IOException {
        return new Workload(seed, damaged, duration, telemetry);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "demo");
        thread.setDaemon(true);
        return thread;
    }

    /** Waits until the client has finished or the time is over; returns whether it has finished. */
    boolean await(long timeout, TimeUnit unit) throws InterruptedException {
        try {
            requesting.get(timeout, unit);
            return true;
        } catch (ExecutionException e) {
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    /** Ends the run if it has not ended, and waits until all threads have ended, and so the last record is out. */
    void finish() throws IOException, InterruptedException {
        stopped = true;
        try {
            requesting.get();
            close();
            serving.get(END_SECONDS_MAX, TimeUnit.SECONDS);
            filtering.get(END_SECONDS_MAX, TimeUnit.SECONDS);
            threads.shutdown();
        } catch (ExecutionException e) {
            throw new IllegalStateException("workload thread failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("workload thread has not ended", e);
        }
    }

    /** The requests that the client saw to be slow, by its own count. Valid after {@link #finish}. */
    Set<Long> slowIds() {
        return client.slowIds();
    }

    /** The requests that the filter damaged, by its own count. */
    Set<Long> damagedIds() {
        return filter.damagedIds();
    }

    /** Ends the run if it has not ended, and accepts no more connections. */
    @Override
    public void close() throws IOException {
        stopped = true;
        try (server;
                filter) {
            // both are closed, whichever fails
        }
    }

    private void startRecording() {
        startNs = System.nanoTime();
        telemetry.start();
    }

    /** Whether the filter is to damage a request, having damaged some already. */
    private boolean damageIsDue(int already) {
        double due = FROM + (TO - FROM) * already / Math.max(1, damaged);
        return already < damaged && elapsedNs() >= (long) (due * durationNs);
    }

    private boolean over() {
        return stopped
                || serving.isDone()
                || filtering.isDone()
                || (telemetry.on()
                        && elapsedNs() >= durationNs
                        && filter.damagedIds().size() == damaged);
    }

    private long elapsedNs() {
        return System.nanoTime() - startNs;
    }
}
