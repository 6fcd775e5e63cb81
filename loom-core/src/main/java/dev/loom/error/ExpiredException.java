package dev.loom.error;

/** The requested records are no longer retained. */
public class ExpiredException extends LoomException {
    private static final long serialVersionUID = 1L;

    public ExpiredException(String message) {
        super(message);
    }

    public ExpiredException(String message, Throwable cause) {
        super(message, cause);
    }
}
