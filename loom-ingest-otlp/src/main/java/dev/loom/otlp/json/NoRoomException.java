package dev.loom.otlp.json;

/** The output can't grow further. It has no stack trace, as it says nothing about the program. */
final class NoRoomException extends Exception {
    private static final long serialVersionUID = 1;

    NoRoomException() {
        super("no room", null, false, false);
    }
}
