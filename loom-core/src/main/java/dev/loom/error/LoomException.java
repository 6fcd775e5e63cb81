package dev.loom.error;

/** Whatever a store can answer in place of a result. Programming errors are {@link IllegalArgumentException} and {@link IllegalStateException} instead. */
public class LoomException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public LoomException(String message) {
        super(message);
    }

    public LoomException(String message, Throwable cause) {
        super(message, cause);
    }
}
