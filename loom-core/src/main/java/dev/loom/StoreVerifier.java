package dev.loom;

import dev.loom.error.LoomException;
import dev.loom.io.Storage;
import dev.loom.store.StoreVerification;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/**
 * Checks every page and entry of a store: checksums, structure, and the timestamp index against the records. Never
 * writes. Of a live store it checks what is in segment files.
 */
public final class StoreVerifier {
    private StoreVerifier() {}

    /** Receives problems one by one. */
    @FunctionalInterface
    public interface ProblemHandler {
        /** Called once per problem. */
        void onProblem(Path file, long offset, String message);
    }

    /**
     * What was checked.
     *
     * @param entries records, index entries and schema entries
     * @param complete false if it was cancelled
     */
    public record Report(long files, long pages, long entries, long bytes, long problems, boolean complete) {}

    /**
     * Checks a store.
     *
     * @param cancelled polled once per page
     * @throws LoomException when there is no store that can be attached
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
