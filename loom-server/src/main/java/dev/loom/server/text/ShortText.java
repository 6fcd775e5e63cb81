package dev.loom.server.text;

/** Shortens long messages, which may quote what somebody has sent, to their beginning and end. */
public final class ShortText {
    private static final int LENGTH_MAX = 4000;
    private static final int HEAD = 3000;
    private static final int TAIL = 500;

    private ShortText() {}

    public static String of(String text) {
        return text.length() <= LENGTH_MAX
                ? text
                : text.substring(0, HEAD) + " ...(" + (text.length() - HEAD - TAIL) + " characters)... "
                        + text.substring(text.length() - TAIL);
    }
}
