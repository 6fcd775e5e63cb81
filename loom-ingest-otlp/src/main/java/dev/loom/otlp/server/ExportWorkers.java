package dev.loom.otlp.server;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs whole requests on few of a pool's threads, in the order in which they became whole; the others stay free to read. The
 * queue is as long as the budget's memory allows.
 *
 * <p>Usable from any thread.
 */
final class ExportWorkers implements AutoCloseable {
    private final ArrayDeque<ExportWorker> idle = new ArrayDeque<>();
    private final ArrayDeque<Exchange> waiting = new ArrayDeque<>();
    private final Executor executor;
    private final Consumer<Throwable> failures;
    private boolean closed;

    ExportWorkers(int count, Supplier<ExportWorker> workers, Executor executor, Consumer<Throwable> failures) {
        this.executor = executor;
        this.failures = failures;
        for (int i = 0; i < count; i++) {
            idle.push(workers.get());
        }
    }

    void submit(Exchange exchange) {
        ExportWorker worker;
        synchronized (this) {
            worker = idle.poll();
            if (worker == null) {
                waiting.add(exchange);
                return;
            }
        }
        executor.execute(() -> run(worker, exchange));
    }

    private void run(ExportWorker worker, Exchange first) {
        Exchange exchange = first;
        while (exchange != null) {
            try {
                exchange.export(worker);
            } catch (RuntimeException e) {
                failures.accept(e); // its connection went in the midst of the answer; those that wait are to be served
            }
            exchange = next(worker);
        }
    }

    private synchronized @Nullable Exchange next(ExportWorker worker) {
        Exchange exchange = waiting.poll();
        if (exchange == null) {
            if (closed) {
                worker.close();
            } else {
                idle.push(worker);
            }
        }
        return exchange;
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
