package dev.loom.error;

/** A writer has reopened the store since this reader attached; attach again. */
public class StoreReopenedException extends LoomException {
    private static final long serialVersionUID = 1L;

    public StoreReopenedException(String message) {
        super(message);
    }

    public StoreReopenedException(String message, Throwable cause) {
        super(message, cause);
    }
}
