package dev.loom.cli.text;

/**
 * The code points that show nothing, or change what stands around them: controls, which command a terminal; the
 * characters that reverse the direction of text or join it unseen; line and paragraph separators. Output escapes them.
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
}
