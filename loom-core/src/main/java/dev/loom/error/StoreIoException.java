package dev.loom.error;

/** An operation on a file failed; the message has the file, the offset and the operating system's reason. */
public class StoreIoException extends LoomException {
    private static final long serialVersionUID = 1L;

    public StoreIoException(String message) {
        super(message);
    }

    public StoreIoException(String message, Throwable cause) {
        super(message, cause);
    }
}
