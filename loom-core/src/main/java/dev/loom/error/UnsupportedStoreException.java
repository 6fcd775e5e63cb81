package dev.loom.error;

/**
 * This library can't read the store, since its major format is newer or a library that it needs is missing, or can't keep one here:
 * on this operating system, processor or file system. Nothing was changed.
 */
public class UnsupportedStoreException extends LoomException {
    private static final long serialVersionUID = 1L;

    public UnsupportedStoreException(String message) {
        super(message);
    }

    public UnsupportedStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
