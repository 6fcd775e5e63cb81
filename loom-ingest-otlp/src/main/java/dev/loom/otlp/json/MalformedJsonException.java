package dev.loom.otlp.json;

/** A request is not the expected JSON. The message says where, and is suitable for the client. */
final class MalformedJsonException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedJsonException(String message) {
        super(message);
    }
}
