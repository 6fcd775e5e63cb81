package dev.loom.store;

import dev.loom.api.Index;
import dev.loom.api.ProgressHandler;
import dev.loom.api.Snapshot;
import dev.loom.error.LoomException;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.record.LeasedSnapshot;
import dev.loom.rollup.RunFiles;
import dev.loom.rollup.RunReader;
import dev.loom.rollup.RunShape;
import dev.loom.rollup.RunWriter;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sums up runs of chunks on a thread of its own, which follows the log and takes no more than its share of a processor. The writer never
 * waits for it. It takes only chunks that are durable: what a power cut may take is in no run, as other records will have those
 * addresses. A run that can't be summed up, as a directory in it is damaged, is left out, and so are the longer ones with it. What the
 * disk does not deliver may come later, so it is waited for; but not for ever, since one bad sector must not be the end of all runs: then
 * it is taken for damage, until the store is opened again.
 */
final class Rollups implements AutoCloseable {
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The attempts at a run of which the disk does not deliver some, before that is taken for damage. */
    private static final int ATTEMPTS_MAX = 8;

    /** The runs that are built with one snapshot, which keeps what retention deletes. */
    private static final int RUNS_AT_ONCE = 16;

    /**
     * What it needs of its session.
     *
     * @param ready whether the indexes are complete; before that nothing is done
     * @param durable the end of the records that survive a power cut
     * @param guard throws once another writer has the store
     * @param room whether files may take this number of bytes more
     * @param share of a processor, above 0 to 1
     */
    record Parts(
            RunFiles files,
            long storeId,
            Supplier<Snapshot> snapshot,
            IntFunction<@Nullable Index> index,
            BooleanSupplier ready,
            LongSupplier durable,
            Runnable guard,
            LongPredicate room,
            double share) {}

    private final Parts parts;
    private final PacedThread thread;
    private final RunBuilder builder;
    private final RunWriter writer;

    /** By level: the number of the next run. */
    private final long[] next = new long[RunShape.LEVELS + 1];

    /** By level: the attempts at the next run that failed. */
    private final int[] attempts = new int[RunShape.LEVELS + 1];

    /** Whether what the disk does not deliver is taken for damage. */
    private boolean lenient;

    /** How much was durable when there was nothing more to do. */
    private long doneTo = -1;

    /** What callers wait for, each for its own. */
    private final Set<CompletableFuture<Boolean>> awaited = ConcurrentHashMap.newKeySet();

    /** Those that the attempt answers. */
    private List<CompletableFuture<Boolean>> answered = List.of();

    private boolean lacksRoom;

    /** The records before are summed up by runs of level 1, or can't be. */
    private volatile long reached;

    Rollups(Parts parts) {
        this.parts = parts;
        this.builder = new RunBuilder(parts.index());
        this.writer = new RunWriter(parts.files(), parts.storeId());
        thread = new PacedThread("loom-rollup", this::share, IDLE_NS, new PacedThread.Work() {
            @Override
            public boolean run() {
                return work();
            }

            @Override
            public void ended() {
                answer();
            }
        });
    }

    /** All of a processor while somebody waits. */
    private double share() {
        return awaited.isEmpty() ? parts.share() : 1;
    }

    void start() {
        thread.start();
    }

    Thread thread() {
        return thread.thread();
    }

    /** Looks for work again, since more is durable now. */
    void wake() {
        thread.wake();
    }

    /** Why runs can't be summed up now, or null. */
    @Nullable
    Throwable failure() {
        return thread.failure();
    }

    private boolean work() {
        List<CompletableFuture<Boolean>> waiting =
                List.copyOf(awaited); // read first: what is waited for was durable before
        long durable = parts.durable().getAsLong();
        boolean more = false;
        try {
            if (parts.ready().getAsBoolean() && durable != doneTo) {
                more = build(durable);
                doneTo = more || lacksRoom ? -1 : durable;
            }
        } finally {
            answered = more ? List.of() : waiting;
        }
        return more;
    }

    private void answer() {
        if (!answered.isEmpty()) {
            boolean done =
                    thread.failure() == null && !lacksRoom && parts.ready().getAsBoolean();
            answered.forEach(each -> each.complete(done));
            answered = List.of();
        }
    }

