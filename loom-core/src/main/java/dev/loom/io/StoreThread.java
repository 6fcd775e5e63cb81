package dev.loom.io;

import java.util.concurrent.locks.LockSupport;

/** The threads that a store runs beside the application's, and how it waits in any. */
public final class StoreThread {
    private StoreThread() {}

    /**
     * A daemon, of no thread group, class loader or inherited thread-local value of whoever happens to start it: who interrupts
     * the group of his threads, or waits for their end, does not mean the store's.
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

    /** Waits until one has ended; an interrupt meanwhile is kept for the caller's thread. */
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

    /** Waits for the full time; an interrupt before or meanwhile is kept for the caller's thread. */
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
