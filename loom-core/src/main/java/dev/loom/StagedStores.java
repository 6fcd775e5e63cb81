package dev.loom;

import dev.loom.api.StagedStore;
import dev.loom.error.LoomException;
import dev.loom.store.StagingScan;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * Finds the stores of this host by their staging. Staging whose store directory was deleted takes memory until it is removed, by
 * {@link #remove} or when the same user next opens a store with staging in the same place.
 */
public final class StagedStores {
    private StagedStores() {}

    /**
     * Finds the staging in a place, by default where stores put it. Other users' staging is listed without details if it
     * can't be read.
     *
     * @param filesMax how many files of a file system to look through for stores that are not where they were; {@code
     *     Long.MAX_VALUE} for all
     * @throws LoomException when the place can't be read
     */
    public static List<StagedStore> find(Path place, long filesMax) {
        return find(place, filesMax, files -> true);
    }

    /**
     * As {@link #find(Path, long)}, of which a search of whole file systems may take minutes.
     *
     * @param progress hears how many files it has seen on the file system that it searches, and says whether to go on; what is not found
     *     by then is missing
     */
    public static List<StagedStore> find(Path place, long filesMax, LongPredicate progress) {
        return StagingScan.of(place, filesMax, progress);
    }

    /**
     * Removes staging that was found to be orphaned, or that is missing its store. The latter loses the newest records
     * of a store that was only moved.
     *
     * @return false if it is gone already, a writer has it, or it is another user's
     * @throws IllegalArgumentException when it is in use or needed, or may be
     * @throws LoomException when it can't be deleted
     */
    public static boolean remove(StagedStore staged) {
        return StagingScan.remove(staged);
    }
}
