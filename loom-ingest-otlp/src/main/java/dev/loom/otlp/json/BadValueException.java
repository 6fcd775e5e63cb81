package dev.loom.otlp.json;

/** What is wrong with a value; reported together with its place. */
final class BadValueException extends Exception {
    private static final long serialVersionUID = 1;

    BadValueException(String message) {
        super(message, null, false, false);
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }
}
