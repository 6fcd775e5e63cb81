package dev.loom.error;

/**
 * The store is incomplete or damaged: a file is damaged or not Loom's, or the directory is a copy that was made while the original was
 * being written, and lacks the newest records. The message names the file.
 */
public class CorruptStoreException extends LoomException {
    private static final long serialVersionUID = 1L;

    public CorruptStoreException(String message) {
        super(message);
    }

    public CorruptStoreException(String message, Throwable cause) {
        super(message, cause);
    }
}
