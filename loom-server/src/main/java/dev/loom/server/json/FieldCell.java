package dev.loom.server.json;

import dev.loom.format.Field;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;

/**
 * A field's value in a row of an answer.
 *
 * @param singlePrecision whether a double has the digits of a float
 */
public record FieldCell(FieldValue value, boolean singlePrecision) {
    static boolean hasSinglePrecision(PayloadFormat format, String field) {
        return format.declaredType(field) == Field.Type.F32;
    }

    /** Whether the field had no value. */
    public boolean isMissing() {
        return value.kind() == FieldValue.Kind.ABSENT;
    }

    /** Whether it is a number. */
    public boolean isNumber() {
        return switch (value.kind()) {
            case INTEGER, UNSIGNED, DOUBLE -> true;
            case ABSENT, BOOLEAN, TEXT, BYTES, JSON -> false;
        };
    }
}
