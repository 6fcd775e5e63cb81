package dev.loom.error;

/** The directory holds files that do not belong to a Loom store. */
public class ForeignFileException extends LoomException {
    private static final long serialVersionUID = 1L;

    public ForeignFileException(String message) {
        super(message);
    }

    public ForeignFileException(String message, Throwable cause) {
        super(message, cause);
    }
}
