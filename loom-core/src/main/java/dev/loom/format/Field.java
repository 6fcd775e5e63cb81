package dev.loom.format;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A declared field.
 *
 * @param name not empty; unique in its format
 * @param optional whether a record may lack a value for it
 */
public record Field(String name, Type type, boolean optional) {
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
        return new Field(text.substring(0, colon), Type.parse(type), optional);
    }

    /** The type of a declared field. Integers and floats are little-endian. */
    public enum Type {
        I8(Group.SIGNED, 1),
        I16(Group.SIGNED, 2),
        I32(Group.SIGNED, 4),
        I64(Group.SIGNED, 8),
        U8(Group.UNSIGNED, 1),
        U16(Group.UNSIGNED, 2),
        U32(Group.UNSIGNED, 4),
        /** Unsigned 64 bits; {@link FieldValue#longValue()} holds the bits, to be read as unsigned. */
        U64(Group.UNSIGNED, 8),
        F32(Group.FLOATING_POINT, 4),
        F64(Group.FLOATING_POINT, 8),
        /** One byte, 0 or 1. */
        BOOL(Group.OTHER, 1),
        UTF8(Group.OTHER, 0),
        BYTES(Group.OTHER, 0),
        /** Any kind, as each record has it: text, number, boolean, bytes, JSON. Not for structs. */
        ANY(Group.OTHER, 0),
        /** An array or an object, as JSON. Not for structs. */
        JSON(Group.OTHER, 0);

        private enum Group {
            SIGNED,
            UNSIGNED,
            FLOATING_POINT,
            OTHER
        }

        private final String text = name().toLowerCase(Locale.ROOT);
        private final Group group;
        private final int fixedLength;

        Type(Group group, int fixedLength) {
            this.group = group;
            this.fixedLength = fixedLength;
        }

        /** The name used in the text form of a format and on the command line: lower case. */
        public String text() {
            return text;
        }

        /** The length in bytes of every value of the type; 0 if values differ in length. */
        public int fixedLength() {
            return fixedLength;
        }

        /** Whether values differ in length: {@link #UTF8}, {@link #BYTES}, {@link #ANY} and {@link #JSON}. */
        public boolean isVariableLength() {
            return fixedLength == 0;
        }

        /** Whether a struct's field may have the type: all but {@link #ANY} and {@link #JSON}. */
        public boolean isForStructs() {
            return this != ANY && this != JSON;
        }

        /** Whether values are integers, signed or not. */
        public boolean isInteger() {
            return group == Group.SIGNED || group == Group.UNSIGNED;
        }

        /** Whether values are unsigned integers. */
        public boolean isUnsigned() {
            return group == Group.UNSIGNED;
        }

        /** Whether values are integers or floating-point numbers. */
        public boolean isNumber() {
            return group != Group.OTHER;
        }

        /**
         * Finds a type by its {@link #text()}.
         *
         * @throws IllegalArgumentException for an unknown one; the message names the known ones
         */
        public static Type parse(String text) {
            for (Type type : values()) {
                if (type.text.equals(text)) {
                    return type;
                }
            }
            throw new IllegalArgumentException("unknown field type: type=" + text + ", known="
                    + Arrays.stream(values()).map(Type::text).collect(Collectors.joining(" ")));
        }
    }
}
