package dev.loom.error;

/**
 * Another writer has taken over the store, and this one no longer writes. The other writer has the records pushed here
 * before, as far as it could see them. Close this store and open it again.
 */
public class StoreFencedException extends LoomException {
    private static final long serialVersionUID = 1L;

    public StoreFencedException(String message) {
        super(message);
    }

    public StoreFencedException(String message, Throwable cause) {
        super(message, cause);
    }
}
