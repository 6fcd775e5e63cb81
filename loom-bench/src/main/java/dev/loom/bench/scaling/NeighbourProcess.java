package dev.loom.bench.scaling;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An application beside the ingest, in a process of its own that works from its start to its end. It answers each line on its standard
 * input with the operations that it has done and the time, and ends with the input, so also with the process that started it.
 */
public final class NeighbourProcess implements AutoCloseable {
    /** Counters of two threads don't share a cache line. */
    private static final int COUNTER_DISTANCE = 16;

    private final Process process;
    private final BufferedReader answers;
    private final BufferedWriter questions;

    private NeighbourProcess(Process process) {
        this.process = process;
        answers = process.inputReader();
        questions = process.outputWriter();
    }

    /**
     * What an application had done at some time.
     *
     * @param operations since its start
     * @param timeNs of the system's clock, which all processes share
     */
    public record Reading(long operations, long timeNs) {
        /** Operations a second since an earlier reading. */
        public double rateSince(Reading earlier) {
            return (operations - earlier.operations) * 1e9 / (timeNs - earlier.timeNs);
        }
    }

    /** Starts an application, and returns once it works. */
    public static NeighbourProcess start(Neighbour kind, int threads, Path directory) {
        try {
            final NeighbourProcess neighbour = new NeighbourProcess(ChildJvm.start(
                    NeighbourProcess.class, List.of(kind.text(), Integer.toString(threads), directory.toString())));
            try {
                neighbour.read();
            } catch (final RuntimeException e) {
                neighbour.close();
                throw e;
            }
            return neighbour;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Asks how far the application is. */
    public Reading read() {
        try {
            questions.write("read\n");
            questions.flush();
            final String answer = answers.readLine();
            if (answer == null) {
                throw new IllegalStateException("application beside the ingest has ended");
            }
            final String[] figures = answer.split(" ", -1);
            return new Reading(Long.parseLong(figures[0]), Long.parseLong(figures[1]));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the application, and waits until it has deleted its files. */
    @Override
    public void close() {
        try {
            questions.close();
            process.waitFor();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    /** The child process; {@link #start} passes the arguments. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        final int threads = Integer.parseInt(arguments[1]);
        final AtomicLongArray done = new AtomicLongArray(threads * COUNTER_DISTANCE);
        final AtomicReference<@Nullable Throwable> end = new AtomicReference<>();
        final List<Thread> all = new ArrayList<>();
        try (NeighbourWork work = Neighbour.parse(arguments[0]).open(Path.of(arguments[2]));
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (int i = 0; i < threads; i++) {
                final int number = i;
                final Thread thread = new Thread(() -> work(work, number, done, end), "bench-neighbour-" + i);
                all.add(thread);
                thread.start();
            }
            while (in.readLine() != null && end.get() == null) {
                long operations = 0;
                for (int i = 0; i < threads; i++) {
                    operations += done.get(i * COUNTER_DISTANCE);
                }
                System.out.println(operations + " " + System.nanoTime());
            }
            end.compareAndSet(null, new InterruptedException("input has ended"));
            for (final Thread thread : all) {
                thread.join();
            }
        }
    }

    private static void work(
            NeighbourWork work, int number, AtomicLongArray done, AtomicReference<@Nullable Throwable> end) {
        long state = number + 1L;
        try {
            while (end.get() == null) {
                state = work.step(state);
                done.lazySet(number * COUNTER_DISTANCE, done.get(number * COUNTER_DISTANCE) + NeighbourWork.STEP);
            }
        } catch (final RuntimeException | Error e) {
            e.printStackTrace();
            end.compareAndSet(null, e);
        }
    }
}
