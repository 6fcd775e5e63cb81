package dev.loom.error;

/**
 * Another writer has opened the store since, so that this writer no longer writes, or this reader no longer reads, what is
 * there. Records pushed before are the other writer's, as far as it could see them. Or the store was moved away under its
 * writer and another is in its place: the records are in the one that was moved. Close this store, and open or attach it
 * again.
 */
public class StoreReopenedException extends LoomException {
    private static final long serialVersionUID = 1L;

    public StoreReopenedException(String message) {
        super(message);
    }

    public StoreReopenedException(String message, Throwable cause) {
        super(message, cause);
    }
}
