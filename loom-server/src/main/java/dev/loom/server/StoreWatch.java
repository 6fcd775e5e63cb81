package dev.loom.server;

import dev.loom.error.LoomException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Checks the store every two seconds: reports when records stop reaching the disk and when they reach it again. Tries more
 * often to reopen a read-only store for writing. {@link #problem()} is for any thread.
 */
final class StoreWatch implements Runnable, AutoCloseable {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(2);

    /** An attempt to open the store may read and write much before the disk refuses it, so the rest is at least this many times longer. */
    private static final int REST_PER_ATTEMPT = 9;

    private final ServedStore store;
    private final Consumer<String> notices;
    private final Thread thread = new Thread(this, "loom-watch");
    private final CountDownLatch closing = new CountDownLatch(1);
    private boolean failing;
    private boolean toldReadOnly;
    private long attemptNs;

    /** @param notices takes changes, one line each */
    StoreWatch(ServedStore store, Consumer<String> notices) {
        this.store = store;
        this.notices = notices;
        tellReadOnly();
    }

    /** The store may also become so later, as when its indexes could not be rebuilt. */
    private void tellReadOnly() {
        if (store.readOnly() && !toldReadOnly) {
            notices.accept("store is not writable and is served read-only: " + store.reason()
                    + "; retrying to open it for writing every "
                    + store.openInterval().toMillis() + " ms");
            toldReadOnly = true;
        }
    }

    /** Starts the checks. */
    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** Why records are not taken or don't reach the disk; empty if they do. */
    String problem() {
        return store.readOnly() ? "store is not writable: " + store.reason() : find();
    }

    @Override
    public void run() {
        while (pause()) {
            try {
                look();
            } catch (RuntimeException | Error e) {
                // the next look comes soon; by then there may be memory to report the failure, or no failure
            }
        }
    }

    private boolean pause() {
        try {
            long restNs = Math.max(store.openInterval().toNanos(), REST_PER_ATTEMPT * attemptNs);
            return !closing.await(store.readOnly() ? restNs : INTERVAL_NS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            return true; // nobody has reason to: close() counts down
        }
    }

    void look() {
        long beganNs = System.nanoTime();
        if (store.readOnly()) {
            tellReadOnly();
            if (store.tryToWrite()) {
                toldReadOnly = false;
                notices.accept("store is open for writing and accepts records");
            }
            attemptNs = System.nanoTime() - beganNs;
            return;
        }
        String found = find();
        if (failing != !found.isEmpty()) {
            failing = !found.isEmpty();
            notices.accept(failing ? "records don't reach the disk: " + found : "records reach the disk again");
        }
    }

    private String find() {
        try {
            return store.store().info().failure().orElse("");
        } catch (LoomException | IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Override
    public void close() {
        closing.countDown();
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
}
