package dev.loom.cli.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A client, a packet filter and a server, which talk over loopback sockets of this process. Ends after its time and the last
 * damaged request. One thread starts, awaits and closes it.
 */
final class Workload implements AutoCloseable {
    /** What happens when. The time begins when the client has warmed up. */
    static final class Plan {
        /** How long the client waits for a reply: far longer than the stalls of a busy machine. */
        static final Duration REPLY_TIMEOUT = Duration.ofMillis(250);

        /** Requests that take at least this long are slow. */
        static final Duration SLOW = REPLY_TIMEOUT.dividedBy(2);

        /** The part of the run in which requests are damaged begins and ends at these shares of it. */
        private static final double FROM = 0.1;

        private static final double TO = 0.9;

        private final long seed;
        private final int damaged;
        private final long durationNs;
        private volatile long startNs;

        /**
         * @param seed determines the requests and their damage
         * @param damaged how many requests the filter damages, evenly spread
         */
        Plan(long seed, int damaged, Duration duration) {
            this.seed = seed;
            this.damaged = damaged;
            durationNs = duration.toNanos();
        }

        long seed() {
            return seed;
        }

        void start() {
            startNs = System.nanoTime();
        }

        /** Whether the filter is to damage a request, having damaged some already. */
        boolean damageIsDue(int already) {
            double due = FROM + (TO - FROM) * already / Math.max(1, damaged);
            return already < damaged && elapsedNs() >= (long) (due * durationNs);
        }

        private long elapsedNs() {
            return System.nanoTime() - startNs;
        }
    }

    /** Daemon threads, and the first failure of any of them. Usable from any thread. */
    static final class Threads {
        /** What a thread does. */
        @FunctionalInterface
        interface Task {
            void run() throws Exception;
        }

        private final Queue<Thread> all = new ConcurrentLinkedQueue<>();
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Thread start(String name, Task task) {
            Thread thread = new Thread(() -> run(task), name);
            thread.setDaemon(true);
            all.add(thread);
            thread.start();
            return thread;
        }

        boolean failed() {
            return failure.get() != null;
        }

        /** Waits for all threads. Throws the first failure, and fails if a thread has not ended in time. */
        void join(long timeout, TimeUnit unit) throws InterruptedException {
            long deadlineNs = System.nanoTime() + unit.toNanos(timeout);
            for (Thread thread = all.poll(); thread != null; thread = all.poll()) {
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadlineNs - System.nanoTime()));
                if (thread.isAlive()) {
                    throw new IllegalStateException("workload thread has not ended: thread=" + thread.getName());
                }
            }
            Throwable cause = failure.get();
            if (cause != null) {
                throw new IllegalStateException("workload thread failed: " + cause, cause);
            }
        }

        private void run(Task task) {
            try {
                task.run();
            } catch (Throwable t) {
                failure.compareAndSet(null, t);
            }
        }
    }

    /** How long the threads may take to end after the client. */
    private static final long END_SECONDS_MAX = 60;

    private final Plan plan;
    private final Telemetry telemetry;
    private final Threads threads = new Threads();
    private final CountDownLatch clientRunning = new CountDownLatch(1);
    private final KeyValueServer server;
    private final PacketFilter filter;
    private final KeyValueClient client;
    private volatile boolean stopped;

    private Workload(Plan plan, Telemetry telemetry) throws IOException {
        this.plan = plan;
        this.telemetry = telemetry;
        server = new KeyValueServer(telemetry);
        try {
            filter = new PacketFilter(server.port(), plan, telemetry, threads);
        } catch (IOException e) {
            server.close();
            throw e;
        }
        client = new KeyValueClient(filter.port(), plan.seed(), telemetry);
    }

    static Workload start(Plan plan, Telemetry telemetry) throws IOException {
        Workload workload = new Workload(plan, telemetry);
        workload.threads.start("server", workload.server::run);
        workload.threads.start("filter", workload.filter::run);
        workload.threads.start("client", workload::runClient);
        return workload;
    }

    /** Waits until the client has finished or the time is over; returns whether it has finished. */
    boolean await(long timeout, TimeUnit unit) throws InterruptedException {
        return clientRunning.await(timeout, unit);
    }

    /** Ends the run if it has not ended, and waits until all threads have ended, and so the last record is out. */
    void finish() throws IOException, InterruptedException {
        stopped = true;
        clientRunning.await();
        close();
        threads.join(END_SECONDS_MAX, TimeUnit.SECONDS);
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

    private void runClient() throws IOException {
        try {
            client.run(this::startRecording, this::over);
        } finally {
            clientRunning.countDown();
        }
    }

    private void startRecording() {
        plan.start();
        telemetry.start();
    }

    private boolean over() {
        return stopped
                || threads.failed()
                || (telemetry.on()
                        && plan.elapsedNs() >= plan.durationNs
                        && filter.damagedIds().size() == plan.damaged);
    }
}
