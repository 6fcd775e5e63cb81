package dev.loom.format;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The steps that {@link StructHandles} composes: each puts or gets one value. A payload lies from {@code start} to
 * {@code end} of its buffer; an offset is one in the payload, a position one in the buffer.
 */
final class StructAccess {
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    /** The values that an integer field has. */
    record Range(Field field, long min, long max) {
        static Range of(Field field) {
            int bits = field.type().fixedLength() * Byte.SIZE;
            return field.type().isUnsigned()
                    ? new Range(field, 0, (1L << bits) - 1)
                    : new Range(field, -1L << (bits - 1), (1L << (bits - 1)) - 1);
        }
    }

    /** The place of a field of variable length. The mask is 0 if the field is required. */
    record VariablePlace(StructLayout layout, Field field, int ordinal, int presenceOffset, int presenceMask) {
        static VariablePlace of(StructFormat format, int index) {
            int bit = format.layout().presenceBit(index);
            return new VariablePlace(
                    format.layout(),
                    format.fields().get(index),
                    format.layout().variableOrdinal(index),
                    bit < 0 ? 0 : StructLayout.presenceOffset(bit),
                    bit < 0 ? 0 : StructLayout.presenceMask(bit));
        }
    }

    private StructAccess() {}

    static void putBoolean(boolean value, int offset, MutableDirectBuffer buffer, int start) {
        buffer.putByte(start + offset, (byte) (value ? 1 : 0));
    }

    static void putByte(byte value, int offset, MutableDirectBuffer buffer, int start) {
        buffer.putByte(start + offset, value);
    }

    static void putShort(short value, int offset, MutableDirectBuffer buffer, int start) {
        buffer.putShort(start + offset, value, ORDER);
    }

    static void putInt(int value, int offset, MutableDirectBuffer buffer, int start) {
        buffer.putInt(start + offset, value, ORDER);
    }

    static void putLong(long value, int offset, MutableDirectBuffer buffer, int start) {
        buffer.putLong(start + offset, value, ORDER);
    }

    static void putFloat(float value, int offset, MutableDirectBuffer buffer, int start) {
        buffer.putFloat(start + offset, value, ORDER);
    }

    static void putDouble(double value, int offset, MutableDirectBuffer buffer, int start) {
        buffer.putDouble(start + offset, value, ORDER);
    }

    static long requireRange(long value, Range range) {
        if (value < range.min || value > range.max) {
            throw new IllegalArgumentException("value does not fit its field: " + describe(range.field) + ", value="
                    + value + ", min=" + range.min + ", max=" + range.max);
        }
        return value;
    }

    static float toFloat(double value, Field field) {
        float rounded = (float) value;
        if (Float.isInfinite(rounded) && !Double.isInfinite(value)) {
            throw new IllegalArgumentException("value does not fit its field: " + describe(field) + ", value=" + value);
        }
        return rounded;
    }

    static boolean isNull(@Nullable Object value) {
        return value == null;
    }

    static Object requireValue(@Nullable Object value, Field field) {
        if (value == null) {
            throw new IllegalArgumentException("required field is null: " + describe(field));
        }
        return value;
    }

    static void mark(int presenceOffset, int presenceMask, MutableDirectBuffer buffer, int start) {
        int at = start + presenceOffset;
        buffer.putByte(at, (byte) (buffer.getByte(at) | presenceMask));
    }

    static void clear(int length, MutableDirectBuffer buffer, int start) {
        buffer.setMemory(start, length, (byte) 0);
    }

    /** Returns the position of the next field, as the two methods below do. */
    static int putText(
            @Nullable String text, VariablePlace place, int position, MutableDirectBuffer buffer, int start, int end) {
        if (text == null) {
            return putNothing(place, position, buffer, start, end);
        }
        long length = Utf8.length(text);
        int at = beginVariable(place, position, length, buffer, start, end);
        Utf8.put(text, (int) length, buffer, at);
        return at + (int) length;
    }

    static int putBytes(
            byte @Nullable [] bytes,
            VariablePlace place,
            int position,
            MutableDirectBuffer buffer,
            int start,
            int end) {
        if (bytes == null) {
            return putNothing(place, position, buffer, start, end);
        }
        int at = beginVariable(place, position, bytes.length, buffer, start, end);
        buffer.putBytes(at, bytes);
        return at + bytes.length;
    }

    static int putNothing(VariablePlace place, int position, MutableDirectBuffer buffer, int start, int end) {
        requirePresent(place);
        requireRoom(place, position, 1, start, end);
        buffer.putByte(position, (byte) 0);
        return position + 1;
    }

