package dev.loom.server;

import dev.loom.otlp.server.LatencyHistogram;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.Load;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * Threads that answer requests. Each kind of request has threads of its own, and a few requests may wait briefly for one, so that
 * no kind keeps another from being answered.
 */
final class QueryPool implements AutoCloseable {
    /**
     * The number of requests allowed.
     *
     * @param queries queries answered at once
     * @param queued queries that may wait for a thread, and as many lookups
     * @param queueTime how long a request may wait
     * @param followers followers answered at once
     */
    record Limits(int queries, int queued, Duration queueTime, int followers) {}

    /** The counters of one request name. */
    static final class Counters {
        final LongAdder failures = new LongAdder();
        /** From request to end; requests that run until their client leaves are not timed. */
        final LatencyHistogram times = new LatencyHistogram();
    }

    static final int LOOKUPS_MAX = 4;

    private static final int READINESS_QUEUED = 16;

    private final Limits limits;
    private final Map<Load, ThreadPoolExecutor> threads = new EnumMap<>(Load.class);
    private final LongAdder refused = new LongAdder();
    private final Map<String, Counters> counters = new TreeMap<>();

    /** @param names of all requests */
    QueryPool(Limits limits, Collection<String> names) {
        this.limits = limits;
        threads.put(Load.QUERY, threads("loom-query-", limits.queries, limits.queued));
        threads.put(Load.FOLLOWER, threads("loom-follower-", limits.followers, 0));
        threads.put(Load.LOOKUP, threads("loom-lookup-", LOOKUPS_MAX, limits.queued));
        threads.put(Load.READINESS, threads("loom-readiness-", 1, READINESS_QUEUED));
        names.forEach(name -> counters.put(name, new Counters()));
    }

    private static ThreadPoolExecutor threads(String prefix, int count, int queued) {
        AtomicInteger number = new AtomicInteger();
        BlockingQueue<Runnable> queue = queued == 0 ? new SynchronousQueue<>() : new ArrayBlockingQueue<>(queued);
        ThreadPoolExecutor executor = new ThreadPoolExecutor(count, count, 1, TimeUnit.MINUTES, queue, task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** A request's turn. While it waits for that, it may be given up. */
    final class Turn implements Runnable {
        private final Load load;
        private final String name;
        private final Runnable answer;
        private final long askedNs = System.nanoTime();
        private volatile Scheduler.@Nullable Task deadline;
        private volatile boolean over;

        private Turn(Load load, String name, Runnable answer) {
            this.load = load;
            this.name = name;
            this.answer = answer;
        }

        @Override
        public void run() {
            end();
            try {
                answer.run();
            } finally {
                if (load != Load.FOLLOWER) {
                    counters(name).times.add(Duration.ofNanos(System.nanoTime() - askedNs));
                }
            }
        }

        /** Gives it up if it has not come. Returns whether that is so: then nobody answers the request. From any thread. */
        boolean giveUp() {
            boolean waited = executor(load).remove(this);
            if (waited) {
                end();
            }
            return waited;
        }

        private void await(Scheduler scheduler, Consumer<ApiFailure> refusal) {
            Runnable tooLate = () -> {
                if (giveUp()) {
                    refusal.accept(busy(load));
                }
            };
            deadline = scheduler.schedule(tooLate, limits.queueTime.toNanos(), TimeUnit.NANOSECONDS);
            if (over) {
                end();
            }
        }

        /** The scheduler must not keep the request until a deadline that no longer matters. */
        private void end() {
            over = true;
            Scheduler.Task task = deadline;
            if (task != null) {
                task.cancel();
            }
        }
    }

    /**
     * A turn that is still to be {@linkplain #execute executed}.
     *
     * @param name the request's name, for its counters
     * @param answer called on a thread of the kind
     */
    Turn turn(Load load, String name, Runnable answer) {
        return new Turn(load, name, answer);
    }

    /**
     * Answers a request on a thread of its kind.
     *
     * @param refusal called instead of the answer if no thread becomes free in time
     * @throws ApiFailure if the queue is full
     */
    void execute(Turn turn, Scheduler scheduler, Consumer<ApiFailure> refusal) {
        ThreadPoolExecutor executor = executor(turn.load);
        try {
            executor.execute(turn);
        } catch (RejectedExecutionException e) {
            throw busy(turn.load);
        }
        if (executor.getQueue().contains(turn)) {
            turn.await(scheduler, refusal);
        }
    }

    private ApiFailure busy(Load load) {
        refused.increment();
        ThreadPoolExecutor executor = executor(load);
        String what = load.name().toLowerCase(Locale.ROOT);
        return new ApiFailure(
                429, "busy", "too many requests at once: kind=" + what + ", max=" + executor.getMaximumPoolSize());
    }

    private ThreadPoolExecutor executor(Load load) {
        return Objects.requireNonNull(threads.get(load));
    }

    /** Counters by request name. */
    Map<String, Counters> counters() {
        return counters;
    }

    Counters counters(String name) {
        return counters.getOrDefault(name, new Counters());
    }

    /** Requests of a kind that are being answered. */
    int running(Load load) {
        return executor(load).getActiveCount();
    }

    /** Requests of a kind that wait for a thread. */
    int queued(Load load) {
        return executor(load).getQueue().size();
    }

    /** Requests refused because of the limits. */
    long refused() {
        return refused.sum();
    }

    @Override
    public void close() {
        threads.values().forEach(ThreadPoolExecutor::shutdown);
    }
}
