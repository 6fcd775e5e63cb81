package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.WireReader;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Reads a field of a message or of a nested one; the last of several, as everywhere in protobuf. */
final class WireField implements FieldReader {
    private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
    private static final int TRACE_ID_LENGTH = 16;
    private static final int SPAN_ID_LENGTH = 8;

    private final Part part;
    private final Form form;
    private final int[] path;

    WireField(Part part, Form form, int... path) {
        this.part = part;
        this.form = form;
        this.path = path;
    }

    /** The result of a walk. */
    static final class Found {
        boolean firstIsLast;
        int count;
        long value;
        int offset;
    }

    static WireField of(Form form, int... path) {
        return new WireField(Part.MESSAGE, form, path);
    }

    @Override
    public FieldReader identity() {
        return ContextIdentity.of(part, this);
    }

    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        if (!state.wrap(part, buffer, offset, length, into)) {
            return;
        }
        Found found = state.found;
        found.firstIsLast = state.fieldsOnce() && form != Form.COUNT;
        found.count = 0;
        found.value = 0;
        walk(state.reader, 0, found);
        if (state.reader.failure() == null) {
            set(state.reader.buffer(), found, into);
        }
    }

    private void walk(WireReader reader, int depth, Found found) {
        int wanted = path[depth];
        boolean last = depth == path.length - 1;
        boolean more = true;
        while (more && reader.nextOf(wanted)) {
            if (last) {
                found.count++;
                found.value = reader.value();
                found.offset = reader.offset();
            } else {
                int end = reader.enter();
                walk(reader, depth + 1, found);
                reader.leave(end);
            }
            more = !found.firstIsLast;
        }
    }

    private void set(DirectBuffer buffer, Found found, FieldValue into) {
        long value = found.value;
        int number = (int) value;
        switch (form) {
            case TEXT -> setText(buffer, found, into);
            case SPAN_ID -> setHex(buffer, found, SPAN_ID_LENGTH, into);
            case TRACE_ID -> setHex(buffer, found, TRACE_ID_LENGTH, into);
            case TIME -> {
                if (value != 0) {
                    into.setUnsigned(value);
                }
            }
            case NUMBER -> into.setInteger(value & 0xFFFF_FFFFL);
            case NUMBER64 -> into.setUnsigned(value);
            case NUMBER_BUT_ZERO -> {
                if (number != 0) {
                    into.setInteger(number);
                }
            }
            case ENUM -> into.setInteger(number);
            case DOUBLE -> into.setDouble(Double.longBitsToDouble(value));
            case OPTIONAL_DOUBLE -> {
                if (found.count > 0) {
                    into.setDouble(Double.longBitsToDouble(value));
                }
            }
            case BOOL -> into.setBoolean(value != 0);
            case COUNT -> into.setInteger(found.count);
            case SPAN_KIND -> EnumText.SPAN_KIND.set(number, into);
            case STATUS -> EnumText.STATUS.set(number, into);
            case TEMPORALITY -> EnumText.TEMPORALITY.set(number, into);
        }
    }

    /** The signed 32-bit number of a varint in zigzag form. */
    static int zigzag(long value) {
        int bits = (int) value;
        return (bits >>> 1) ^ -(bits & 1);
    }

    private static void setText(DirectBuffer buffer, Found found, FieldValue into) {
        if (found.value != 0) {
            into.setBytes(FieldValue.Kind.TEXT, buffer, found.offset, (int) found.value);
        }
    }

    private static void setHex(DirectBuffer buffer, Found found, int length, FieldValue into) {
        if (isId(buffer, found.offset, found.value, length)) {
            MutableDirectBuffer text = into.scratch(2 * length);
            putHex(buffer, found.offset, length, text, 0);
            into.setBytes(FieldValue.Kind.TEXT, text, 0, 2 * length);
        }
    }

    /** Whether bytes are an id: of the right length, and not all zero. */
    static boolean isId(DirectBuffer buffer, int offset, long actualLength, int length) {
        if (actualLength != length) {
            return false;
        }
        long bits = 0;
        for (int i = 0; i < length; i += Long.BYTES) {
            bits |= buffer.getLong(offset + i);
        }
        return bits != 0;
    }

    static void putHex(DirectBuffer buffer, int offset, int length, MutableDirectBuffer text, int at) {
        for (int i = 0; i < length; i++) {
            int b = buffer.getByte(offset + i) & 0xFF;
            text.putByte(at + 2 * i, HEX[b >> 4]);
            text.putByte(at + 2 * i + 1, HEX[b & 0xF]);
        }
    }
}
