package dev.loom.cli.demo;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Daemon threads with a common purpose, and the first failure of any of them. Usable from any thread. */
final class Workers {
    /** What a thread does. */
    @FunctionalInterface
    interface Task {
        void run() throws Exception;
    }

    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Runnable onFailure;

    Workers(Runnable onFailure) {
        this.onFailure = onFailure;
    }

    void start(String name, Task task) {
        Thread thread = new Thread(() -> run(task), name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /** Waits until all threads have ended. Throws the first failure, and fails if a thread has not ended in time. */
    void join(long timeout, TimeUnit unit) throws InterruptedException {
        long deadlineNs = System.nanoTime() + unit.toNanos(timeout);
        for (Thread thread = threads.poll(); thread != null; thread = threads.poll()) {
            long leftNs = Math.max(1, deadlineNs - System.nanoTime());
            TimeUnit.NANOSECONDS.timedJoin(thread, leftNs);
            if (thread.isAlive()) {
                throw new IllegalStateException("thread of the workload has not ended: thread=" + thread.getName());
            }
        }
        throwIfFailed();
    }

    void throwIfFailed() {
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("thread of the workload failed: " + cause, cause);
        }
    }

    private void run(Task task) {
        try {
            task.run();
        } catch (Throwable t) {
            failure.compareAndSet(null, t);
            onFailure.run();
        }
    }
}
