package dev.loom.server.table;

import dev.loom.server.text.TextBuffer;

/** Cells of CSV output. */
final class CsvText {
    private CsvText() {}

    /**
     * Appends a cell, quoted if necessary: a quoted empty cell is an empty text, a bare one no value.
     *
     * @param guarded whether a text that a spreadsheet would take for a formula gets a leading apostrophe
     */
    static void putCell(TextBuffer line, TextBuffer cell, boolean guarded) {
        byte[] bytes = cell.array();
        int length = cell.length();
        boolean formula = guarded && length > 0 && startsFormula(bytes[0]);
        boolean quoted = needsQuotes(bytes, length);
        if (quoted) {
            line.put('"');
        }
        if (formula) {
            line.put('\'');
        }
        if (quoted) {
            putDoublingQuotes(line, bytes, length);
            line.put('"');
        } else {
            line.put(bytes, 0, length);
        }
    }

    private static boolean startsFormula(byte first) {
        return switch (first) {
            case '=', '+', '-', '@', '\t', '\r' -> true;
            default -> false;
        };
    }

    private static boolean needsQuotes(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            byte value = bytes[i];
            if (value == ',' || value == '"' || value == '\n' || value == '\r') {
                return true;
            }
        }
        return length == 0 || bytes[0] == ' ' || bytes[length - 1] == ' ';
    }

    private static void putDoublingQuotes(TextBuffer line, byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            if (bytes[i] == '"') {
                line.put('"');
            }
            line.put(bytes[i]);
        }
    }
}
