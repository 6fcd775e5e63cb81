package dev.loom.store;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.filter.SourceUnits;
import dev.loom.filter.TextIndexLimits;
import dev.loom.filter.UnitFiles;
import dev.loom.format.IndexedText;
import dev.loom.io.StoreThread;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Builds the text index of all sources that have one, on a thread of its own that follows the log, and takes no more than its share of
 * a processor and of memory. Sources for which the memory does not suffice take turns; one that lost its turn builds its open unit
 * again. The writer never waits for it: it reads what the writer published, as any reader does. While the disk fails or memory runs
 * out, it retries after pauses that grow to a minute.
 */
final class TextIndexing implements AutoCloseable {
    private static final long PAUSE_NS_MIN = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long PAUSE_NS_MAX = TimeUnit.MINUTES.toNanos(1);

    /** The part of the heap that units which are being built may take: the rest is the program's. */
    private static final int HEAP_SHARE = 8;

    /** The work after which the thread rests. */
    private static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * What it needs of its session.
     *
     * @param durable the end of the records that survive a power cut
     * @param guard throws once another writer has the store
     * @param room whether files may take so many bytes more
     */
    record Parts(
            UnitFiles files,
            long storeId,
            Supplier<Snapshot> snapshot,
            Supplier<List<Source>> sources,
            LongSupplier durable,
            Runnable guard,
            LongPredicate room,
            TextIndexSettings settings) {}

    private final Parts parts;
    private final TextIndexLimits limits;
    private final TextFollower.Parts followerParts;
    private final int followersMax;
    private final Thread thread = StoreThread.of("loom-text", this::run);

    private final Map<Integer, TextFollower> followers = new HashMap<>();
    /** For sources without a follower: when they may have one again. */
    private final Map<Integer, Turn> turns = new HashMap<>();

    private long turnBeganNs;
    /** How much was durable when there was nothing more to do. */
    private long doneTo = -1;

    /** Set while somebody waits for all to be indexed. */
    private volatile @Nullable CountDownLatch finished;

    private volatile boolean cancelled;
    private volatile @Nullable Throwable failure;
    /** Why some source has no index. */
    private volatile @Nullable Throwable badDefinition;

    /** Whether all that was durable when it was last waited for is indexed. */
    private volatile boolean complete;

    /** When a source gets its turn, and how long it has to wait if that does not complete a unit. */
    private record Turn(long atNs, long waitNs) {}

    TextIndexing(Parts parts) {
        this.parts = parts;
        TextIndexSettings settings = parts.settings();
        limits = new TextIndexLimits(settings.lists(), TextIndexLimits.ROWS, settings.bytesMax());
        followerParts = new TextFollower.Parts(parts.room(), parts.guard(), this::rest);
        long memory = Math.min(settings.memoryBytes(), Runtime.getRuntime().maxMemory() / HEAP_SHARE);
        followersMax = (int) Math.max(1, memory / SourceUnits.length());
    }

    void start() {
        thread.start();
    }

    Thread thread() {
        return thread;
    }

    /** Looks for work again, since more is durable now. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** Why the text index can't be built now, or null. */
    @Nullable
    Throwable failure() {
        Throwable last = failure;
        return last == null ? badDefinition : last;
    }

    private void run() {
        long pauseNs = PAUSE_NS_MIN;
        while (!cancelled) {
            try {
                turnBeganNs = System.nanoTime();
                boolean more = pass();
                failure = null;
                pauseNs = PAUSE_NS_MIN;
                if (!more) {
                    LockSupport.parkNanos(PAUSE_NS_MIN);
                    Thread.interrupted(); // not meant for this thread, and a pending one would end every park
                }
            } catch (CancellationException e) {
                break; // the session is being closed
            } catch (StoreIoException | CorruptStoreException | VirtualMachineError e) {
                followers.clear(); // a unit may lack rows that were being read
                failure = e;
                pause(pauseNs);
                pauseNs = Math.min(2 * pauseNs, PAUSE_NS_MAX);
            } catch (Throwable e) {
                failure = e;
                break;
            }
        }
    }

    /** Gives each source a turn. Returns whether one of them has more to do right away. */
    private boolean pass() {
        long durable = parts.durable().getAsLong();
        CountDownLatch awaited = finished;
        if (durable == doneTo && awaited == null) {
            return false;
        }
        boolean more = pass(durable);
        if (!more && awaited != null) {
            finished = null;
            complete = writeOpenUnits();
            awaited.countDown();
        }
        return more;
    }

    /** Ends the units that are being built, as nothing more will come soon. Returns false if there was no room for some. */
    private boolean writeOpenUnits() {
        boolean all = true;
        for (TextFollower follower : followers.values()) {
            all &= follower.units().write(parts.room(), parts.guard()) && !follower.lacksRoom();
        }
        return all;
    }

