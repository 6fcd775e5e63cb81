package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.error.StoreLockedException;
import dev.loom.io.ProcessId.Life;
import dev.loom.io.Storage;
import dev.loom.io.StoreThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects other writers of a store, present or about to begin, for an opener that has its lock. The lock alone is not
 * enough: deleting the file, or closing another descriptor of it in the owner's process, takes it from the owner.
 *
 * <p>If nothing can be known about a process, as in another container, its session is watched for longer than a live
 * session takes to restore what it lost.
 */
final class Rivals {
    /** A live session checks its lock, its claim and its mark every second. */
    private static final long WATCH_NS = TimeUnit.MILLISECONDS.toNanos(2_500);

    private static final long WATCH_STEP_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final StoreFiles files;
    private final Storage storage;
    private final Claim own;
    private final List<Claim.Other> dead = new ArrayList<>();

    Rivals(StoreFiles files, Storage storage, Claim own) {
        this.files = files;
        this.storage = storage;
        this.own = own;
    }

    /**
     * Refuses if anybody has a claim.
     *
     * @param seen the mark, which may be about to change, or null if there is none
     * @throws StoreLockedException naming the owner
     */
    void refuse(@Nullable Mark seen) {
        List<Claim.Other> others = own.others();
        for (Claim.Other other : others) {
            refuseIf(other.life() == Life.ALIVE, other.owner());
        }
        others.stream()
                .filter(other -> other.life() == Life.UNKNOWN && !abandoned(seen, other.nonce()))
                .findFirst()
                .ifPresent(other -> watch(this::anyAlive, other.owner()));
        // of two simultaneous openers, one may have taken the other's claim for dead before it was locked
        refuseIf(!own.holds(), Mark.Owner.NONE);
        dead.addAll(others);
    }

    private boolean anyAlive() {
        return own.others().stream().anyMatch(other -> other.life() == Life.ALIVE);
    }

    /**
     * Whether a session has also lost the lock of its staging, which lies apart from everything else that may drop
     * locks.
     */
    private boolean abandoned(@Nullable Mark mark, long nonce) {
        return mark != null
                && mark.sessionNonce() == nonce
                && !mark.staging().startsWith(files.directory())
                && Staging.abandoned(mark.staging());
    }

    /** Refuses if the session of an unclosed mark may still write, even without a claim. */
    void refuse(Mark mark, @Nullable Staging staging) {
        boolean ended = staging != null && staging.live().stateAcquire() == LiveFile.CLOSED;
        if (ended || dead.stream().anyMatch(other -> other.nonce() == mark.sessionNonce() && !other.unknown())) {
            return;
        }
        Life life = mark.owner().life();
        refuseIf(life == Life.ALIVE, mark.owner());
        if (life == Life.UNKNOWN && !abandoned(mark, mark.sessionNonce())) {
            watch(() -> wrote(mark), mark.owner());
        }
    }

    /** A claim that was there before says nothing, unless somebody holds it: it may be what the session has left. */
    private boolean wrote(Mark mark) {
        Claim.Other claim = Claim.of(files.claims(), mark.sessionNonce());
        boolean known = dead.stream().anyMatch(other -> other.nonce() == mark.sessionNonce());
        return (claim != null && (!known || claim.life() == Life.ALIVE))
                || new MarkFile(storage, files.mark()).read().sequence() != mark.sequence();
    }

    private void watch(BooleanSupplier alive, Mark.Owner owner) {
        long end = System.nanoTime() + WATCH_NS;
        do {
            refuseIf(alive.getAsBoolean(), owner);
            StoreThread.pause(WATCH_STEP_NS);
        } while (System.nanoTime() - end < 0);
    }

    private void refuseIf(boolean alive, Mark.Owner owner) {
        if (alive) {
            throw new StoreLockedException(
                    "store already has a writer, though its lock is free: directory=" + files.directory() + ", "
                            + owner.text(),
                    owner.pidHere());
        }
    }

    /** Deletes the claims of dead owners once nothing of their sessions is left. */
    void forget() {
        dead.forEach(other -> storage.delete(other.path()));
        dead.clear();
    }

    /** Killed sessions of this store, not of one that it was copied from. */
    List<Claim.Other> killed() {
        return dead.stream()
                .filter(other -> !other.owner().equals(Mark.Owner.NONE))
                .toList();
    }

    /** Whether a mark's session is alive, as far as a reader can tell. */
    static boolean alive(StoreFiles files, Mark mark) {
        Life life = mark.owner().life();
        if (life == Life.ALIVE) {
            return true;
        }
        try {
            // a process that can't be seen, or only under another pid, is known by the kernel's lock
            Claim.Other claim = Claim.of(files.claims(), mark.sessionNonce());
            return claim != null && claim.life() == Life.ALIVE;
        } catch (StoreIoException e) {
            return false;
        }
    }
}
