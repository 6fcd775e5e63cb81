package dev.loom.io;

import java.util.concurrent.locks.LockSupport;

/** The store's own threads, and its ways to wait on any thread. */
public final class StoreThread {
    private StoreThread() {}

    /**
     * Makes a daemon thread that inherits no thread group, class loader or thread-local value from the thread that
     * happens to start it. So code that interrupts its thread group, or waits for the group to end, does not affect the
     * store's threads.
     */
    public static Thread of(String name, Runnable task) {
        Thread thread = new Thread(root(), task, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(StoreThread.class.getClassLoader());
        return thread;
    }

    private static ThreadGroup root() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        ThreadGroup parent = group.getParent();
        while (parent != null) {
            group = parent;
            parent = group.getParent();
        }
        return group;
    }

    /** Waits for a thread to end. The interrupt status is kept. */
    public static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the full time, even if interrupted. The interrupt status is kept. */
    public static void pause(long ns) {
        long end = System.nanoTime() + ns;
        boolean interrupted = false;
        for (long leftNs = ns; leftNs > 0; leftNs = end - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
