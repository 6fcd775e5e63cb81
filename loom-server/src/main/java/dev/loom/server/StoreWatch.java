package dev.loom.server;

import dev.loom.api.StoreInfo;
import dev.loom.error.LoomException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Checks the store every two seconds: reports when records stop reaching the disk and when they reach it again, and tries to
 * reopen a read-only store for writing. {@link #problem()} is for any thread.
 */
final class StoreWatch implements Runnable, AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private final ServedStore store;
    private final Consumer<String> notices;
    private final Thread thread = new Thread(this, "loom-watch");
    private final EvictionProgress progress = new EvictionProgress();
    private final CountDownLatch closing = new CountDownLatch(1);
    private boolean failing;
    private long triedNs = System.nanoTime();

    /** @param notices takes changes, one line each */
    StoreWatch(ServedStore store, Consumer<String> notices) {
        this.store = store;
        this.notices = notices;
        if (store.readOnly()) {
            notices.accept("store is not writable and is served read-only: " + store.reason()
                    + "; retrying to open it for writing every "
                    + store.openInterval().toSeconds() + " s");
        }
    }

    /** Starts the checks. */
    void start() {
        thread.setDaemon(true);
        thread.start();
    }

    /** Why records are not taken or don't reach the disk; empty if they do. */
    String problem() {
        return store.readOnly() ? "store is not writable: " + store.reason() : find(System.nanoTime());
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
            return !closing.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            return true; // nobody has reason to: close() counts down
        }
    }

    private void look() {
        long nowNs = System.nanoTime();
        if (store.readOnly()) {
            if (nowNs - triedNs >= store.openInterval().toNanos()) {
                triedNs = nowNs;
                if (store.tryToWrite()) {
                    notices.accept("store is open for writing and accepts records");
                }
            }
            return;
        }
        String found = find(nowNs);
        if (failing != !found.isEmpty()) {
            failing = !found.isEmpty();
            notices.accept(failing ? "records don't reach the disk: " + found : "records reach the disk again");
        }
    }

    private String find(long nowNs) {
        StoreInfo info;
        try {
            info = store.store().info();
        } catch (LoomException | IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
        return info.failure()
                .orElseGet(() -> progress.problem(List.of(info.records(), info.times(), info.chunks()), nowNs));
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
