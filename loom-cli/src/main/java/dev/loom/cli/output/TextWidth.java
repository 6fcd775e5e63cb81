package dev.loom.cli.output;

import java.util.Arrays;

/** The number of terminal columns that a text takes: two for wide letters and emoji, none for combining marks. */
public final class TextWidth {
    /** First and last of the symbols beyond letters, kana and ideographs that are as wide: what is shown as emoji, and Tangut. */
    private static final int[] WIDE_SYMBOLS = {
        0x231A, 0x231B, 0x2329, 0x232A, 0x23E9, 0x23EC, 0x23F0, 0x23F0, 0x23F3, 0x23F3, 0x25FD, 0x25FE, 0x2614, 0x2615,
        0x2648, 0x2653, 0x267F, 0x267F, 0x2693, 0x2693, 0x26A1, 0x26A1, 0x26AA, 0x26AB, 0x26BD, 0x26BE, 0x26C4, 0x26C5,
        0x26CE, 0x26CE, 0x26D4, 0x26D4, 0x26EA, 0x26EA, 0x26F2, 0x26F3, 0x26F5, 0x26F5, 0x26FA, 0x26FA, 0x26FD, 0x26FD,
        0x2705, 0x2705, 0x270A, 0x270B, 0x2728, 0x2728, 0x274C, 0x274C, 0x274E, 0x274E, 0x2753, 0x2755, 0x2757, 0x2757,
        0x2795, 0x2797, 0x27B0, 0x27B0, 0x27BF, 0x27BF, 0x2B1B, 0x2B1C, 0x2B50, 0x2B50, 0x2B55, 0x2B55, 0xA960, 0xA97C,
        0x16FE0, 0x18D08, 0x1AFF0, 0x1B2FB, 0x1F004, 0x1F004, 0x1F0CF, 0x1F0CF, 0x1F18E, 0x1F18E, 0x1F191, 0x1F19A,
        0x1F200, 0x1F265, 0x1F300, 0x1F64F, 0x1F680, 0x1F6C5, 0x1F6CC, 0x1F6CC, 0x1F6D0, 0x1F6D2, 0x1F6D5, 0x1F6DF,
        0x1F6EB, 0x1F6EC, 0x1F6F4, 0x1F6FC, 0x1F7E0, 0x1F7EB, 0x1F7F0, 0x1F7F0, 0x1F900, 0x1F9FF, 0x1FA70, 0x1FAFF
    };

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
                || within(codePoint, 0x20000, 0x3FFFD)
                || isWideSymbol(codePoint);
    }

    private static boolean isWideSymbol(int codePoint) {
        int at = Arrays.binarySearch(WIDE_SYMBOLS, codePoint);
        return at >= 0 || -at % 2 == 0; // behind the first and before the last of a range
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
