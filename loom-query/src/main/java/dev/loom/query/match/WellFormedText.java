package dev.loom.query.match;

/** Texts as they are stored, where half a surrogate pair is U+FFFD, so that a query finds it there. */
public final class WellFormedText {
    private static final int REPLACEMENT = 0xFFFD;

    private WellFormedText() {}

    /** The text with U+FFFD in place of each half of a pair that stands alone. */
    public static String of(String text) {
        if (text.chars().noneMatch(unit -> Character.isSurrogate((char) unit))) {
            return text;
        }
        StringBuilder wellFormed = new StringBuilder(text.length());
        text.codePoints().forEach(c -> wellFormed.appendCodePoint(isHalf(c) ? REPLACEMENT : c));
        return wellFormed.toString();
    }

    private static boolean isHalf(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }
}
