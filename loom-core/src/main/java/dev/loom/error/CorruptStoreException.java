package dev.loom.error;

/**
 * What is there is no whole store: a file is damaged or not Loom's, or the directory is a copy made while the original was
 * being written, which lacks the newest records. The message has the file.
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
