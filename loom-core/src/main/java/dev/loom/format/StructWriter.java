package dev.loom.format;

import java.nio.ByteOrder;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes payloads of one struct format in place, without allocating: {@link #begin}, then the fields by index, then
 * {@link #finish}. Fields of fixed size may be set in any order, and more than once; those of variable length once
 * each, in declared order. An optional field that is not set has no value.
 *
 * <p>A setter that throws changes nothing, so the caller can set another value. For one thread; reused from payload to
 * payload.
 */
public final class StructWriter {
    private static final int NOT_BEGUN = -1;

    private final StructFormat format;
    private final StructLayout layout;
    private final Field.Type[] types;
    private final long[] required;
    private final long[] set;
    private @Nullable MutableDirectBuffer buffer;
    private int start;
    private int room;
    private int length = NOT_BEGUN;
    private int variablesWritten;

    public StructWriter(StructFormat format) {
        this.format = format;
        layout = format.layout();
        types = format.fields().stream().map(Field::type).toArray(Field.Type[]::new);
        required = new long[(types.length + Long.SIZE - 1) / Long.SIZE];
        set = new long[required.length];
        for (int i = 0; i < types.length; i++) {
            if (!format.fields().get(i).optional()) {
                required[i / Long.SIZE] |= 1L << i;
            }
        }
    }

    public StructFormat format() {
        return format;
    }

    /** Begins a payload that may take the rest of the buffer, or all that the buffer can expand to. */
    public void begin(MutableDirectBuffer into, int offset) {
        begin(into, offset, Integer.MAX_VALUE);
    }

    /**
     * Begins a payload; an unfinished one is abandoned.
     *
     * @param lengthMax how many bytes it may take from {@code offset} on, such as the length of a claim
     * @throws IllegalArgumentException if even a payload with empty texts and bytes needs more
     */
    public void begin(MutableDirectBuffer into, int offset, int lengthMax) {
        length = NOT_BEGUN;
        room = Math.min(lengthMax, (into.isExpandable() ? Integer.MAX_VALUE : into.capacity()) - offset);
        if (room < format.lengthMin()) {
            throw new IllegalArgumentException("payload does not fit: needed=" + format.lengthMin() + ", room=" + room);
        }
        into.setMemory(offset, layout.variableOffset(), (byte) 0);
        Arrays.fill(set, 0);
        buffer = into;
        start = offset;
        length = layout.variableOffset();
        variablesWritten = 0;
    }

    /**
     * Sets an integer of any type.
     *
     * @throws IllegalArgumentException if the field has another type, or the value is out of its range
     */
    public void setLong(int field, long value) {
        switch (types[field]) {
            case I8 -> putByte(field, value, Byte.MIN_VALUE, Byte.MAX_VALUE);
            case U8 -> putByte(field, value, 0, 0xFF);
            case I16 -> putShort(field, value, Short.MIN_VALUE, Short.MAX_VALUE);
            case U16 -> putShort(field, value, 0, 0xFFFF);
            case I32 -> putInt(field, value, Integer.MIN_VALUE, Integer.MAX_VALUE);
            case U32 -> putInt(field, value, 0, 0xFFFF_FFFFL);
            case I64 -> putLong(field, value, Long.MIN_VALUE, Long.MAX_VALUE);
            case U64 -> putLong(field, value, 0, Long.MAX_VALUE);
            default -> throw typeDiffers(field, "an integer");
        }
    }

    /**
     * Sets a {@link Field.Type#U64} from its bits.
     *
     * @throws IllegalArgumentException if the field has another type
     */
    public void setUnsigned(int field, long bits) {
        if (types[field] != Field.Type.U64) {
            throw typeDiffers(field, "u64");
        }
        putLong(field, bits, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /**
     * Sets a floating-point value; for an {@link Field.Type#F32} it is rounded to the nearest.
     *
     * @throws IllegalArgumentException if the field has another type, or is f32 and the finite value is beyond its
     *     range
     */
    public void setDouble(int field, double value) {
        switch (types[field]) {
            case F32 -> {
                float rounded = (float) value;
                if (Float.isInfinite(rounded) && !Double.isInfinite(value)) {
                    throw new IllegalArgumentException(
                            "value does not fit its field: " + describe(field) + ", value=" + value);
                }
                begun().putFloat(at(field), rounded, ByteOrder.LITTLE_ENDIAN);
            }
            case F64 -> begun().putDouble(at(field), value, ByteOrder.LITTLE_ENDIAN);
            default -> throw typeDiffers(field, "floating-point");
        }
        mark(field);
    }

    /**
     * Sets a boolean.
     *
     * @throws IllegalArgumentException if the field has another type
     */
    public void setBoolean(int field, boolean value) {
        if (types[field] != Field.Type.BOOL) {
            throw typeDiffers(field, "bool");
        }
        begun().putByte(at(field), (byte) (value ? 1 : 0));
        mark(field);
    }

    /**
     * Sets a text; an unpaired surrogate becomes U+FFFD.
     *
     * @throws IllegalArgumentException if the field has another type, or the text does not fit
     * @throws IllegalStateException if this or a later field of variable length is set already
     */
    public void setUtf8(int field, CharSequence text) {
        requireType(field, Field.Type.UTF8);
        long textLength = Utf8.length(text);
        int at = beginVariable(field, textLength);
        Utf8.put(text, (int) textLength, begun(), at);
        endVariable(field, at, (int) textLength);
    }

    /** As {@link #setUtf8(int, CharSequence)}, from UTF-8, which is not validated. */
    public void setUtf8(int field, DirectBuffer utf8, int offset, int utf8Length) {
        requireType(field, Field.Type.UTF8);
        putVariable(field, utf8, offset, utf8Length);
    }

    /**
     * Sets bytes.
     *
     * @throws IllegalArgumentException if the field has another type, or the bytes do not fit
     * @throws IllegalStateException if this or a later field of variable length is set already
     */
    public void setBytes(int field, DirectBuffer bytes, int offset, int bytesLength) {
        requireType(field, Field.Type.BYTES);
        putVariable(field, bytes, offset, bytesLength);
    }

    /**
     * Ends the payload.
     *
     * @return its length
     * @throws IllegalStateException if a required field is not set; it can still be set then
     */
    public int finish() {
        begun();
        for (int i = 0; i < required.length; i++) {
            long missing = required[i] & ~set[i];
            if (missing != 0) {
                throw new IllegalStateException(
                        "required field is not set: " + describe(i * Long.SIZE + Long.numberOfTrailingZeros(missing)));
            }
        }
        putEmptyLengths(layout.variableCount());
        int finished = length;
        length = NOT_BEGUN;
        return finished;
    }

    private void putByte(int field, long value, long min, long max) {
        requireRange(field, value, min, max);
        begun().putByte(at(field), (byte) value);
        mark(field);
    }

    private void putShort(int field, long value, long min, long max) {
        requireRange(field, value, min, max);
        begun().putShort(at(field), (short) value, ByteOrder.LITTLE_ENDIAN);
        mark(field);
    }

    private void putInt(int field, long value, long min, long max) {
        requireRange(field, value, min, max);
        begun().putInt(at(field), (int) value, ByteOrder.LITTLE_ENDIAN);
        mark(field);
    }

    private void putLong(int field, long value, long min, long max) {
        requireRange(field, value, min, max);
        begun().putLong(at(field), value, ByteOrder.LITTLE_ENDIAN);
        mark(field);
    }

    private void putVariable(int field, DirectBuffer source, int offset, int sourceLength) {
        source.boundsCheck(offset, sourceLength);
        int at = beginVariable(field, sourceLength);
        begun().putBytes(at, source, offset, sourceLength);
        endVariable(field, at, sourceLength);
    }

    /**
     * Writes the lengths up to and including this field's. Room is reserved for the empty lengths of later fields, so
     * {@link #finish} can't fail for lack of it.
     *
     * @return the offset of the field's bytes
     */
    private int beginVariable(int field, long bytesLength) {
        begun();
        int ordinal = layout.variableOrdinal(field);
        if (ordinal < variablesWritten) {
            throw new IllegalStateException(
                    "variable-length fields must be set once, in declared order: " + describe(field));
        }
        int lengthBytes = StructLayout.lengthBytes((int) Math.min(bytesLength, Integer.MAX_VALUE));
        int otherLengths = layout.variableCount() - variablesWritten - 1;
        long needed = length + (long) otherLengths + lengthBytes + bytesLength;
        if (needed > room) {
            throw new IllegalArgumentException(
                    "payload does not fit: " + describe(field) + ", needed=" + needed + ", room=" + room);
        }
        putEmptyLengths(ordinal);
        for (int i = 0; i < lengthBytes; i++) {
            begun().putByte(start + length + i, StructLayout.lengthByte((int) bytesLength, i));
        }
        return start + length + lengthBytes;
    }

    private void endVariable(int field, int at, int bytesLength) {
        length = at - start + bytesLength;
        variablesWritten++;
        mark(field);
    }

    private void putEmptyLengths(int ordinalEnd) {
        int count = ordinalEnd - variablesWritten;
        begun().setMemory(start + length, count, (byte) 0);
        length += count;
        variablesWritten = ordinalEnd;
    }

    private void mark(int field) {
        set[field / Long.SIZE] |= 1L << field;
        int presenceBit = layout.presenceBit(field);
        if (presenceBit >= 0) {
            int at = start + StructLayout.presenceOffset(presenceBit);
            int bits = begun().getByte(at) | StructLayout.presenceMask(presenceBit);
            begun().putByte(at, (byte) bits);
        }
    }

    private int at(int field) {
        return start + layout.fixedOffset(field);
    }

    private MutableDirectBuffer begun() {
        if (length == NOT_BEGUN || buffer == null) {
            throw new IllegalStateException("no payload was begun: format=" + format);
        }
        return buffer;
    }

    private void requireType(int field, Field.Type type) {
        if (types[field] != type) {
            throw typeDiffers(field, type.text());
        }
    }

    private void requireRange(int field, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("value does not fit its field: " + describe(field) + ", value=" + value
                    + ", min=" + min + ", max=" + max);
        }
    }

    private IllegalArgumentException typeDiffers(int field, String given) {
        return new IllegalArgumentException("field has a different type: " + describe(field) + ", given=" + given);
    }

    private String describe(int field) {
        Field declared = format.fields().get(field);
        return "field=" + declared.name() + ", type=" + declared.type().text();
    }
}
