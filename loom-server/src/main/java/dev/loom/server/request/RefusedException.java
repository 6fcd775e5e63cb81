package dev.loom.server.request;

/** A request is not carried out. Its message is for people. */
public final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why a request is not carried out. */
    public enum Reason {
        /** It makes no sense, or contradicts the schema. */
        INVALID,
        /** It names something that does not exist. */
        NOT_FOUND,
        /** It is valid, but not allowed. */
        FORBIDDEN
    }

    private final Reason reason;

    private RefusedException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public static RefusedException invalid(String message) {
        return new RefusedException(Reason.INVALID, message);
    }

    public static RefusedException notFound(String message) {
        return new RefusedException(Reason.NOT_FOUND, message);
    }

    public static RefusedException forbidden(String message) {
        return new RefusedException(Reason.FORBIDDEN, message);
    }

    public Reason reason() {
        return reason;
    }
}
