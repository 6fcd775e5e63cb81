package dev.loom.bench.scaling;

import dev.loom.bench.push.PayloadPool;
import dev.loom.bench.push.PushRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Pushes with all threads of a team for some time. */
final class ScalingPhase {
    private static final double SECOND_NS = 1e9;

    /** Records between two looks at the schedule. */
    private static final int SCHEDULED_BATCH = 16 * PayloadPool.COUNT;

    private final PushTeam team;
    private final long beginNs = System.nanoTime();
    private final long endNs;
    private final double intervalNs;
    private final long[] pushed;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private ScalingPhase(PushTeam team, int threads, double seconds, double rate) {
        this.team = team;
        pushed = new long[threads];
        endNs = beginNs + (long) (seconds * SECOND_NS);
        intervalNs = rate == 0 ? 0 : SECOND_NS * SCHEDULED_BATCH * threads / rate;
    }

    /**
     * Runs all threads to their end.
     *
     * @return how many records each pushed
     */
    static long[] run(PushTeam team, int threads, double seconds, double rate) throws InterruptedException {
        final ScalingPhase phase = new ScalingPhase(team, threads, seconds, rate);
        final List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            final int number = i;
            final Thread thread = new Thread(() -> phase.push(number), "bench-push-" + i);
            all.add(thread);
            thread.start();
        }
        for (final Thread thread : all) {
            thread.join();
        }
        final Throwable failed = phase.failure.get();
        if (failed != null) {
            throw new IllegalStateException("a thread failed", failed);
        }
        return Arrays.copyOf(phase.pushed, threads);
    }

    private void push(int thread) {
        try {
            long batches = 0;
            final int batch = intervalNs == 0 ? PushRun.BATCH : SCHEDULED_BATCH;
            while (System.nanoTime() < endNs && failure.get() == null) {
                final long dueNs = beginNs + (long) (batches * intervalNs);
                if (dueNs >= endNs) {
                    break;
                }
                waitUntil(dueNs);
                team.push(thread, batch);
                batches++;
            }
            team.flush(thread);
            pushed[thread] = batches * batch;
        } catch (final RuntimeException | Error e) {
            failure.compareAndSet(null, e);
        }
    }

    private static void waitUntil(long dueNs) {
        for (long aheadNs = dueNs - System.nanoTime(); aheadNs > 0; aheadNs = dueNs - System.nanoTime()) {
            LockSupport.parkNanos(aheadNs);
        }
    }
}
