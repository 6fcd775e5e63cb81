package dev.loom.cli.serve;

import dev.loom.cli.api.ApiFailure;
import dev.loom.cli.api.QueryApi;
import dev.loom.otlp.server.LatencyHistogram;
import java.time.Duration;
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

/**
 * Threads that answer requests. Those of one kind have so many, and a few requests may wait for one for a short time, so that
 * none keeps those of another kind from their answers.
 */
final class QueryPool implements AutoCloseable {
    /** What requests ask for. */
    enum Kind {
        /** Records, or what is computed from them. */
        QUERY,
        /** Records as they come, until the client leaves. */
        FOLLOWER,
        /** What takes a moment: sources, indexes, the store's state, the schema. */
        LOOKUP
    }

    /**
     * How many requests there may be.
     *
     * @param queries answered at once
     * @param queued of queries that wait for one of those, and of lookups
     * @param queueTime how long they wait
     * @param followers at once
     */
    record Limits(int queries, int queued, Duration queueTime, int followers) {}

    /** What was asked by one name. */
    static final class Counters {
        final LongAdder failures = new LongAdder();
        /** From asking to the end; of those that go on until their client leaves, nothing. */
        final LatencyHistogram times = new LatencyHistogram();
    }

    static final int LOOKUPS_MAX = 4;

    /** The name of requests that change the schema or ask for it. */
    static final String SCHEMA = "schema";

    private final Limits limits;
    private final Map<Kind, ThreadPoolExecutor> threads = new EnumMap<>(Kind.class);
    private final LongAdder refused = new LongAdder();
    private final Map<String, Counters> counters = new TreeMap<>();

    QueryPool(Limits limits) {
        this.limits = limits;
        threads.put(Kind.QUERY, threads("loom-query-", limits.queries, limits.queued));
        threads.put(Kind.FOLLOWER, threads("loom-follower-", limits.followers, 0));
        threads.put(Kind.LOOKUP, threads("loom-lookup-", LOOKUPS_MAX, limits.queued));
        QueryApi.names().forEach(name -> counters.put(name, new Counters()));
        counters.put(SCHEMA, new Counters());
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

    /**
     * Has a request answered by a thread of its kind.
     *
     * @param name of what is asked, for its counters
     * @param refusal told that no thread became free in time; then the request is not answered
     * @throws ApiFailure when there are as many as may be
     */
    void execute(Kind kind, String name, Scheduler scheduler, Runnable answer, Consumer<ApiFailure> refusal) {
        ThreadPoolExecutor executor = executor(kind);
        long askedNs = System.nanoTime();
        Runnable task = () -> {
            try {
                answer.run();
            } finally {
                if (kind != Kind.FOLLOWER) {
                    counters(name).times.add(System.nanoTime() - askedNs);
                }
            }
        };
        try {
            executor.execute(task);
        } catch (RejectedExecutionException e) {
            throw busy(kind);
        }
        if (executor.getQueue().contains(task)) {
            Runnable giveUp = () -> {
                if (executor.remove(task)) {
                    refusal.accept(busy(kind));
                }
            };
            scheduler.schedule(giveUp, limits.queueTime.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private ApiFailure busy(Kind kind) {
        refused.increment();
        ThreadPoolExecutor executor = executor(kind);
        String what = kind.name().toLowerCase(Locale.ROOT);
        return new ApiFailure(
                429, "busy", "too many requests at once: kind=" + what + ", max=" + executor.getMaximumPoolSize());
    }

    private ThreadPoolExecutor executor(Kind kind) {
        return Objects.requireNonNull(threads.get(kind));
    }

    /** By the name of the query. */
    Map<String, Counters> counters() {
        return counters;
    }

    Counters counters(String name) {
        return counters.getOrDefault(name, new Counters());
    }

    /** Requests of a kind that are being answered. */
    int running(Kind kind) {
        return executor(kind).getActiveCount();
    }

    /** Requests of a kind that wait for a thread. */
    int queued(Kind kind) {
        return executor(kind).getQueue().size();
    }

    /** Requests beyond the limits. */
    long refused() {
        return refused.sum();
    }

    @Override
    public void close() {
        threads.values().forEach(ThreadPoolExecutor::shutdown);
    }
}
