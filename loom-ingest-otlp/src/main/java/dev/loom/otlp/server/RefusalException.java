package dev.loom.otlp.server;

/** Ends the processing of a refused request. It has no stack trace, as clients decide how often it is thrown. */
final class RefusalException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient Refusal refusal;

    RefusalException(Refusal refusal) {
        super(refusal.message(), null, false, false);
        this.refusal = refusal;
    }

    RefusalException(Refusal.Reason reason, String message) {
        this(new Refusal(reason, message));
    }

    Refusal refusal() {
        return refusal;
    }
}
