package dev.loom.server.text;

/**
 * Code points that are invisible or change their surroundings: control characters, which command a terminal; characters that
 * reverse the direction of text or join it invisibly; line and paragraph separators. Output escapes them.
 */
public final class HiddenCharacters {
    private HiddenCharacters() {}

    public static boolean hides(int codePoint) {
        if (codePoint < 0x7F) {
            return codePoint < 0x20;
        }
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    /** The text with each hidden character as {@code \\}{@code u} and its number. */
    public static String escaped(String text) {
        StringBuilder visible = new StringBuilder();
        text.codePoints().forEach(codePoint -> {
            if (hides(codePoint)) {
                visible.append(String.format("\\u%04x", codePoint));
            } else {
                visible.appendCodePoint(codePoint);
            }
        });
        return visible.toString();
    }
}
