package dev.loom.error;

/** The directory is absent, empty, or holds no store. */
public class StoreNotFoundException extends LoomException {
    private static final long serialVersionUID = 1L;

    public StoreNotFoundException(String message) {
        super(message);
    }

    public StoreNotFoundException(String message, Throwable cause) {
        super(message, cause);
    }
}
