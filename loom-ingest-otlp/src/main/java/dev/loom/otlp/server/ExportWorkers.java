package dev.loom.otlp.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs whole requests on few of a pool's threads; the others stay free to read. Of those that wait the shortest is next, so that
 * many which take long don't keep the others waiting, and every fourth time the one that has waited longest, so that it need not
 * wait for ever. The queue is as long as the budget's memory allows.
 *
 * <p>Usable from any thread.
 */
final class ExportWorkers implements AutoCloseable {
    private static final int TURNS_TO_OLDEST = 4;
    private static final Refusal NO_THREAD = new Refusal(Refusal.Reason.UNAVAILABLE, "no thread for the request", 1000);

    private final ArrayDeque<ExportWorker> idle = new ArrayDeque<>();
    private final ArrayList<Waiting> waiting = new ArrayList<>();
    private final Executor executor;
    private final Consumer<Throwable> failures;
    private int turns;
    private boolean closed;

    /** @param length of the request, as sent: bytes */
    private record Waiting(Exchange exchange, int length) {}

    /** @param failures throws nothing */
    ExportWorkers(int count, Supplier<ExportWorker> workers, Executor executor, Consumer<Throwable> failures) {
        this.executor = executor;
        this.failures = failures;
        for (int i = 0; i < count; i++) {
            idle.push(workers.get());
        }
    }

    /**
     * Has a request worked on, now or later.
     *
     * @param length of the request, as sent: bytes
     * @throws RefusalException when there is no thread for it
     */
    void submit(Exchange exchange, int length) throws RefusalException {
        ExportWorker worker;
        synchronized (this) {
            worker = idle.poll();
            if (worker == null) {
                waiting.add(new Waiting(exchange, length));
                return;
            }
        }
        boolean begun = false;
        try {
            executor.execute(() -> run(worker, exchange));
            begun = true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            throw new RefusalException(NO_THREAD);
        } finally {
            if (!begun) {
                release(worker);
            }
        }
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
                failures.accept(
                        e); // its connection went in the midst of the answer, or memory did; those that wait are to be
                // served
            }
            exchange = next(worker);
        }
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

    /** Closes the workers, those at work once they have none left. */
    @Override
    public synchronized void close() {
        closed = true;
        while (!idle.isEmpty()) {
            idle.pop().close();
        }
    }
}
