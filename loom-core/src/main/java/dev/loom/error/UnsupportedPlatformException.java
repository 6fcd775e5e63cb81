package dev.loom.error;

/** The operating system, processor or file system cannot hold a store. */
public class UnsupportedPlatformException extends LoomException {
    private static final long serialVersionUID = 1L;

    public UnsupportedPlatformException(String message) {
        super(message);
    }

    public UnsupportedPlatformException(String message, Throwable cause) {
        super(message, cause);
    }
}