    /**
     * Waits until all that is durable is indexed, even if it is little, as fast as a processor can. For the writer's thread, or a thread
     * that waits for it.
     *
     * @return false if that can't be, since memory, room or the disk fails
     */
    boolean finish(BooleanSupplier giveUp) {
        CountDownLatch latch = new CountDownLatch(1);
        Throwable before = failure;
        finished = latch;
        wake();
        boolean interrupted = false;
        try {
            while (thread.isAlive() && (failure == null || failure == before) && !giveUp.getAsBoolean()) {
                try {
                    if (latch.await(PAUSE_NS_MIN, TimeUnit.NANOSECONDS)) {
                        return complete;
                    }
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return false;
        } finally {
            finished = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean pass(long durable) {
        boolean more = false;
        badDefinition = null;
        List<Source> sources = parts.sources().get();
        dropChanged(sources);
        boolean waiting = false;
        for (Source source : sources) {
            TextFollower follower = followers.get(source.id());
            if (follower == null) {
                IndexedText indexed = indexed(source);
                if (indexed.isEmpty()) {
                    continue;
                }
                if (!isTurnOf(source) && finished == null) {
                    waiting = true;
                    continue;
                }
                if (followers.size() == followersMax) {
                    release();
                }
                follower = follow(source, indexed);
            }
            long before = follower.units().indexedTo();
            try (Snapshot snapshot = parts.snapshot().get()) {
                more |= follower.step(snapshot, durable);
            }
            if (follower.units().indexedTo() > before) {
                turns.remove(source.id());
            }
        }
        doneTo = more || waiting ? -1 : durable;
        return more;
    }

    private TextFollower follow(Source source, IndexedText indexed) {
        TextFollower follower = new TextFollower(
                new SourceUnits(parts.files(), parts.storeId(), source.id(), indexed, limits), source, followerParts);
        followers.put(source.id(), follower);
        return follower;
    }

    private boolean isTurnOf(Source source) {
        Turn turn = turns.get(source.id());
        return turn == null || System.nanoTime() - turn.atNs() >= 0;
    }

    /** Ends the turn of a source, for the sake of one that waits. */
    private void release() {
        Iterator<TextFollower> all = followers.values().iterator();
        TextFollower released = all.next();
        all.remove();
        int id = released.source().id();
        if (finished != null) {
            released.units().write(parts.room(), parts.guard());
        }
        Turn last = turns.get(id);
        long waitNs = last == null ? PAUSE_NS_MIN : Math.min(2 * last.waitNs(), PAUSE_NS_MAX);
        turns.put(id, new Turn(System.nanoTime() + waitNs, waitNs));
    }

    private void dropChanged(List<Source> sources) {
        followers
                .values()
                .removeIf(follower -> sources.stream()
                        .noneMatch(source -> source.id() == follower.source().id()));
    }

    /** Whether a source has a text index, or a definition of one that makes no sense. */
    static boolean mayHaveText(Source source) {
        String asked = source.attributes().get(IndexedText.ATTRIBUTE);
        return asked == null ? !source.format().indexedText().isEmpty() : !asked.isEmpty();
    }

    /** What is indexed of a source; nothing if its definition makes no sense. */
    static IndexedText indexedOrNone(Source source) {
        try {
            return IndexedText.of(source.format(), source.attributes());
        } catch (IllegalArgumentException e) {
            return IndexedText.NONE;
        }
    }

    /** What is indexed of a source; nothing, and a failure, if its definition makes no sense. */
    private IndexedText indexed(Source source) {
        try {
            return IndexedText.of(source.format(), source.attributes());
        } catch (IllegalArgumentException e) {
            badDefinition = new IllegalArgumentException(
                    "source has no text index: source=" + source.name() + ": " + e.getMessage());
            return IndexedText.NONE;
        }
    }

    private void rest() {
        long workedNs = System.nanoTime() - turnBeganNs;
        if (workedNs >= TURN_NS && finished == null) {
            pause((long) (workedNs * (1 / parts.settings().share() - 1)));
            turnBeganNs = System.nanoTime();
        }
        if (cancelled) {
            throw new CancellationException();
        }
    }

    private void pause(long ns) {
        long end = System.nanoTime() + ns;
        for (long leftNs = ns; leftNs > 0 && !cancelled; leftNs = end - System.nanoTime()) {
            LockSupport.parkNanos(leftNs);
            Thread.interrupted(); // not meant for this thread, and a pending one would end every park
        }
    }

    /** Ends the thread, and waits for its end. */
    @Override
    public void close() {
        cancelled = true;
        LockSupport.unpark(thread);
        StoreThread.join(thread);
    }
}
