package dev.loom.server.table;

import dev.loom.format.FieldValue;
import dev.loom.server.json.FieldBytes;
import dev.loom.server.json.JsonText;
import dev.loom.server.text.HiddenCharacters;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.text.Utf8Decoder;

/** A field's value as the text of a table or CSV cell, before quoting. */
public final class CellText {
    private CellText() {}

    /**
     * Appends the text.
     *
     * @param escape whether hidden characters and bytes that are not UTF-8 are escaped
     */
    public static void put(
            TextBuffer into, FieldValue value, boolean singlePrecision, FieldBytes scratch, boolean escape) {
        switch (value.kind()) {
            case ABSENT -> {}
            case INTEGER -> into.putLong(value.longValue());
            case UNSIGNED -> into.putUnsigned(value.longValue());
            case DOUBLE -> into.putDouble(value.doubleValue(), singlePrecision);
            case BOOLEAN -> JsonText.putBoolean(into, value.longValue() != 0);
            case TEXT -> {
                scratch.load(value);
                putText(into, scratch.array(), scratch.length(), escape);
            }
            case JSON -> {
                scratch.load(value);
                JsonText.putCompact(into, scratch.array(), 0, scratch.length());
            }
            case BYTES -> {
                scratch.load(value);
                into.putBase64(scratch.array(), 0, scratch.length());
            }
        }
    }

    /** Appends a text. */
    public static void putText(TextBuffer into, byte[] bytes, int length, boolean escape) {
        if (escape) {
            putEscaped(into, bytes, length);
        } else {
            into.put(bytes, 0, length);
        }
    }

    private static void putEscaped(TextBuffer into, byte[] bytes, int length) {
        int at = 0;
        while (at < length) {
            int codePoint = Utf8Decoder.decode(bytes, at, length);
            if (codePoint == Utf8Decoder.MALFORMED) {
                into.put("\\x");
                into.putHexByte(bytes[at]);
                at++;
            } else {
                if (codePoint == '\n' || codePoint == '\t' || codePoint == '\r') {
                    into.put(codePoint == '\n' ? "\\n" : codePoint == '\t' ? "\\t" : "\\r");
                } else if (HiddenCharacters.hides(codePoint)) {
                    into.putUnicodeEscape(codePoint);
                } else {
                    into.putCodePoint(codePoint);
                }
                at += Utf8Decoder.length(codePoint);
            }
        }
    }
}
