package dev.loom.otlp.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs complete requests on a few threads of a pool; the others stay free to read. The shortest waiting request is next, so
 * that many slow ones don't hold up the others. Every fourth time it is the oldest, so that no request waits forever. The
 * queue holds no more than the requests in flight, since whoever's client leaves {@linkplain #giveUp gives up} its place.
 *
 * <p>Thread-safe.
 */
final class ExportWorkers implements AutoCloseable {
    private static final int TURNS_TO_OLDEST = 4;
    private static final Refusal NO_THREAD = Refusal.later("no thread available for the request");

    private final ArrayDeque<ExportWorker> idle = new ArrayDeque<>();
    private final ArrayList<Waiting> waiting = new ArrayList<>();
    private final int count;
    private final Executor executor;
    private final Consumer<Throwable> failures;
    private int turns;
    private boolean closed;

    /** @param length of the request as sent, in bytes */
    private record Waiting(Exchange exchange, int length) {}

    /** @param failures must not throw */
    ExportWorkers(int count, Supplier<ExportWorker> workers, Executor executor, Consumer<Throwable> failures) {
        this.count = count;
        this.executor = executor;
        this.failures = failures;
        for (int i = 0; i < count; i++) {
            idle.push(workers.get());
        }
    }

    /**
     * Has a request processed, now or later.
     *
     * @param length of the request as sent, in bytes
     * @throws RefusalException if there is no thread for it
     */
    void submit(Exchange exchange, int length) throws RefusalException {
        AtomicBoolean begun = new AtomicBoolean(); // first, as nothing may fail once there is a worker
        ExportWorker worker;
        synchronized (this) {
            worker = idle.poll();
            if (worker == null) {
                waiting.add(new Waiting(exchange, length));
                return;
            }
        }
        try {
            executor.execute(() -> {
                if (begun.compareAndSet(false, true)) {
                    run(worker, exchange);
                }
            });
        } catch (RuntimeException | Error e) {
            // Jetty's pool keeps a task that it could create no thread for: it may run later, or does already
            if (begun.compareAndSet(false, true)) {
                release(worker);
                refuseForgotten();
                if (e instanceof RejectedExecutionException || e instanceof OutOfMemoryError) {
                    throw new RefusalException(NO_THREAD);
                }
                throw e;
            }
        }
    }

    /** Refuses what began to wait for the worker that got no thread, unless another one is at work and will take it. */
    private void refuseForgotten() {
        for (Exchange exchange = forgotten(); exchange != null; exchange = forgotten()) {
            try {
                exchange.refuseWaiting(NO_THREAD);
            } catch (Throwable e) {
                failures.accept(e); // the others must be refused all the same
            }
        }
    }

    private synchronized @Nullable Exchange forgotten() {
        return waiting.isEmpty() || idle.size() < count ? null : waiting.remove(0).exchange;
    }

    private synchronized void release(ExportWorker worker) {
        if (closed) {
            worker.close();
        } else {
            idle.push(worker);
        }
    }

    private void run(ExportWorker worker, Exchange first) {
        Exchange exchange = first;
        while (exchange != null) {
            try {
                exchange.export(worker);
            } catch (Throwable e) {
                // the connection broke during the answer, or memory ran out; waiting requests must still be served
                failures.accept(e);
            }
            exchange = next(worker);
        }
    }

    /** Forgets a request that waits; its client has left. Otherwise the queue would grow with each client that tries again. */
    synchronized void giveUp(Exchange exchange) {
        waiting.removeIf(request -> request.exchange == exchange);
    }

    /** How many requests wait for a worker. */
    synchronized int waiting() {
        return waiting.size();
    }

    private synchronized @Nullable Exchange next(ExportWorker worker) {
        if (!waiting.isEmpty()) {
            return waiting.remove(++turns % TURNS_TO_OLDEST == 0 ? 0 : shortest()).exchange;
        }
        release(worker);
        return null;
    }

    private int shortest() {
        int shortest = 0;
        for (int i = 1; i < waiting.size(); i++) {
            if (waiting.get(i).length < waiting.get(shortest).length) {
                shortest = i;
            }
        }
        return shortest;
    }

    /** Closes the workers; busy ones are closed once no request waits. */
    @Override
    public synchronized void close() {
        closed = true;
        while (!idle.isEmpty()) {
            idle.pop().close();
        }
    }
}
