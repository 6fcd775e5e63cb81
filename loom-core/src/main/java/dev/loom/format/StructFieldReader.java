package dev.loom.format;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;

/** Reads one field of a struct: one of fixed size in one step, one of variable length by skipping those before it. */
final class StructFieldReader implements FieldReader {
    private static final long MALFORMED = -1;

    private final Field.Type type;
    private final StructLayout layout;
    private final int field;
    private final int presenceBit;

    StructFieldReader(Field.Type type, StructLayout layout, int field) {
        this.type = type;
        this.layout = layout;
        this.field = field;
        presenceBit = layout.presenceBit(field);
    }

    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        int end = WholePayload.end(buffer, offset, length);
        if (!type.isVariableLength()) {
            readFixed(buffer, offset, end, into);
            return;
        }
        long next = firstVariable(layout, offset, end);
        for (int i = layout.variableOrdinal(field); i > 0; i--) {
            next = skipVariable(buffer, next, end);
        }
        readVariable(buffer, offset, end, next, into);
    }

    /**
     * The offset of the variable-length fields in a payload that ends at {@code end}, where -1 means no payload;
     * negative if the payload ends before them.
     */
    static long firstVariable(StructLayout layout, int offset, int end) {
        boolean tooShort = end < 0 || end - offset < layout.variableOffset();
        return tooShort ? MALFORMED : offset + layout.variableOffset();
    }

    /**
     * Finds a field of variable length in a payload that ends at {@code end}.
     *
     * @return its bytes' length, with the offset of the first in the upper 32 bits; negative if it is malformed
     */
    static long findVariable(StructLayout layout, int ordinal, DirectBuffer buffer, int offset, int end) {
        long next = firstVariable(layout, offset, end);
        for (int i = ordinal; i > 0; i--) {
            next = skipVariable(buffer, next, end);
        }
        long lengthAndStart = next < 0 ? MALFORMED : StructLayout.readLength(buffer, (int) next, end);
        return after(lengthAndStart, end) < 0 ? MALFORMED : lengthAndStart;
    }

    private static long skipVariable(DirectBuffer buffer, long at, int end) {
        if (at < 0) {
            return MALFORMED;
        }
        long length = StructLayout.readLength(buffer, (int) at, end);
        return after(length, end);
    }

    /** The offset after bytes whose length and start are packed as {@link StructLayout#readLength} returns them. */
    private static long after(long lengthAndStart, int end) {
        if (lengthAndStart < 0) {
            return MALFORMED;
        }
        int start = (int) (lengthAndStart >>> 32);
        int length = (int) lengthAndStart;
        return length > end - start ? MALFORMED : start + length;
    }

    /**
     * Reads a field of variable length.
     *
     * @param at the field's offset, or negative if a field before it is malformed
     * @return the next field's offset, or negative if this field is malformed
     */
    long readVariable(DirectBuffer buffer, int offset, int end, long at, FieldValue into) {
        into.setAbsent();
        if (at < 0) {
            return MALFORMED;
        }
        long lengthAndStart = StructLayout.readLength(buffer, (int) at, end);
        long next = after(lengthAndStart, end);
        if (next >= 0 && isPresent(buffer, offset)) {
            into.setBytes(
                    type == Field.Type.UTF8 ? FieldValue.Kind.TEXT : FieldValue.Kind.BYTES,
                    buffer,
                    (int) (lengthAndStart >>> 32),
                    (int) lengthAndStart);
        }
        return next;
    }

    /** Reads a field of fixed size from the payload that ends at {@code end}, where -1 means no payload. */
    void readFixed(DirectBuffer buffer, int offset, int end, FieldValue into) {
        int fixedOffset = layout.fixedOffset(field);
        if (end < 0 || end - offset < fixedOffset + type.fixedLength() || !isPresent(buffer, offset)) {
            into.setAbsent();
            return;
        }
        int at = offset + fixedOffset;
        switch (type) {
            case I8 -> into.setInteger(buffer.getByte(at));
            case I16 -> into.setInteger(buffer.getShort(at, ByteOrder.LITTLE_ENDIAN));
            case I32 -> into.setInteger(buffer.getInt(at, ByteOrder.LITTLE_ENDIAN));
            case I64 -> into.setInteger(buffer.getLong(at, ByteOrder.LITTLE_ENDIAN));
            case U8 -> into.setInteger(buffer.getByte(at) & 0xFF);
            case U16 -> into.setInteger(buffer.getShort(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF);
            case U32 -> into.setInteger(buffer.getInt(at, ByteOrder.LITTLE_ENDIAN) & 0xFFFF_FFFFL);
            case U64 -> into.setUnsigned(buffer.getLong(at, ByteOrder.LITTLE_ENDIAN));
            case F32 -> into.setDouble(buffer.getFloat(at, ByteOrder.LITTLE_ENDIAN));
            case F64 -> into.setDouble(buffer.getDouble(at, ByteOrder.LITTLE_ENDIAN));
            case BOOL -> setBoolean(buffer.getByte(at), into);
            case UTF8, BYTES, ANY, JSON -> throw new IllegalStateException("type has no fixed size: type=" + type);
        }
    }

    private static void setBoolean(byte value, FieldValue into) {
        if (value == 0 || value == 1) {
            into.setBoolean(value == 1);
        } else {
            into.setAbsent();
        }
    }

    /** For payloads that reach as far as the field, and so beyond the presence bitmap. */
    private boolean isPresent(DirectBuffer buffer, int offset) {
        return presenceBit < 0
                || (buffer.getByte(offset + StructLayout.presenceOffset(presenceBit))
                                & StructLayout.presenceMask(presenceBit))
                        != 0;
    }
}
