package dev.loom.cli.console;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM. A command checks {@link #requested()} where it waits or loops, and its
 * queries do. The JVM then waits for {@link #finished()}, so that the partial result is written.
 */
public final class Interruption {
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final CountDownLatch requested = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile Duration grace = GRACE;
    private volatile boolean shuttingDown;

    /** Calls {@link #request()} when the JVM shuts down, and delays the shutdown until the command has finished. */
    public void watchJvm() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::requestAndWait, "loom-interruption"));
    }

    public void request() {
        requested.countDown();
    }

    /** Waits for an interruption; false if none comes in time. */
    public boolean await(Duration longest) throws InterruptedException {
        return requested.await(longest.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Sets how long the command may take to finish; 5 s by default. */
    public void grace(Duration duration) {
        grace = duration;
    }

    public boolean requested() {
        return requested.getCount() == 0;
    }

    /** Reports that the command has written all its output. */
    public void finished() {
        finished.countDown();
    }

    /**
     * Whether the JVM ends by itself, with the exit code of the signal. {@code System.exit} would then compete with it: a JVM
     * whose hooks have run takes the last code that it is given.
     */
    public boolean shuttingDown() {
        return shuttingDown;
    }

    private void requestAndWait() {
        shuttingDown = true;
        request();
        try {
            if (!finished.await(grace.toMillis(), TimeUnit.MILLISECONDS)) {
                // The command hangs in a system call, say on a full pipe: the process ends without it.
                Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
