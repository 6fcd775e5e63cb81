package dev.loom.server.json;

import dev.loom.format.FieldValue;
import dev.loom.server.text.EightBytes;
import dev.loom.server.text.HiddenCharacters;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.text.Utf8Decoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes JSON strings and numbers, and copies valid JSON. */
public final class JsonText {
    private JsonText() {}

    public static void putBoolean(TextBuffer into, boolean value) {
        into.put(value ? "true" : "false");
    }

    /** Writes NaN and infinities as strings, because JSON has no such numbers. */
    public static void putDouble(TextBuffer into, double value, boolean singlePrecision) {
        boolean quoted = Double.isNaN(value) || Double.isInfinite(value);
        if (quoted) {
            into.put('"');
        }
        into.putDouble(value, singlePrecision);
        if (quoted) {
            into.put('"');
        }
    }

    public static void putString(TextBuffer into, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        putString(into, bytes, 0, bytes.length);
    }

    /** Writes a UTF-8 string; invalid bytes become replacement characters, and hidden characters are escaped. */
    public static void putString(TextBuffer into, byte[] bytes, int offset, int length) {
        into.put('"');
        putEscaped(into, bytes, offset, offset + length);
        into.put('"');
    }

    private static void putEscaped(TextBuffer into, byte[] bytes, int offset, int end) {
        int plainFrom = offset;
        int at = offset;
        while (at < end) {
            if (plain(bytes[at])) {
                at++;
            } else {
                into.put(bytes, plainFrom, at - plainFrom);
                at += putSpecial(into, bytes, at, end);
                plainFrom = at;
            }
        }
        into.put(bytes, plainFrom, at - plainFrom);
    }

    private static boolean plain(byte value) {
        return value >= 0x20 && value != '"' && value != '\\' && value != 0x7F;
    }

    /** Writes one code point that is not plain; returns how many input bytes it took. */
    private static int putSpecial(TextBuffer into, byte[] bytes, int at, int end) {
        int codePoint = Utf8Decoder.decode(bytes, at, end);
        switch (codePoint) {
            case Utf8Decoder.MALFORMED -> {
                into.putReplacement();
                return 1;
            }
            case '"' -> putShort(into, '"');
            case '\\' -> putShort(into, '\\');
            case '\n' -> putShort(into, 'n');
            case '\r' -> putShort(into, 'r');
            case '\t' -> putShort(into, 't');
            default -> putVisible(into, codePoint);
        }
        return Utf8Decoder.length(codePoint);
    }

    private static void putShort(TextBuffer into, char letter) {
        into.put('\\');
        into.put(letter);
    }

    private static void putVisible(TextBuffer into, int codePoint) {
        if (HiddenCharacters.hides(codePoint)) {
            into.putUnicodeEscape(codePoint);
        } else {
            into.putCodePoint(codePoint);
        }
    }

    /** Copies valid JSON without white space between tokens; escapes hidden characters in strings. */
    public static void putCompact(TextBuffer into, byte[] json, int offset, int length) {
        int end = offset + length;
        boolean inString = false;
        int copied = offset;
        int at = offset;
        while (at < end) {
            at = inString ? endOfPlain(json, at, end) : at;
            byte value = json[at];
            if (value < 0 || value == 0x7F) {
                into.put(json, copied, at - copied);
                int codePoint = Utf8Decoder.decode(json, at, end);
                if (codePoint == Utf8Decoder.MALFORMED) {
                    into.putReplacement();
                    at++;
                } else {
                    putVisible(into, codePoint);
                    at += Utf8Decoder.length(codePoint);
                }
                copied = at;
            } else if (inString) {
                at = value == '\\' ? Math.min(at + 2, end) : at + 1;
                inString = value != '"';
            } else if (value > ' ') {
                at++;
                inString = value == '"';
            } else {
                into.put(json, copied, at - copied);
                copied = ++at;
            }
        }
        into.put(json, copied, end - copied);
    }

    /** Finds the first byte of a string that may need escaping, or one of the last few bytes. */
    private static int endOfPlain(byte[] json, int from, int end) {
        int at = from;
        while (end - at > EightBytes.COUNT) {
            long eight = EightBytes.at(json, at);
            long found = EightBytes.notAscii(eight)
                    | EightBytes.equal(eight, '"')
                    | EightBytes.equal(eight, '\\')
                    | EightBytes.equal(eight, 0x7F);
            if (found != 0) {
                return at + EightBytes.before(found);
            }
            at += EightBytes.COUNT;
        }
        return at;
    }

    /** An object on a line. */
    public static TextBuffer line(Map<String, ? extends @Nullable Object> row) {
        TextBuffer line = object(row);
        line.put('\n');
        return line;
    }

    public static TextBuffer object(Map<String, ? extends @Nullable Object> row) {
        TextBuffer text = new TextBuffer(256);
        putObject(text, row);
        return text;
    }

    /** A value as JSON: null, a number, a truth value, a text, or a list or object of these. */
    public static String of(@Nullable Object value) {
        TextBuffer text = new TextBuffer(64);
        putValue(text, value);
        return text.toString();
    }

    /** Appends the values as a JSON object. */
    private static void putObject(TextBuffer line, Map<String, ? extends @Nullable Object> row) {
        char separator = '{';
        for (Map.Entry<String, ? extends @Nullable Object> entry : row.entrySet()) {
            line.put(separator);
            separator = ',';
            line.put(FieldColumn.jsonKey(entry.getKey()));
            putValue(line, entry.getValue());
        }
        line.put(row.isEmpty() ? "{}" : "}");
    }

    private static void putValue(TextBuffer line, @Nullable Object value) {
        if (value == null) {
            line.put("null");
        } else if (value instanceof Double number) {
            putDouble(line, number, false);
        } else if (value instanceof FieldCell cell) {
            putField(line, cell.value(), cell.singlePrecision(), new FieldBytes());
        } else if (value instanceof Number || value instanceof Boolean) {
            line.put(value.toString());
        } else if (value instanceof Map<?, ?> nested) {
            putNested(line, nested);
        } else if (value instanceof List<?> list) {
            char separator = '[';
            for (Object element : list) {
                line.put(separator);
                separator = ',';
                putValue(line, element);
            }
            line.put(list.isEmpty() ? "[]" : "]");
        } else {
            putString(line, value.toString());
        }
    }

    /**
     * Writes a field's value.
     *
     * @param scratch holds a copy of its bytes meanwhile
     */
    public static void putField(TextBuffer into, FieldValue value, boolean singlePrecision, FieldBytes scratch) {
        switch (value.kind()) {
            case ABSENT -> into.put("null");
            case INTEGER -> into.putLong(value.longValue());
            case UNSIGNED -> into.putUnsigned(value.longValue());
            case DOUBLE -> putDouble(into, value.doubleValue(), singlePrecision);
            case BOOLEAN -> putBoolean(into, value.longValue() != 0);
            case TEXT -> {
                scratch.load(value);
                putString(into, scratch.array(), 0, scratch.length());
            }
            case BYTES -> {
                scratch.load(value);
                into.put('"');
                into.putBase64(scratch.array(), 0, scratch.length());
                into.put('"');
            }
            case JSON -> {
                scratch.load(value);
                putCompact(into, scratch.array(), 0, scratch.length());
            }
        }
    }

    private static void putNested(TextBuffer line, Map<?, ?> nested) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        nested.forEach((key, value) -> values.put(key.toString(), value));
        putObject(line, values);
    }
}
