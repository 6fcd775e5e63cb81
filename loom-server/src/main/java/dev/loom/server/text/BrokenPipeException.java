package dev.loom.server.text;

/** Nobody reads standard output any more, as after {@code | head}. */
public final class BrokenPipeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BrokenPipeException(Throwable cause) {
        super("standard output is closed", cause);
    }
}
