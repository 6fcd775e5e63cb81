package dev.loom.api;

import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * Staging that was found on this host, and what became of the store that it belongs to.
 *
 * @param staging its directory
 * @param state whether it is in use, needed, or left over
 * @param reason why it has that state; may be empty
 * @param storeId the store's
 * @param directory where the store is, or was last; empty if unknown
 * @param owner the process that writes the store, or wrote it; empty if unknown
 * @param bytes the memory that it takes; -1 if unknown
 * @param created when it was created
 * @param own whether it belongs to this process's user
 */
public record StagedStore(
        Path staging,
        State state,
        String reason,
        long storeId,
        Optional<Path> directory,
        Optional<StoreInfo.Owner> owner,
        long bytes,
        Instant created,
        boolean own) {

    /** What becomes of staging. */
    public enum State {
        /** A writer has it. */
        LIVE,
        /** Its writer was killed, and the next opening of the store recovers what only it holds. */
        DEAD,
        /** No opening will ever use it: the store was deleted, or has had another session since. */
        ORPHANED,
        /** The store is not where it was: it was moved or deleted, or its file system is not mounted here. */
        MISSING,
        /** It can't be read, or does not name its store. */
        UNKNOWN
    }
}
