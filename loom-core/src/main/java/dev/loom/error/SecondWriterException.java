package dev.loom.error;

/**
 * Another thread is the store's writer, or threads take turns and it is not the caller's, or an index function writes
 * to the store that calls it. Nothing was written or changed; the writer is not affected.
 */
public class SecondWriterException extends LoomException {
    private static final long serialVersionUID = 1L;

    public SecondWriterException(String message) {
        super(message);
    }
}
