package dev.loom.store;

import dev.loom.api.ProgressHandler;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.filter.SourceUnits;
import dev.loom.filter.TextIndexLimits;
import dev.loom.filter.UnitFiles;
import dev.loom.format.IndexedText;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Builds the text index of all sources that have one, on a thread of its own that follows the log, and takes no more than its share of
 * a processor and of memory. Sources for which the memory does not suffice take turns; one that lost its turn builds its open unit
 * again. The writer never waits for it: it reads what the writer published, as any reader does. A source whose records it can't take,
 * as when a format of the program's own throws, is given up until its definition changes, or the next session; the others go on.
 */
final class TextIndexing implements AutoCloseable {
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long WAIT_NS_MAX = TimeUnit.MINUTES.toNanos(1);

    /** The part of the heap that units which are being built may take: the rest is the program's. */
    private static final int HEAP_SHARE = 8;

    /**
     * What it needs of its session.
     *
     * @param ready whether the indexes that lead to records are complete; before that nothing is done
     * @param durable the end of the records that survive a power cut
     * @param guard throws once another writer has the store
     * @param room whether files may take this number of bytes more
     * @param open receives the number of units that are being built
     */
    record Parts(
            UnitFiles files,
            long storeId,
            Supplier<Snapshot> snapshot,
            Supplier<List<Source>> sources,
            BooleanSupplier ready,
            LongSupplier durable,
            Runnable guard,
            LongPredicate room,
            IntConsumer open,
            TextIndexSettings settings) {}

    private final Parts parts;
    private final TextIndexLimits limits;
    private final TextFollower.Parts followerParts;
    private final int followersMax;
    private final PacedThread thread;

    /** In the order in which their turns began. */
    private final Map<Integer, TextFollower> followers = new LinkedHashMap<>();
    /** For sources without a follower: when they may have one again. */
    private final Map<Integer, Turn> turns = new HashMap<>();

    /** Sources that are given up, with the reason. */
    private final Map<Integer, GivenUp> givenUp = new HashMap<>();

    /** How much was durable when there was nothing more to do. */
    private long doneTo = -1;

    /** Set while somebody waits for all to be indexed. */
    private volatile @Nullable CompletableFuture<Boolean> finished;

    /** Completed when the attempt has ended. */
    private @Nullable CompletableFuture<Boolean> answered;

    /** Why some source has no index. */
    private volatile @Nullable String sourceFailure;

    /** Whether the attempt left out nothing that was durable when it began. */
    private boolean complete;

    /** The bytes of the log that followers have before them. */
    private volatile long left;

    /** Why a source is given up, and what was asked to be indexed of it then. */
    private record GivenUp(@Nullable String asked, String reason) {}

    /** When a source gets its turn, and how long it has to wait if that does not complete a unit. */
    private record Turn(long atNs, long waitNs) {}

    TextIndexing(Parts parts) {
        this.parts = parts;
        TextIndexSettings settings = parts.settings();
        limits = new TextIndexLimits(settings.lists(), settings.parameters(), settings.bytesMax());
        thread = new PacedThread("loom-text", this::share, IDLE_NS, new PacedThread.Work() {
            @Override
            public boolean run() {
                return work();
            }

            @Override
            public void ended() {
                tellOpen();
                answer();
            }
        });
        followerParts = new TextFollower.Parts(parts.room(), parts.guard(), thread::rest);
        long memory = Math.min(settings.memoryBytes(), Runtime.getRuntime().maxMemory() / HEAP_SHARE);
        followersMax = (int) Math.max(1, memory / SourceUnits.length(limits));
    }

