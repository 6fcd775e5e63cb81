package dev.loom.error;

/**
 * A failure of a store. Programming errors throw {@link IllegalArgumentException} and {@link IllegalStateException}
 * instead.
 */
public class LoomException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public LoomException(String message) {
        super(message);
    }

    public LoomException(String message, Throwable cause) {
        super(message, cause);
    }
}