    private static int beginVariable(
            VariablePlace place, int position, long length, MutableDirectBuffer buffer, int start, int end) {
        int lengthBytes = lengthBytes(length);
        requireRoom(place, position, lengthBytes + length, start, end);
        for (int i = 0; i < lengthBytes; i++) {
            buffer.putByte(position + i, StructLayout.lengthByte((int) length, i));
        }
        if (place.presenceMask != 0) {
            mark(place.presenceOffset, place.presenceMask, buffer, start);
        }
        return position + lengthBytes;
    }

    private static void requirePresent(VariablePlace place) {
        if (place.presenceMask == 0) {
            throw new IllegalArgumentException("required field is null: " + describe(place.field));
        }
    }

    private static void requireRoom(VariablePlace place, int position, long needed, int start, int end) {
        if (needed > end - position) {
            throw new IllegalArgumentException("payload does not fit: " + describe(place.field) + ", needed="
                    + (position - start + needed) + ", room=" + (end - start));
        }
    }

    private static int lengthBytes(long length) {
        return StructLayout.lengthBytes((int) Math.min(length, Integer.MAX_VALUE));
    }

    /** The bytes of a text beyond those of an empty one, as the next method for bytes. */
    static long textLength(@Nullable String text, VariablePlace place) {
        if (text == null) {
            requirePresent(place);
            return 0;
        }
        long length = Utf8.length(text);
        return lengthBytes(length) - 1 + length;
    }

    static long bytesLength(byte @Nullable [] bytes, VariablePlace place) {
        if (bytes == null) {
            requirePresent(place);
            return 0;
        }
        return (long) lengthBytes(bytes.length) - 1 + bytes.length;
    }

    /** The last step of writing, after the last field. */
    static int length(int position, Record record, MutableDirectBuffer buffer, int start, int end) {
        return position - start;
    }

    static boolean getBoolean(int offset, DirectBuffer buffer, int start) {
        byte value = buffer.getByte(start + offset);
        if (value != 0 && value != 1) {
            throw new IllegalArgumentException("payload is malformed: offset=" + offset + ", bool=" + value);
        }
        return value == 1;
    }

    static byte getByte(int offset, DirectBuffer buffer, int start) {
        return buffer.getByte(start + offset);
    }

    static short getShort(int offset, DirectBuffer buffer, int start) {
        return buffer.getShort(start + offset, ORDER);
    }

    static int getInt(int offset, DirectBuffer buffer, int start) {
        return buffer.getInt(start + offset, ORDER);
    }

    static long getLong(int offset, DirectBuffer buffer, int start) {
        return buffer.getLong(start + offset, ORDER);
    }

    static float getFloat(int offset, DirectBuffer buffer, int start) {
        return buffer.getFloat(start + offset, ORDER);
    }

    static double getDouble(int offset, DirectBuffer buffer, int start) {
        return buffer.getDouble(start + offset, ORDER);
    }

    static boolean isAbsent(int presenceOffset, int presenceMask, DirectBuffer buffer, int start) {
        return (buffer.getByte(start + presenceOffset) & presenceMask) == 0;
    }

    static @Nullable String getText(VariablePlace place, DirectBuffer buffer, int start, int end) {
        long found = find(place, buffer, start, end);
        return found < 0 ? null : buffer.getStringWithoutLengthUtf8((int) (found >>> 32), (int) found);
    }

    static byte @Nullable [] getBytes(VariablePlace place, DirectBuffer buffer, int start, int end) {
        long found = find(place, buffer, start, end);
        if (found < 0) {
            return null;
        }
        byte[] bytes = new byte[(int) found];
        buffer.getBytes((int) (found >>> 32), bytes);
        return bytes;
    }

    /** The position of the field's bytes, in the upper half, and their length; negative if it has no value. */
    private static long find(VariablePlace place, DirectBuffer buffer, int start, int end) {
        long found = StructFieldReader.findVariable(place.layout, place.ordinal, buffer, start, end);
        if (found < 0) {
            throw new IllegalArgumentException(
                    "payload is malformed: " + describe(place.field) + ", length=" + (end - start));
        }
        boolean absent = place.presenceMask != 0 && isAbsent(place.presenceOffset, place.presenceMask, buffer, start);
        return absent ? -1 : found;
    }

    /** In place of writing. */
    static long refuse(String why, Record record) {
        throw new UnsupportedOperationException(
                "codec is read-only: " + why + ", class=" + record.getClass().getTypeName());
    }

    static String describe(Field field) {
        return "field=" + field.name() + ", type=" + field.type().text();
    }
}
