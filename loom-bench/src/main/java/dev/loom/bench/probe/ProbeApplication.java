package dev.loom.bench.probe;

import dev.loom.bench.push.CpuTime;
import dev.loom.bench.replay.ReplaySource;
import dev.loom.bench.scaling.ChildJvm;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The monitored application, in a JVM of its own: makes requests with all its threads, and tells of each. */
public final class ProbeApplication {
    private static final int COUNTER_DISTANCE = 16;
    private static final int REQUESTS_BETWEEN_COUNTS = 64;

    /** The applications. */
    public enum Kind {
        /** RocksDB, in the process that makes the requests. */
        ROCKSDB("RocksDB"),
        /** A {@code redis-server} on loopback. */
        REDIS("Redis");

        private final String title;

        Kind(String title) {
            this.title = title;
        }

        /** Its name as it is written. */
        public String title() {
            return title;
        }

        /** Parses a name in lower case. */
        public static Kind parse(String text) {
            return valueOf(text.toUpperCase(Locale.ROOT));
        }

        /** Whether it can run here. */
        public boolean isAvailable() {
            return this == ROCKSDB || RedisRequests.isAvailable();
        }
    }

    private final ApplicationRequests requests;
    private final ProbeTelemetry telemetry;
    private final AtomicLongArray done;
    private final AtomicReference<@Nullable Throwable> end = new AtomicReference<>();

    private ProbeApplication(ApplicationRequests requests, ProbeTelemetry telemetry, int threads) {
        this.requests = requests;
        this.telemetry = telemetry;
        done = new AtomicLongArray(threads * COUNTER_DISTANCE);
    }

    /**
     * How one run is done.
     *
     * @param application what is monitored
     * @param memory where the application has its store, on tmpfs
     * @param disk where an embedded store is
     * @param staging of an embedded store
     * @param keys of the application's store
     * @param traced whether the kernel tells of system calls and the page cache
     */
    public record Plan(
            Kind application,
            ProbeSink sink,
            Path memory,
            Path disk,
            Path staging,
            long keys,
            int threads,
            double warmUpSeconds,
            double seconds,
            boolean traced) {}

    /**
     * What one run measured, after the warm-up.
     *
     * @param requests that the application answered
     * @param records of telemetry, of all sources, with those that were dropped
     * @param dropped records that found no room on their way
     * @param traced how many of them came from the kernel
     * @param lost records that the tracer says it lost, with those of the warm-up
     * @param cpuNs of the application's process
     */
    public record Result(
            long requests, long elapsedNs, long records, long dropped, long traced, long lost, long cpuNs) {
        public double requestsPerSecond() {
            return requests * 1e9 / elapsedNs;
        }
    }

    /** Whether the kernel may be asked here. */
    public static boolean canTrace() {
        return KernelTrace.isAvailable();
    }

    /**
     * Runs the application.
     *
     * @param port of the sink; anything if that is no process
     * @param atBegin called when the time begins that is measured
     * @param atEnd called when it ends
     */
    public static Result run(Plan plan, int port, Runnable atBegin, Runnable atEnd) {
        final List<String> arguments = List.of(
                plan.application().name(),
                plan.sink().text(),
                Integer.toString(port),
                plan.memory().toString(),
                plan.disk().toString(),
                plan.staging().toString(),
                Long.toString(plan.keys()),
                Integer.toString(plan.threads()),
                Double.toString(plan.warmUpSeconds()),
                Double.toString(plan.seconds()),
                Boolean.toString(plan.traced()));
        final long[] figures = ChildJvm.run(ProbeApplication.class, arguments, atBegin, atEnd);
        return new Result(figures[0], figures[1], figures[2], figures[3], figures[4], figures[5], figures[6]);
    }

    /** The child process; {@link #run} passes the arguments. */
    public static void main(String[] arguments) throws InterruptedException {
        ChildJvm.endWithParent();
        final int threads = Integer.parseInt(arguments[7]);
        final Result result;
        try (ApplicationRequests requests = ApplicationRequests.open(
                        Kind.valueOf(arguments[0]), Path.of(arguments[3]), Long.parseLong(arguments[6]));
                ProbeTelemetry telemetry = ProbeSink.parse(arguments[1])
                        .telemetry(Integer.parseInt(arguments[2]), Path.of(arguments[4]), Path.of(arguments[5]))) {
            result = new ProbeApplication(requests, telemetry, threads)
                    .measure(
                            threads,
                            Double.parseDouble(arguments[8]),
                            Double.parseDouble(arguments[9]),
                            Boolean.parseBoolean(arguments[10]));
        }
        ChildJvm.result(
                result.requests(),
                result.elapsedNs(),
                result.records(),
                result.dropped(),
                result.traced(),
                result.lost(),
                result.cpuNs());
    }

    private Result measure(int threads, double warmUpSeconds, double seconds, boolean traced)
            throws InterruptedException {
        final KernelTrace trace = traced ? KernelTrace.start(telemetry, requests.pid()) : null;
        try {
            final List<Thread> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                final int number = i;
                final Thread thread = new Thread(() -> request(number), "bench-application-" + i);
                all.add(thread);
                thread.start();
            }
            sleep(warmUpSeconds);
            ChildJvm.begin();
            final long beginNs = System.nanoTime();
            final Result before = reading(0, trace);
            sleep(seconds);
            final Result after = reading(beginNs, trace);
            ChildJvm.end();
            final Throwable failed = end.getAndSet(new InterruptedException("time is over"));
            for (final Thread thread : all) {
                thread.join();
            }
            if (failed != null) {
                throw new IllegalStateException("a request failed", failed);
            }
            return new Result(
                    after.requests() - before.requests(),
                    after.elapsedNs(),
                    after.records() - before.records(),
                    after.dropped() - before.dropped(),
                    after.traced() - before.traced(),
                    after.lost(),
                    after.cpuNs() - before.cpuNs());
        } finally {
            if (trace != null) {
                trace.close();
            }
        }
    }

    private Result reading(long beginNs, @Nullable KernelTrace trace) {
        long count = 0;
        for (int i = 0; i < done.length(); i += COUNTER_DISTANCE) {
            count += done.get(i);
        }
        return new Result(
                count,
                System.nanoTime() - beginNs,
                telemetry.events(),
                telemetry.dropped(),
                trace == null ? 0 : trace.events(),
                trace == null ? 0 : trace.lost(),
                CpuTime.processNs());
    }

    private void request(int thread) {
        try {
            final ApplicationRequests.Client client =
                    requests.client(telemetry.probe(ReplaySource.ROCKSDB_REQUESTS, thread), thread);
            while (end.get() == null) {
                for (int i = 0; i < REQUESTS_BETWEEN_COUNTS; i++) {
                    client.request();
                }
                done.lazySet(thread * COUNTER_DISTANCE, done.get(thread * COUNTER_DISTANCE) + REQUESTS_BETWEEN_COUNTS);
            }
        } catch (final RuntimeException | Error e) {
            end.compareAndSet(null, e);
        }
    }

    private static void sleep(double seconds) throws InterruptedException {
        Thread.sleep((long) (seconds * 1e3));
    }
}
