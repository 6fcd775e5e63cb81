package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.error.StoreLockedException;
import dev.loom.io.ProcessId;
import dev.loom.io.ProcessId.Life;
import dev.loom.io.Storage;
import dev.loom.io.StoreThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Others who write a store, or are about to, when one opens it who has its lock. A lock alone does not tell: whoever has deleted
 * the file, or closed another descriptor of it in the owner's process, has taken the owner's from him.
 *
 * <p>Where nothing can be known of a process, as of one in another container, its session is watched for longer than a live one
 * takes to restore what it has lost.
 */
final class Rivals {
    /** A live session looks after its lock, its claim and its mark every second. */
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
     * Refuses when anybody has a claim.
     *
     * @param seen the mark, which may be about to change, or null when there is none
     * @throws StoreLockedException naming him
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
        // one of two that come at once may have taken the other's claim for dead, before it was locked
        refuseIf(!own.holds(), Mark.Owner.NONE);
        dead.addAll(others);
    }

    private boolean anyAlive() {
        return own.others().stream().anyMatch(other -> other.life() == Life.ALIVE);
    }

    /** Whether a session has lost the lock of its staging too, which lies elsewhere than all that else may drop locks. */
    private boolean abandoned(@Nullable Mark mark, long nonce) {
        return mark != null
                && mark.sessionNonce() == nonce
                && !mark.staging().startsWith(files.directory())
                && Staging.abandoned(mark.staging());
    }

    /** Refuses when the session of a mark that is not closed may still write, though it has no claim. */
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

    private boolean wrote(Mark mark) {
        return Claim.of(files.claims(), mark.sessionNonce()) != null
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
            ProcessId process = owner.process();
            long pid = process.pid() > 0 ? process.pid() : -1;
            throw new StoreLockedException(
                    "store has a writer already, though its lock is free: directory=" + files.directory() + ", pid="
                            + pid + ", pid namespace=" + process.namespace() + ", host=" + owner.host(),
                    pid);
        }
    }

    /** Deletes the claims of the dead, once nothing is left of their sessions. */
    void forget() {
        dead.forEach(other -> storage.delete(other.path()));
        dead.clear();
    }

    /** Sessions that were killed, of this store and not of one that it was copied from. */
    List<Claim.Other> killed() {
        return dead.stream()
                .filter(other -> !other.owner().equals(Mark.Owner.NONE))
                .toList();
    }

    /** Whether the session of a mark lives, as far as a reader can tell. */
    static boolean alive(StoreFiles files, Mark mark) {
        Life life = mark.owner().life();
        if (life != Life.UNKNOWN) {
            return life == Life.ALIVE;
        }
        try {
            Claim.Other claim = Claim.of(files.claims(), mark.sessionNonce());
            return claim != null && claim.life() == Life.ALIVE;
        } catch (StoreIoException e) {
            return false;
        }
    }
}
