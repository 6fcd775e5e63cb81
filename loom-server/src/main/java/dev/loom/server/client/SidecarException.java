package dev.loom.server.client;

import org.jspecify.annotations.Nullable;

/** A sidecar can't be reached, went away, or does not take a batch. Its message is for people. */
public final class SidecarException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SidecarException(String message, @Nullable Exception cause) {
        super(message, cause);
    }
}
