package dev.loom;

import dev.loom.api.Index;
import dev.loom.api.ProgressHandler;
import dev.loom.error.LoomException;
import dev.loom.error.StoreNotFoundException;
import dev.loom.io.LenientStorage;
import dev.loom.io.Storage;
import dev.loom.store.Repair;
import dev.loom.store.StoreVerification;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks every page and entry of a store: checksums, structure, and all that the indexes say against the records. Verifying never
 * writes. Of a live store it checks what is in segment files. Memory does not depend on the store's length.
 */
public final class StoreVerifier {
    private StoreVerifier() {}

    /** Receives problems one by one. */
    @FunctionalInterface
    public interface ProblemHandler {
        /** Called once per problem. */
        void onProblem(Path file, long offset, String message);

        /** Called for damage that an earlier {@link #repair} set aside, and that is byte for byte as it was then. */
        default void onKnown(Path file, long offset, String message) {}
    }

    /** Receives what a repair sets aside. */
    @FunctionalInterface
    public interface RepairHandler {
        /**
         * Called once it is durable.
         *
         * @param file the file that it is from
         * @param offset the offset of what is wrong there
         * @param copy the copy, in a directory of the store; null if there was nothing to copy, as of a missing file
         */
        void onSetAside(Path file, long offset, String reason, @Nullable Path copy);
    }

    /**
     * What was checked.
     *
     * @param entries records, index entries and schema entries
     * @param known what an earlier repair set aside; not among the problems
     * @param uncompared the indexes whose values were not compared with the records, because their functions are the
     *     writing program's own; their totals and bins were compared with each other
     * @param complete false if it was cancelled
     */
    public record Report(
            long files,
            long pages,
            long entries,
            long bytes,
            long problems,
            long known,
            List<Index> uncompared,
            boolean complete) {}

    /**
     * What a repair did.
     *
     * @param directory where it set things aside; null if there was nothing
     * @param rebuilt whether the indexes were wrong, and were rebuilt from the records
     */
    public record Repaired(@Nullable Path directory, boolean rebuilt) {}

    /**
     * Checks a store.
     *
     * @param progress called before each page, in each pass over the files
     * @throws LoomException when there is no store that can be attached
     */
    public static Report verify(Path directory, ProblemHandler handler, ProgressHandler progress) {
        StoreVerification.Counts counts = StoreVerification.run(
                Storage.DISK,
                directory,
                (file, offset, message, known) -> {
                    if (known) {
                        handler.onKnown(file, offset, message);
                    } else {
                        handler.onProblem(file, offset, message);
                    }
                },
                progress);
        return new Report(
                counts.files(),
                counts.pages(),
                counts.entries(),
                counts.bytes(),
                counts.problems(),
                counts.known(),
                counts.uncompared(),
                counts.complete());
    }

    /** As {@link #verify(Path, ProblemHandler, ProgressHandler)}, to the end. */
    public static Report verify(Path directory, ProblemHandler handler) {
        return verify(directory, handler, ProgressHandler.NONE);
    }

    /**
     * Recovers a store as its next writer would, takes over a copy of a live one, verifies it, rebuilds its indexes if they
     * are wrong, and closes it. What can't be rebuilt is never deleted: files and bytes that belong to no log are moved, and
     * damaged pages, damaged entries and indexes to be rebuilt are copied to a directory {@code set-aside/TIME} of the store,
     * with a list. Damaged pages of records stay in their place, and a later verification reports them as known. A block that the
     * disk does not deliver, while it delivers others, is damage like any other. Waits until the indexes are rebuilt. May be
     * repeated after a crash.
     *
     * @param progress of each step, from 0 again: recovery, verification, rebuild; called before each page or chunk
     * @throws LoomException when another writer has the store; when the disk is full, or can't be read or written: nothing
     *     that was not set aside before is then lost
     * @throws java.util.concurrent.CancellationException when that ended it; if the indexes were being rebuilt, the next opening goes on
     */
    public static Repaired repair(Path directory, RepairHandler handler, ProgressHandler progress) {
        return repair(LoomConfig.at(directory), handler, progress);
    }

    static Repaired repair(LoomConfig.Builder builder, RepairHandler handler, ProgressHandler progress) {
        LoomConfig config = builder.build();
        Path directory = config.directory();
        requireStore(directory);
        Repair repair = new Repair(directory, handler::onSetAside, progress);
        Storage disk = config.settings().storage();
        Loom.open(builder.storage(LenientStorage.of(disk, directory.resolve("loom.mark")))
                        .adoptCopy(true)
                        .backgroundRebuildBytes(Long.MAX_VALUE)
                        .repair(repair)
                        .repairProgress(progress)
                        .build())
                .close();
        return new Repaired(repair.directory(), repair.rebuilds());
    }

    /** Opening a directory without a store would create one. */
    private static void requireStore(Path directory) {
        try {
            LoomReader.attach(directory).close();
        } catch (StoreNotFoundException e) {
            throw e;
        } catch (LoomException e) {
            // recovery deals with whatever else keeps readers out
        }
    }
}