    /** Builds some runs. Returns whether there may be more right away. */
    private boolean build(long durable) {
        lacksRoom = false;
        if (!isDue(durable)) {
            return false;
        }
        int left = RUNS_AT_ONCE;
        try (Snapshot snapshot = parts.snapshot().get();
                RunReader built = new RunReader(parts.files(), parts.storeId());
                RunReader below = new RunReader(parts.files(), parts.storeId());
                ChunkWalk walk = builder.walk(((LeasedSnapshot) snapshot).view())) {
            if (!lenient) {
                walk.failUnreadable();
                below.failUnreadable();
            }
            long begin = ((LeasedSnapshot) snapshot).view().retainedBegin();
            for (int level = 1; level <= RunShape.LEVELS; level++) {
                next[level] = Math.max(next[level], firstWithin(level, begin));
                while (isDue(level, durable)) {
                    if (left-- == 0) {
                        return true;
                    }
                    if (!build(walk, built, below, level, durable)) {
                        break;
                    }
                    next[level]++;
                    reached = RunShape.begin(1, next[1]);
                }
            }
        }
        return false;
    }

    private boolean isDue(long durable) {
        for (int level = 1; level <= RunShape.LEVELS; level++) {
            if (isDue(level, durable)) {
                return true;
            }
        }
        return false;
    }

    /** Whether all that a level's next run sums up is there; runs of the level below that were not built are missing for good. */
    private boolean isDue(int level, long durable) {
        long end = level == 1 ? durable : RunShape.begin(level - 1, next[level - 1]);
        return RunShape.begin(level, next[level] + 1) <= end;
    }

    /** The first run whose chunks all begin at an address or behind it. */
    private static long firstWithin(int level, long address) {
        long number = RunShape.number(level, address);
        return RunShape.begin(level, number) < address ? number + 1 : number;
    }

    /** Builds a run, unless it is there. Returns whether it is done with. */
    private boolean build(ChunkWalk walk, RunReader built, RunReader below, int level, long durable) {
        long number = next[level];
        thread.rest();
        if (built.read(level, number)) {
            return true;
        }
        RunBuilder.Outcome outcome;
        try {
            outcome = level == 1
                    ? builder.ofChunks(walk, number, durable, thread::rest)
                    : builder.ofRuns(below, level, number, thread::rest);
        } catch (StoreIoException e) {
            lenient |= ++attempts[level] == ATTEMPTS_MAX;
            throw e;
        }
        attempts[level] = 0;
        if (outcome != RunBuilder.Outcome.DONE) {
            return outcome == RunBuilder.Outcome.HOLE;
        }
        parts.guard().run();
        boolean written = builder.write(writer, level, number, parts.room());
        checkOwn();
        lacksRoom |= !written;
        built.refresh();
        below.refresh();
        return written;
    }

    /** What was just written may be in a store that has taken the place meanwhile, whose records it is not about. */
    private void checkOwn() {
        try {
            parts.guard().run();
        } catch (StoreReopenedException e) {
            deleteAll();
            throw e;
        }
    }

    /**
     * Waits until all that is durable is summed up, as fast as a processor can.
     *
     * @return false if memory, room or the disk failed an attempt that began after this call
     */
    boolean finish(ProgressHandler progress) {
        long from = reached;
        long total = Math.max(0, parts.durable().getAsLong() - from);
        CompletableFuture<Boolean> request = new CompletableFuture<>();
        awaited.add(request);
        thread.hurry();
        try {
            return thread.await(request, () -> !progress.onProgress(Math.min(reached - from, total), total));
        } finally {
            awaited.removeIf(each -> each == request);
        }
    }

    /**
     * Ends the thread, waits for its end, and makes durable what it has written; what can't be is deleted. Another writer's files are left
     * alone. Memory that runs out is no failure.
     */
    @Override
    public void close() {
        thread.close();
        try {
            parts.guard().run();
        } catch (LoomException | OutOfMemoryError e) {
            return; // the files may be another writer's; checksums tell what is wrong with them
        }
        try {
            writer.sync();
        } catch (StoreIoException | OutOfMemoryError e) {
            deleteAll();
        }
    }

    private void deleteAll() {
        try {
            parts.files().deleteAll();
        } catch (StoreIoException | OutOfMemoryError e) {
            // its checksums tell what is wrong with it
        }
    }
}
