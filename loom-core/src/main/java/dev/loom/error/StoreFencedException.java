package dev.loom.error;

/**
 * Another writer has taken the store over from this one, which writes nothing any more. What it had pushed before is in the
 * other's hands, as far as that could see it; close it, and open the store anew.
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
