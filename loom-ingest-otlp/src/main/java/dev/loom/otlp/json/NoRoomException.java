package dev.loom.otlp.json;

/** The target does not grow further. Has no stack trace, as it says nothing about the program. */
final class NoRoomException extends Exception {
    private static final long serialVersionUID = 1;

    NoRoomException() {
        super("no room", null, false, false);
    }
}
