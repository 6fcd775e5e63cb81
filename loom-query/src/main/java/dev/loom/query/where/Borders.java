package dev.loom.query.where;

/** How far a search goes on with what it has matched of a text when the next character differs. */
final class Borders {
    private Borders() {}

    /** Of each beginning of a text the length of its longest shorter beginning that it also ends with. */
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
