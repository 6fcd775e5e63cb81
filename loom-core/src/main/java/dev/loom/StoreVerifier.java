package dev.loom;

import dev.loom.error.LoomException;
import dev.loom.io.Storage;
import dev.loom.store.StoreVerification;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * Checks every page and entry of a store: checksums, structure, and the timestamp index against the records. Reads only; of
 * a live store, what is in segment files.
 */
public final class StoreVerifier {
    private StoreVerifier() {}

    /** Takes one problem. */
    @FunctionalInterface
    public interface ProblemHandler {
        /** What is wrong, and where. */
        void onProblem(Path file, long offset, String message);
    }

    /**
     * What was checked.
     *
     * @param entries records, index entries and schema entries
     * @param complete false when it was cancelled
     */
    public record Report(long files, long pages, long entries, long bytes, long problems, boolean complete) {}

    /**
     * Checks a store.
     *
     * @param cancelled asked once a page
     * @throws LoomException when there is no store that could be attached
     */
    public static Report verify(Path directory, ProblemHandler handler, BooleanSupplier cancelled) {
        StoreVerification.Counts counts =
                new StoreVerification(Storage.DISK, directory, handler::onProblem, cancelled).run();
        return new Report(
                counts.files(), counts.pages(), counts.entries(), counts.bytes(), counts.problems(), counts.complete());
    }

    /** As {@link #verify(Path, ProblemHandler, BooleanSupplier)}, to the end. */
    public static Report verify(Path directory, ProblemHandler handler) {
        return verify(directory, handler, () -> false);
    }
}