    /** All of a processor while somebody waits. */
    private double share() {
        return finished == null ? parts.settings().share() : 1;
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

    /** Why the text index can't be built now, or not for some source, or null. */
    @Nullable
    String failure() {
        Throwable last = thread.failure();
        return last == null ? sourceFailure : String.valueOf(last);
    }

    /** Gives each source a turn. Returns whether one of them has more to do right away. */
    private boolean work() {
        CompletableFuture<Boolean> awaited = finished; // read first: what is waited for was durable before
        long durable = parts.durable().getAsLong();
        if (!parts.ready().getAsBoolean() || (durable == doneTo && awaited == null)) {
            return false;
        }
        boolean whole = false;
        try {
            complete = true;
            boolean more = pass(durable);
            if (!more && awaited != null) {
                followers.values().forEach(this::endUnit);
                answered = awaited;
            }
            whole = true;
            return more;
        } finally {
            if (!whole) {
                followers.clear(); // a unit may lack rows that were being read
                if (awaited != null) {
                    complete = false;
                    answered = awaited;
                }
            }
        }
    }

    private void tellOpen() {
        int open = 0;
        for (TextFollower follower : followers.values()) {
            open += follower.units().assembler().isEmpty() ? 0 : 1;
        }
        parts.open().accept(open);
    }

    /** Tells who waits, after {@link #failure()} says what they may want to know. */
    private void answer() {
        CompletableFuture<Boolean> waiting = answered;
        if (waiting != null) {
            answered = null;
            waiting.complete(complete);
        }
    }

    /** Ends the unit that is being built, as nothing more will come soon. */
    private void endUnit(TextFollower follower) {
        SourceUnits units = follower.units();
        long before = units.indexedTo();
        boolean written = units.write(parts.room(), parts.guard());
        complete &= written && !follower.lacksRoom();
        if (units.indexedTo() > before) {
            units.putTogether(parts.room(), parts.guard());
            units.keepWithin();
        }
    }

    /**
     * Waits until all that is durable is indexed, even if it is little, as fast as a processor can. For the writer's thread, or a thread
     * that waits for it.
     *
     * @return false if memory, room or the disk failed an attempt that began after this call
     */
    boolean finish(ProgressHandler progress) {
        long[] most = {0};
        CompletableFuture<Boolean> request = new CompletableFuture<>();
        finished = request;
        thread.hurry();
        try {
            return thread.await(request, () -> {
                long now = left;
                most[0] = Math.max(most[0], now);
                return !progress.onProgress(most[0] - now, most[0]);
            });
        } finally {
            finished = null;
        }
    }

    private boolean pass(long durable) {
        boolean more = false;
        boolean waiting = false;
        String failed = null;
        for (Source source : parts.sources().get()) {
            thread.rest(); // many sources without anything new are work too
            try {
                forgetChanged(source);
                GivenUp given = givenUp.get(source.id());
                if (given != null) {
                    failed = given.reason();
                } else if (followers.containsKey(source.id()) || mayFollow(source)) {
                    more |= step(source, durable);
                } else {
                    waiting |= turns.containsKey(source.id());
                }
            } catch (StoreIoException
                    | StoreReopenedException
                    | OutOfMemoryError
                    | InternalError e) { // the last as where a mapped file can't be read
                throw e; // says nothing about the source
            } catch (Throwable e) {
                if (thread.cancelled()) {
                    throw e;
                }
                followers.remove(source.id());
                failed = "source has no text index: source=" + source.name() + ", reason="
                        + (e instanceof RuntimeException ? e.getMessage() : e);
                givenUp.put(source.id(), new GivenUp(source.attributes().get(IndexedText.ATTRIBUTE), failed));
            }
        }
        sourceFailure = failed;
        // where there was no room there may be some later, though no more is durable then
        boolean lacksRoom = followers.values().stream().anyMatch(TextFollower::lacksRoom);
        doneTo = more || waiting || lacksRoom ? -1 : durable;
        return more;
    }

    /** Starts over with a source whose definition has changed: its open unit is built again by the new one. */
    private void forgetChanged(Source source) {
        String asked = source.attributes().get(IndexedText.ATTRIBUTE);
        TextFollower follower = followers.get(source.id());
        if (follower != null
                && !Objects.equals(asked, follower.source().attributes().get(IndexedText.ATTRIBUTE))) {
            followers.remove(source.id());
        }
        GivenUp given = givenUp.get(source.id());
        if (given != null && !Objects.equals(asked, given.asked())) {
            givenUp.remove(source.id());
        }
    }

    /** Whether a source without a follower has text, and it is its turn. */
    private boolean mayFollow(Source source) {
        Turn turn = turns.get(source.id());
        boolean due = turn == null || System.nanoTime() - turn.atNs() >= 0 || finished != null;
        return due && mayHaveText(source);
    }

    /** Lets a source take what there is; if others wait, until it has a unit. */
    private boolean step(Source source, long durable) {
        TextFollower follower = followers.get(source.id());
        if (follower == null) {
            follower = follow(source);
        }
        long before = follower.units().indexedTo();
        boolean more;
        do {
            try (Snapshot snapshot = parts.snapshot().get()) {
                more = follower.step(snapshot, durable);
            }
            left = followers.values().stream().mapToLong(TextFollower::left).sum();
        } while (more && followers.size() == followersMax && follower.units().indexedTo() == before);
        if (follower.units().indexedTo() > before) {
            turns.remove(source.id());
        }
        return more;
    }

    private TextFollower follow(Source source) {
        IndexedText indexed = IndexedText.of(source.format(), source.attributes());
        if (followers.size() == followersMax) {
            release();
        }
        TextFollower follower = new TextFollower(
                new SourceUnits(parts.files(), parts.storeId(), source.id(), indexed, limits), source, followerParts);
        followers.put(source.id(), follower);
        return follower;
    }

    /** Ends the turn of a source, for the sake of one that waits. */
    private void release() {
        Iterator<TextFollower> all = followers.values().iterator();
        TextFollower released = all.next();
        all.remove();
        if (finished != null) {
            endUnit(released);
        }
        int id = released.source().id();
        Turn last = turns.get(id);
        long waitNs = last == null ? IDLE_NS : Math.min(2 * last.waitNs(), WAIT_NS_MAX);
        turns.put(id, new Turn(System.nanoTime() + waitNs, waitNs));
    }

    /** Whether a source has a text index, a definition of one that makes no sense, or a format that throws when it is asked. */
    static boolean mayHaveText(Source source) {
        String asked = source.attributes().get(IndexedText.ATTRIBUTE);
        try {
            return asked == null ? !source.format().indexedText().isEmpty() : !asked.isEmpty();
        } catch (OutOfMemoryError e) {
            throw e; // says nothing about the format
        } catch (Throwable e) {
            return true; // the thread gives the source up, and says why
        }
    }

    /** What is indexed of a source; nothing if its definition makes no sense, or its format throws. */
    static IndexedText indexedOrNone(Source source) {
        try {
            return IndexedText.of(source.format(), source.attributes());
        } catch (OutOfMemoryError e) {
            throw e; // says nothing about the format
        } catch (Throwable e) {
            return IndexedText.NONE;
        }
    }

    /** Ends the thread, and waits for its end. */
    @Override
    public void close() {
        thread.close();
    }
}
