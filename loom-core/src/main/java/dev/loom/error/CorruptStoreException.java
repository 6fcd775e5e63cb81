package dev.loom.error;

/** A file of the store is damaged; the message has the file and the offset. */
public class CorruptStoreException extends LoomException {
    private static final long serialVersionUID = 1L;

    public CorruptStoreException(String message) {
        super(message);
    }

    public CorruptStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
