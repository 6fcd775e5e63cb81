package dev.loom.cli.importing;

import dev.loom.cli.input.CellNumber;
import dev.loom.format.Field;
import dev.loom.format.StructWriter;
import dev.loom.server.text.Utf8Decoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Converts a cell's text to a field's value. For one thread. */
final class CellEncoder {
    private static final int SHOWN_MAX = 40;

    private final CellNumber number = new CellNumber();
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);

    /**
     * Sets the field.
     *
     * @return what is wrong with the cell, or null
     */
    @Nullable
    String encode(StructWriter writer, int field, Field.Type type, byte[] array, int offset, int length) {
        int from = offset;
        int end = offset + length;
        if (type != Field.Type.UTF8) {
            while (from < end && array[from] == ' ') {
                from++;
            }
            while (end > from && array[end - 1] == ' ') {
                end--;
            }
        }
        try {
            boolean set = switch (type) {
                case I8, I16, I32, I64, U8, U16, U32 -> setLong(writer, field, array, from, end - from);
                case U64 -> setUnsigned(writer, field, array, from, end - from);
                case F32, F64 -> setDouble(writer, field, array, from, end - from);
                case BOOL -> setBoolean(writer, field, array, from, end - from);
                case UTF8 -> setText(writer, field, array, from, end - from);
                case BYTES -> setBytes(writer, field, array, from, end);
                case ANY, JSON -> throw new IllegalStateException("type is not allowed in a struct: type=" + type);
            };
            return set ? null : "not " + type.text() + ": " + shown(array, offset, length);
        } catch (IllegalArgumentException e) {
            return "out of range of " + type.text() + ": " + shown(array, offset, length);
        }
    }

    private boolean setLong(StructWriter writer, int field, byte[] array, int offset, int length) {
        if (!number.parseLong(array, offset, length)) {
            return false;
        }
        writer.setLong(field, number.longValue());
        return true;
    }

    private boolean setUnsigned(StructWriter writer, int field, byte[] array, int offset, int length) {
        if (!number.parseUnsigned(array, offset, length)) {
            return false;
        }
        writer.setUnsigned(field, number.longValue());
        return true;
    }

    private boolean setDouble(StructWriter writer, int field, byte[] array, int offset, int length) {
        if (!number.parseDouble(array, offset, length)) {
            return false;
        }
        writer.setDouble(field, number.doubleValue());
        return true;
    }

    private static boolean setBoolean(StructWriter writer, int field, byte[] array, int offset, int length) {
        String text = new String(array, offset, length, StandardCharsets.ISO_8859_1);
        boolean yes = text.equalsIgnoreCase("true") || text.equals("1");
        if (!yes && !text.equalsIgnoreCase("false") && !text.equals("0")) {
            return false;
        }
        writer.setBoolean(field, yes);
        return true;
    }

    private boolean setText(StructWriter writer, int field, byte[] array, int offset, int length) {
        if (!Utf8Decoder.valid(array, offset, offset + length)) {
            return false;
        }
        view.wrap(array);
        writer.setUtf8(field, view, offset, length);
        return true;
    }

    /** Parses base64, as CSV output writes bytes; skips the apostrophe that safe CSV output may put in front. */
    private boolean setBytes(StructWriter writer, int field, byte[] array, int offset, int end) {
        int from = offset < end && array[offset] == '\'' ? offset + 1 : offset;
        byte[] decoded;
        try {
            decoded = Base64.getDecoder().decode(Arrays.copyOfRange(array, from, end));
        } catch (IllegalArgumentException e) {
            return false;
        }
        view.wrap(decoded);
        writer.setBytes(field, view, 0, decoded.length);
        return true;
    }

    private static String shown(byte[] array, int offset, int length) {
        String text = new String(array, offset, Math.min(length, SHOWN_MAX), StandardCharsets.UTF_8);
        return '"' + text + (length > SHOWN_MAX ? "…\"" : "\"");
    }
}
