package dev.loom.store;

import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.io.FileId;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.io.WriterLock;
import dev.loom.io.WriterLock.Renewal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A session's right to write: the lock, the claim, and the mark on disk. Lock and claim keep others out, and are
 * restored when dropped. If another writer gets in nevertheless, the mark or the live file's state shows it, and this
 * session stops writing. So it does when the store was moved away and another is in its place, which it leaves as it is.
 * Thread-safe, except for each {@link Guard}.
 */
final class Tenure implements AutoCloseable {
    private final StoreFiles files;
    private final Storage storage;
    private final WriterLock lock;
    private final Claim claim;
    private final List<Guard> guards = new ArrayList<>();

    private volatile @Nullable Mark first;
    private volatile @Nullable LiveFile live;
    /** The file that has the session's mark. */
    private volatile FileId markFile = FileId.NONE;

    private volatile @Nullable StoreReopenedException fence;
    private volatile Runnable onFenced = () -> {};
    private volatile boolean fenced;
    private volatile boolean lockLost;
    private volatile boolean traces;
    private final AtomicInteger restored = new AtomicInteger();

    Tenure(StoreFiles files, Storage storage, WriterLock lock, Claim claim) {
        this.files = files;
        this.storage = storage;
        this.lock = lock;
        this.claim = claim;
    }

    /** Begins a session, whose mark is written: from now on only its own marks may follow. */
    void begin(Mark mark, LiveFile state) {
        live = state;
        // as it is now: on an overlay the mark's writing may have made it another file
        markFile = FileId.of(files.mark());
        first = mark;
    }

    /** Sets the action to run when another writer is found to have the store. */
    void onFenced(Runnable action) {
        onFenced = action;
    }

    /** As {@link #begin}, for a session that moved to other staging. */
    void moved(LiveFile state) {
        live = state;
    }

    /**
     * A guard for one user to check before its writes. Each has its own, so that nobody waits while another reads the
     * mark from a slow disk.
     */
    synchronized Guard guard() {
        Guard guard = new Guard();
        guards.add(guard);
        return guard;
    }

    /** Reads the mark through its own file and memory. For one thread at a time. */
    final class Guard {
        private final ByteBuffer slots =
                ByteBuffer.allocateDirect(2 * MarkFile.SLOT_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        private @Nullable LoomFile opened;

        private Guard() {}

        /**
         * Call before every write to the store's files, and before one is made, renamed or deleted.
         *
         * @throws StoreReopenedException when another writer has taken over the store, or another store is in its place
         * @throws StoreIoException when that can't be determined now, or nothing is in its place
         */
        void check() {
            checkKnown();
            stopIf(lookAtPlace());
            stopIf(look());
        }

        /** As {@link #check}, for a write to a file that is open already, wherever it lies now. Takes no memory. */
        void checkOpened() {
            checkKnown();
            stopIf(look());
        }

        private @Nullable StoreReopenedException lookAtPlace() {
            FileId found = FileId.find(files.mark());
            if (first == null || found.equals(markFile)) {
                return null;
            }
            if (found.equals(FileId.NONE)) {
                throw new StoreIoException("store is not in its place: directory=" + files.directory());
            }
            return new StoreReopenedException(
                    "another store has taken the place of this one: directory=" + files.directory());
        }

        private @Nullable StoreReopenedException look() {
            Mark own = first;
            LiveFile state = live;
            if (own == null || state == null) {
                return null;
            }
            readSlots();
            for (int slot = 0; slot < slots.capacity(); slot += MarkFile.SLOT_LENGTH) {
                Mark other = MarkFile.ofSession(slots, slot, own) ? null : MarkFile.slot(slots, slot);
                if (other != null) {
                    return new StoreReopenedException("another writer has taken over the store: directory="
                            + files.directory() + ", epoch=" + own.epoch() + ", now=" + other.epoch() + ", "
                            + other.owner().text());
                }
            }
            return state.stateAcquire() == LiveFile.FENCED
                    ? new StoreReopenedException(
                            "another writer is taking over the store: directory=" + files.directory())
                    : null;
        }

        private void readSlots() {
            try {
                LoomFile file = opened;
                if (file == null) {
                    file = storage.openToRead(files.mark());
                    opened = file;
                }
                slots.clear();
                file.read(slots, 0);
            } catch (StoreIoException e) {
                close();
                throw e;
            }
        }

        private void close() {
            LoomFile file = opened;
            opened = null;
            if (file != null) {
                file.close();
            }
        }
    }

    private void stopIf(@Nullable StoreReopenedException found) {
        if (found != null) {
            fence = found;
            onFenced.run();
            fenced = true;
            throw found;
        }
    }

    /**
     * Throws if the session is already known to be fenced. Reads nothing.
     *
     * @throws StoreReopenedException when it is fenced
     */
    void checkKnown() {
        StoreReopenedException known = fence;
        if (known != null) {
            throw new StoreReopenedException(String.valueOf(known.getMessage()), known);
        }
    }

    /**
     * Restores lock and claim, but not in another store that is in this one's place. Call every second; a failed restoration is then
     * retried.
     */
    void renew() {
        boolean interrupted = Thread.interrupted(); // an interrupt would close the files, and drop the locks
        try {
            if (!FileId.find(files.mark()).equals(markFile)) {
                return;
            }
            Renewal renewal = lock.renew();
            lockLost = renewal == Renewal.LOST;
            boolean claimRestored = claim.renew();
            if (renewal == Renewal.RESTORED || claimRestored) {
                restored.incrementAndGet();
            }
        } catch (StoreIoException e) {
            lockLost = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Whether another writer was found to have the store, and the action on it has run. */
    boolean fenced() {
        return fenced;
    }

    /** Whether another process has the lock, or it can't be taken again. */
    boolean lockLost() {
        return lockLost;
    }

    /** How often lock or claim was restored after being deleted or replaced. */
    int restored() {
        return restored.get();
    }

    /** Notes that the mark may name the session from now on, so that the next opening needs its claim. */
    void leaveTraces() {
        traces = true;
    }

    /** Notes that the session's staging is gone, and nothing is left for the next opening. */
    void leaveNothing() {
        traces = false;
    }

    /** Releases the store. The claim stays for the next opening if the session has left traces, unless others have the store. */
    @Override
    public void close() {
        try (lock) {
            endClaim();
        } finally {
            closeGuards();
        }
    }

    /** Closes the guards, whose users have ended. */
    private synchronized void closeGuards() {
        for (Guard guard : guards) {
            try {
                guard.close();
            } catch (StoreIoException e) {
                // it was open only for reading
            }
        }
    }

    private void endClaim() {
        if (traces && fence == null) {
            claim.leave();
        } else {
            claim.withdraw();
        }
    }
}
