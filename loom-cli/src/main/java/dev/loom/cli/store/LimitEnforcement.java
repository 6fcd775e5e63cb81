package dev.loom.cli.store;

import dev.loom.Loom;
import dev.loom.api.ProgressHandler;
import dev.loom.api.StoreInfo;
import dev.loom.cli.console.Interruption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Has a store delete what its limits demand, to the end. */
final class LimitEnforcement {
    /** How soon to look again for space that the file system frees a moment after a deletion. */
    private static final Duration SETTLING = Duration.ofMillis(100);

    /** A store as it is now. */
    interface Store {
        /** Deletes as much as one step may. */
        void step();

        long begin();

        /** Whether the file system has less free than the store is to keep. */
        boolean isShort();

        /** Why a limit can't be met, or null. */
        @Nullable
        String problem();
    }

    private LimitEnforcement() {}

    static Store of(Loom loom, Path directory) {
        return new Store() {
            @Override
            public void step() {
                loom.force();
            }

            @Override
            public long begin() {
                return loom.info().records().begin();
            }

            @Override
            public boolean isShort() {
                try {
                    FileStore files = Files.getFileStore(directory);
                    return files.getUsableSpace() < loom.info().retention().minFreeBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }

            @Override
            public @Nullable String problem() {
                StoreInfo info = loom.info();
                return info.failure()
                        .or(() -> info.writer().flatMap(StoreInfo.Writer::minFreeMissed))
                        .orElse(null);
            }
        };
    }

    /**
     * Takes one step after the other until nothing is left to delete, and no freed space is awaited.
     *
     * @param progress of the records that are deleted
     * @return why a limit is not met, or null
     */
    static @Nullable String run(Store store, ProgressHandler progress, Interruption interruption)
            throws InterruptedException {
        boolean interrupted = false;
        long first = store.begin();
        while (!interrupted) {
            long begin = store.begin();
            store.step();
            progress.onProgress(store.begin() - first, 0);
            String problem = store.problem();
            if (store.begin() > begin) {
                interrupted = interruption.requested();
            } else if (problem != null || !store.isShort()) {
                return problem;
            } else {
                // neither met nor missed: what was deleted may be free in a moment
                interrupted = interruption.await(SETTLING);
            }
        }
        return "interrupted";
    }
}
