package dev.loom.error;

/** The directory is a copy made while the original was being written, so it lacks the newest records. */
public class CopiedStoreException extends LoomException {
    private static final long serialVersionUID = 1L;

    public CopiedStoreException(String message) {
        super(message);
    }

    public CopiedStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
