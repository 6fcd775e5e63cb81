package dev.loom.cli.console;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Ctrl-C and SIGTERM. A command checks {@link #requested()} where it waits or loops, and its
 * queries do. The JVM then waits for {@link #finished()}, so that the partial result is written.
 */
public final class Interruption {
    private static final Duration GRACE = Duration.ofSeconds(5);
    private static final long BEFORE_HALT_MS = 1000;

    private final CountDownLatch requested = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile Duration grace = GRACE;
    private volatile LongSupplier progress = () -> 0;
    private volatile Runnable beforeHalt = () -> {};
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

    /**
     * Gives the command that time again as often as it has got on meanwhile.
     *
     * @param done changes as the command gets on
     */
    public void graceWhile(LongSupplier done) {
        progress = done;
    }

    /** Sets what is to be done if the command does not finish in time, such as deleting a file; another thread does it, for a second at most. */
    public void beforeHalt(Runnable action) {
        beforeHalt = action;
    }

    /** How far the command has got, as {@link #graceWhile} says. */
    long progress() {
        return progress.getAsLong();
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

    /** Waits for the command; false if it does not finish in the time that it is given. */
    boolean finishedInTime() throws InterruptedException {
        long before;
        do {
            before = progress();
            if (finished.await(grace.toMillis(), TimeUnit.MILLISECONDS)) {
                return true;
            }
        } while (progress() != before);
        return false;
    }

    /** The exit code of the signal that ends the JVM, which runs in a thread of its name; {@code otherwise} if there is none. */
    private static int signalled(int otherwise) {
        Set<String> threads = Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .collect(Collectors.toSet());
        return threads.contains("SIGTERM handler")
                ? ExitCode.TERMINATED
                : threads.contains("SIGHUP handler") ? ExitCode.HUNG_UP : otherwise;
    }

    private void requestAndWait() {
        shuttingDown = true;
        request();
        try {
            if (!finishedInTime()) {
                // The command hangs in a system call, say on a full pipe: the process ends without it.
                Thread last = new Thread(beforeHalt, "loom-before-halt");
                last.setDaemon(true);
                last.start();
                last.join(BEFORE_HALT_MS);
                Runtime.getRuntime().halt(signalled(ExitCode.INTERRUPTED));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
