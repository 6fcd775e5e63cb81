package dev.loom.server.json;

import dev.loom.format.FieldValue;
import dev.loom.server.text.TextBuffer;

/** A field's value as JSON. */
final class JsonValue {
    private JsonValue() {}

    public static void put(TextBuffer into, FieldValue value, boolean singlePrecision, FieldBytes scratch) {
        switch (value.kind()) {
            case ABSENT -> JsonText.putNull(into);
            case INTEGER -> into.putLong(value.longValue());
            case UNSIGNED -> into.putUnsigned(value.longValue());
            case DOUBLE -> JsonText.putDouble(into, value.doubleValue(), singlePrecision);
            case BOOLEAN -> JsonText.putBoolean(into, value.longValue() != 0);
            case TEXT -> {
                scratch.load(value);
                JsonText.putString(into, scratch.array(), 0, scratch.length());
            }
            case BYTES -> {
                scratch.load(value);
                into.put('"');
                into.putBase64(scratch.array(), 0, scratch.length());
                into.put('"');
            }
            case JSON -> {
                scratch.load(value);
                JsonText.putCompact(into, scratch.array(), 0, scratch.length());
            }
        }
    }
}
