package dev.loom.cli.serve;

import dev.loom.cli.api.ApiFailure;
import dev.loom.cli.api.QueryApi;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Threads that answer queries: so many at once, and no queue, as a client that waits can as well come again. */
final class QueryPool implements AutoCloseable {
    /** What was asked of one kind. */
    static final class Counters {
        final LongAdder queries = new LongAdder();
        final LongAdder failures = new LongAdder();
        final LongAdder timeNs = new LongAdder();
    }

    private final ThreadPoolExecutor threads;
    private final int queriesMax;
    private final LongAdder refused = new LongAdder();
    private final Map<String, Counters> counters = new TreeMap<>();

    QueryPool(int queriesMax) {
        this.queriesMax = queriesMax;
        AtomicInteger number = new AtomicInteger();
        threads = new ThreadPoolExecutor(0, queriesMax, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), task -> {
            Thread thread = new Thread(task, "loom-query-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        QueryApi.names().forEach(name -> counters.put(name, new Counters()));
    }

    /**
     * Runs a query on a thread of its own.
     *
     * @throws ApiFailure when there are as many as may be
     */
    void execute(String name, Runnable query) {
        try {
            threads.execute(() -> {
                long startNs = System.nanoTime();
                try {
                    query.run();
                } finally {
                    counters(name).queries.increment();
                    counters(name).timeNs.add(System.nanoTime() - startNs);
                }
            });
        } catch (RejectedExecutionException e) {
            refused.increment();
            throw new ApiFailure(429, "busy", "too many queries: max=" + queriesMax);
        }
    }

    /** By the name of the query. */
    Map<String, Counters> counters() {
        return counters;
    }

    Counters counters(String name) {
        return counters.getOrDefault(name, new Counters());
    }

    /** Queries that run now. */
    int running() {
        return threads.getActiveCount();
    }

    /** Queries beyond the limit. */
    long refused() {
        return refused.sum();
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
