package dev.loom.store;

import dev.loom.error.CorruptStoreException;
import dev.loom.io.FileId;
import dev.loom.io.Platform;
import dev.loom.io.Storage;
import java.nio.file.Path;

/**
 * Tells a copy of a store that was being written from the store itself. A copy lacks what only the original's rings hold, and those are
 * not its own to take.
 *
 * <p>Another inode is a copy. So is another device within one boot, unless the file system itself has come back with another number, as
 * a volume does that was detached and attached again; or unless the rings are gone, so that there is nothing to take.
 */
final class Copies {
    private Copies() {}

    /** Whether the store in a directory, by its mark, is a copy of one that was being written. */
    static boolean isCopy(StoreFiles files, Storage storage, Mark mark) {
        FileId file = FileId.of(files.mark());
        return mark.copied(file, Platform.bootId())
                && (file.inode() != mark.file().inode() || !cameBack(files, storage, mark));
    }

    /** Whether a store may be made of what the directory holds, as nothing of it lies elsewhere that could be had. */
    static boolean isAdoptable(StoreFiles files, Storage storage, Mark mark) {
        return isCopy(files, storage, mark)
                || (mark.copied(FileId.of(files.mark()), Platform.bootId()) && !storage.exists(mark.staging()));
    }

    private static boolean cameBack(StoreFiles files, Storage storage, Mark mark) {
        Path staging = mark.staging();
        if (!storage.exists(staging)) {
            return true;
        }
        StoreHome then = Staging.read(staging);
        return then != null
                && then.mark().equals(mark.file())
                && then.cameBackAs(StoreHome.of(files))
                && Staging.abandoned(staging)
                && Staging.isOfSession(storage, staging, mark); // else the rings came back too, maybe not as they were
    }

    /**
     * Refuses a copy.
     *
     * @throws CorruptStoreException saying what makes a store of it
     */
    static void check(StoreFiles files, Storage storage, Mark mark) {
        if (isCopy(files, storage, mark)) {
            throw refusal(files, mark);
        }
    }

    static CorruptStoreException refusal(StoreFiles files, Mark mark) {
        boolean sameInode = FileId.find(files.mark()).inode() == mark.file().inode();
        return new CorruptStoreException("store was copied while being written"
                + (sameInode ? ", or its file system came back and can't be told from a copy" : "")
                + ": directory=" + files.directory()
                + ", staging of the original=" + mark.staging()
                + "; loom verify --repair, or StoreVerifier.repair, makes a store of what it holds");
    }
}
