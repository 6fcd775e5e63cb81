package dev.loom.query.group;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.format.UnknownFieldException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns the values of fields of a record into a key, and back. Two values have equal bytes exactly if they are one group: if they
 * are of one kind and equal. Numbers are of one kind, whatever type they are stored with, and equal if they are the same number:
 * 1 and 1.0 are, 0.0 and -0.0 are; all NaN are one group. A JSON array or object is its text as it is printed.
 *
 * <pre>
 *   value:   kind (1 byte), then of a number its 8 bytes; of a boolean 1; of text, bytes and JSON a length (4) and the bytes
 *   key:     the values, one after the other, and zeros up to a whole word of 8 bytes
 * </pre>
 *
 * Allocates nothing for a record. For one thread.
 */
public final class KeyEncoder {
    /** Instead of a length: the key would be longer than {@link KeyTable#LENGTH_MAX}. */
    static final int TOO_LONG = -1;

    static final byte ABSENT = 0;
    static final byte INTEGER = 1;
    static final byte UNSIGNED = 2;
    static final byte DOUBLE = 3;
    private static final byte FALSE = 4;
    private static final byte TRUE = 5;
    private static final byte TEXT = 6;
    private static final byte BYTES = 7;
    private static final byte JSON = 8;

    private static final double TWO_63 = 0x1p63;
    private static final double TWO_64 = 0x1p64;
    private static final long NAN = Double.doubleToLongBits(Double.NaN);

    private final FieldReader[] readers;
    private final FieldValue[] values;
    private final boolean[] doubles;
    private final FieldValue printed = new FieldValue();
    private final UnsafeBuffer key = new UnsafeBuffer(new byte[KeyTable.LENGTH_MAX + Long.BYTES]);
    private final int begin;
    private int lengthWanted;

    /**
     * Prepares to read fields.
     *
     * @param begin where the values begin in the key; before that the caller has room, a whole number of words
     * @throws UnknownFieldException if the format lacks a field
     */
    public KeyEncoder(PayloadFormat format, List<String> fields, @Nullable RecordLookup lookup, int begin) {
        this.begin = begin;
        readers = new FieldReader[fields.size()];
        values = new FieldValue[fields.size()];
        doubles = new boolean[fields.size()];
        for (int i = 0; i < readers.length; i++) {
            readers[i] = reader(format, fields.get(i));
            values[i] = new FieldValue();
            values[i].lookup(lookup);
            Field.Type type = format.declaredType(fields.get(i));
            doubles[i] = type == Field.Type.F64 || type == Field.Type.F32;
        }
    }

    private static FieldReader reader(PayloadFormat format, String field) {
        FieldReader reader = format.field(field);
        if (reader == null) {
            throw new UnknownFieldException(field, format);
        }
        return reader;
    }

    /** Checks that a format may have a field; throws as the constructor does. */
    public static void check(PayloadFormat format, String field) {
        reader(format, field);
    }

    /** The last key. The caller may set what is before the values. */
    UnsafeBuffer key() {
        return key;
    }

    /** Makes the key of a payload; returns its length, or {@link #TOO_LONG}. The lookup must stand at the record. */
    int encode(DirectBuffer payload, int offset, int length) {
        int at = begin;
        for (int i = 0; i < readers.length && at != TOO_LONG; i++) {
            FieldValue value = values[i];
            readers[i].read(payload, offset, length, value);
            lengthWanted = at + 1 + Integer.BYTES + value.length();
            at = put(value, at);
        }
        if (at == TOO_LONG) {
            return at;
        }
        int end = BitUtil.align(at, Long.BYTES);
        while (at < end) {
            key.putByte(at++, (byte) 0);
        }
        return end;
    }

    /** The length up to the value that made the last key too long. */
    int lengthWanted() {
        return lengthWanted;
    }

    /** Whether the last key's only value is missing. */
    boolean isAbsent() {
        return key.getByte(begin) == ABSENT;
    }

