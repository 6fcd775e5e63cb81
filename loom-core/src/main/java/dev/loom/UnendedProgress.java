package dev.loom;

import dev.loom.api.ProgressHandler;

/** Tells how far work has come that goes on whatever the handler returns or throws. */
record UnendedProgress(ProgressHandler handler) implements ProgressHandler {
    @Override
    public boolean onProgress(long done, long total) {
        try {
            handler.onProgress(done, total);
        } catch (Throwable e) {
            // of the handler's own making
        }
        return true;
    }
}
