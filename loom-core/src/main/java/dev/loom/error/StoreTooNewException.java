package dev.loom.error;

/** The store has a newer major format than this library reads; nothing was changed. */
public class StoreTooNewException extends LoomException {
    private static final long serialVersionUID = 1L;

    public StoreTooNewException(String message) {
        super(message);
    }

    public StoreTooNewException(String message, Throwable cause) {
        super(message, cause);
    }
}
