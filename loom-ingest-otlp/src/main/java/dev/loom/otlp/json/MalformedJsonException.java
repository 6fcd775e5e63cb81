package dev.loom.otlp.json;

/** A request is not the JSON that it should be. The message says where, and is fit for the client. */
final class MalformedJsonException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedJsonException(String message) {
        super(message);
    }
}
