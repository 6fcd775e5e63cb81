package dev.loom.query.where;

/** How much of a partial match a search keeps when the next character differs. */
final class Borders {
    private Borders() {}

    /** For each prefix of a text, the length of its longest proper prefix that is also a suffix. */
    static int[] of(int[] text) {
        int[] borders = new int[text.length + 1];
        int border = 0;
        for (int i = 1; i < text.length; i++) {
            while (border > 0 && text[border] != text[i]) {
                border = borders[border];
            }
            border += text[border] == text[i] ? 1 : 0;
            borders[i + 1] = border;
        }
        return borders;
    }
}
