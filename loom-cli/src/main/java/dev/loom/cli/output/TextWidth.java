package dev.loom.cli.output;

/** The number of terminal columns that a text takes: two for wide letters and emoji, none for combining marks. */
public final class TextWidth {
    private TextWidth() {}

    public static int of(String text) {
        return text.codePoints().map(TextWidth::of).sum();
    }

    static int of(int codePoint) {
        if (codePoint < 0x300) {
            return 1;
        }
        return switch (Character.getType(codePoint)) {
            case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK -> 0;
            default -> wide(codePoint) ? 2 : 1;
        };
    }

    /** East Asian Wide and Fullwidth (Unicode's UAX 11), by blocks. */
    private static boolean wide(int codePoint) {
        return within(codePoint, 0x1100, 0x115F)
                || (within(codePoint, 0x2E80, 0xA4CF) && codePoint != 0x303F)
                || within(codePoint, 0xAC00, 0xD7A3)
                || within(codePoint, 0xF900, 0xFAFF)
                || within(codePoint, 0xFE30, 0xFE6F)
                || within(codePoint, 0xFF00, 0xFF60)
                || within(codePoint, 0xFFE0, 0xFFE6)
                || within(codePoint, 0x1F300, 0x1F64F)
                || within(codePoint, 0x1F900, 0x1F9FF)
                || within(codePoint, 0x20000, 0x3FFFD);
    }

    private static boolean within(int codePoint, int first, int last) {
        return codePoint >= first && codePoint <= last;
    }

    /**
     * The part of a text from an index on that fits, with {@code …} where text before or after it is cut.
     *
     * @param from index of the first character to show
     */
    public static String cut(String text, int from, int columns) {
        if (from == 0 && of(text) <= columns) {
            return text;
        }
        StringBuilder part = new StringBuilder(from > 0 ? "…" : "");
        int room = columns - part.length();
        int at = from;
        boolean all = of(text.substring(from)) <= room;
        room -= all ? 0 : 1;
        while (at < text.length()) {
            int codePoint = text.codePointAt(at);
            room -= of(codePoint);
            if (room < 0) {
                break;
            }
            part.appendCodePoint(codePoint);
            at += Character.charCount(codePoint);
        }
        return all ? part.toString() : part.append('…').toString();
    }
}