    private int put(FieldValue value, int at) {
        if (at + 1 + Long.BYTES > KeyTable.LENGTH_MAX) {
            return TOO_LONG;
        }
        return switch (value.kind()) {
            case ABSENT -> put(ABSENT, at);
            case INTEGER -> put(INTEGER, value.longValue(), at);
            case UNSIGNED -> put(UNSIGNED, value.longValue(), at);
            case DOUBLE -> putDouble(value.doubleValue(), at);
            case BOOLEAN -> put(value.longValue() == 0 ? FALSE : TRUE, at);
            case TEXT -> put(TEXT, value, at);
            case BYTES -> put(BYTES, value, at);
            case JSON -> putJson(value, at);
        };
    }

    private int put(byte kind, int at) {
        key.putByte(at, kind);
        return at + 1;
    }

    private int put(byte kind, long bits, int at) {
        key.putByte(at, kind);
        key.putLong(at + 1, bits);
        return at + 1 + Long.BYTES;
    }

    private int putDouble(double number, int at) {
        if (number == Math.rint(number) && number >= -TWO_63 && number < TWO_64) {
            return number < TWO_63
                    ? put(INTEGER, (long) number, at)
                    : put(UNSIGNED, (long) (number - TWO_63) ^ Long.MIN_VALUE, at);
        }
        return put(DOUBLE, Double.isNaN(number) ? NAN : Double.doubleToRawLongBits(number), at);
    }

    private int put(byte kind, FieldValue value, int at) {
        int length = value.length();
        if (length > KeyTable.LENGTH_MAX - at - 1 - Integer.BYTES) {
            return TOO_LONG;
        }
        key.putByte(at, kind);
        key.putInt(at + 1, length);
        key.putBytes(at + 1 + Integer.BYTES, value.bytes(), value.offset(), length);
        return at + 1 + Integer.BYTES + length;
    }

    private int putJson(FieldValue value, int at) {
        if (FieldValue.JsonView.isPlain(value)) {
            return put(JSON, value, at);
        }
        FieldValue.JsonView.visible(value, false, printed);
        return put(JSON, printed, at);
    }

    static boolean isNumber(byte kind) {
        return kind == INTEGER || kind == UNSIGNED || kind == DOUBLE;
    }

    static boolean hasBytes(byte kind) {
        return kind >= TEXT;
    }

    /** The length of a value in a key. */
    static int length(DirectBuffer from, int at) {
        byte kind = from.getByte(at);
        return isNumber(kind) ? 1 + Long.BYTES : hasBytes(kind) ? 1 + Integer.BYTES + from.getInt(at + 1) : 1;
    }

    /** The values of a key, newly allocated. */
    List<FieldValue> decode(DirectBuffer from, int keyOffset) {
        List<FieldValue> decoded = new ArrayList<>();
        int at = keyOffset + begin;
        for (int i = 0; i < readers.length; i++) {
            FieldValue value = new FieldValue();
            at = get(from, at, doubles[i], value);
            decoded.add(value);
        }
        return List.copyOf(decoded);
    }

    /** @param isDouble whether whole numbers are shown as the doubles that they are */
    private static int get(DirectBuffer from, int at, boolean isDouble, FieldValue into) {
        byte kind = from.getByte(at);
        if (isNumber(kind)) {
            getNumber(kind, from.getLong(at + 1), isDouble, into);
        } else if (hasBytes(kind)) {
            byte[] bytes = new byte[from.getInt(at + 1)];
            from.getBytes(at + 1 + Integer.BYTES, bytes);
            FieldValue.Kind read =
                    kind == TEXT ? FieldValue.Kind.TEXT : kind == BYTES ? FieldValue.Kind.BYTES : FieldValue.Kind.JSON;
            into.setBytes(read, new UnsafeBuffer(bytes), 0, bytes.length);
        } else if (kind != ABSENT) {
            into.setBoolean(kind == TRUE);
        }
        return at + length(from, at);
    }

    private static void getNumber(byte kind, long bits, boolean isDouble, FieldValue into) {
        if (kind == DOUBLE) {
            into.setDouble(Double.longBitsToDouble(bits));
        } else if (!isDouble) {
            into.setUnsigned(bits);
            if (kind == INTEGER) {
                into.setInteger(bits);
            }
        } else {
            into.setDouble(kind == INTEGER ? bits : ((bits >>> 1) | (bits & 1)) * 2.0);
        }
    }
}
