package dev.loom.api;

/** Hears how far long work has come, and may end it. */
@FunctionalInterface
public interface ProgressHandler {
    /** Hears nothing, and ends nothing. */
    ProgressHandler NONE = (done, total) -> true;

    /**
     * Called now and then, by the thread that waits for the work.
     *
     * @param done bytes
     * @param total bytes, as far as is known now; 0 if unknown
     * @return whether to go on
     */
    boolean onProgress(long done, long total);
}
