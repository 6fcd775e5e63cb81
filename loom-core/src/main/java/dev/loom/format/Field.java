package dev.loom.format;

/**
 * A declared field.
 *
 * @param name not empty; unique in its format
 * @param optional whether a record may lack a value for it
 */
public record Field(String name, FieldType type, boolean optional) {
    public Field {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("field name is empty: type=" + type.text());
        }
    }

    /** The text form: {@code op:utf8}, or {@code op:utf8?} for an optional field. */
    public String text() {
        return name + ':' + type.text() + (optional ? "?" : "");
    }

    /**
     * Parses a field from its text form.
     *
     * @throws IllegalArgumentException when the name is empty or the type unknown
     */
    public static Field parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("field has no type: field=" + text + ", expected=name:type");
        }
        boolean optional = text.endsWith("?");
        String type = text.substring(colon + 1, text.length() - (optional ? 1 : 0));
        return new Field(text.substring(0, colon), FieldType.parse(type), optional);
    }
}
