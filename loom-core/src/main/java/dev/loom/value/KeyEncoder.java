package dev.loom.value;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.format.UnknownFieldException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
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
    /** The most bytes of a key. */
    public static final int LENGTH_MAX = 1 << 12;

    /** Instead of a length: the key would be longer than {@link #LENGTH_MAX}. */
    public static final int TOO_LONG = -1;

    /** The kind of a missing value. */
    public static final byte ABSENT = 0;
    /** The kind of a signed integer. */
    public static final byte INTEGER = 1;
    /** The kind of an integer above {@link Long#MAX_VALUE}. */
    public static final byte UNSIGNED = 2;
    /** The kind of a number that is no such integer. */
    public static final byte DOUBLE = 3;

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
    private final UnsafeBuffer key = new UnsafeBuffer(new byte[LENGTH_MAX + Long.BYTES]);
    private final int begin;
    /** Where the next whole word of the key is to be, and the bytes of it that there are. */
    private int end;

    private int filled;
    private long word;
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

    /** Prepares to make keys by readers of fields; they are not decoded. */
    public KeyEncoder(List<FieldReader> fields, @Nullable RecordLookup lookup) {
        begin = 0;
        readers = fields.toArray(new FieldReader[0]);
        values = new FieldValue[readers.length];
        doubles = new boolean[readers.length];
        for (int i = 0; i < readers.length; i++) {
            values[i] = new FieldValue();
            values[i].lookup(lookup);
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
    public UnsafeBuffer key() {
        return key;
    }

    /** Makes the key of a payload; returns its length, or {@link #TOO_LONG}. The lookup must stand at the record. */
    public int encode(DirectBuffer payload, int offset, int length) {
        end = begin;
        filled = 0;
        word = 0;
        for (int i = 0; i < readers.length; i++) {
            FieldValue value = values[i];
            readers[i].read(payload, offset, length, value);
            if (!put(value)) {
                return TOO_LONG;
            }
        }
        if (filled > 0) {
            key.putLong(end, word);
            end += Long.BYTES;
        }
        return end;
    }

    /** The length up to the value that made the last key too long. */
    public int lengthWanted() {
        return lengthWanted;
    }

    /** Whether the last key's only value is missing. */
    public boolean isAbsent() {
        return key.getByte(begin) == ABSENT;
    }

    private boolean put(FieldValue value) {
        return switch (value.kind()) {
            case ABSENT -> put(ABSENT);
            case INTEGER -> put(INTEGER, value.longValue());
            case UNSIGNED -> put(UNSIGNED, value.longValue());
            case DOUBLE -> putDouble(value.doubleValue());
            case BOOLEAN -> put(value.longValue() == 0 ? FALSE : TRUE);
            case TEXT -> put(TEXT, value);
            case BYTES -> put(BYTES, value);
            case JSON -> putJson(value);
        };
    }

    private boolean fits(int bytes) {
        lengthWanted = end + filled + bytes;
        return lengthWanted <= LENGTH_MAX;
    }

    private boolean put(byte kind) {
        boolean fits = fits(1);
        if (fits) {
            append(kind, 1);
        }
        return fits;
    }

    private boolean put(byte kind, long bits) {
        boolean fits = fits(1 + Long.BYTES);
        if (fits) {
            append(kind, 1);
            append(bits, Long.BYTES);
        }
        return fits;
    }

    private boolean putDouble(double number) {
        if (number == Math.rint(number) && number >= -TWO_63 && number < TWO_64) {
            return number < TWO_63
                    ? put(INTEGER, (long) number)
                    : put(UNSIGNED, (long) (number - TWO_63) ^ Long.MIN_VALUE);
        }
        return put(DOUBLE, Double.isNaN(number) ? NAN : Double.doubleToRawLongBits(number));
    }

    private boolean put(byte kind, FieldValue value) {
        int length = value.length();
        if (length > LENGTH_MAX || !fits(1 + Integer.BYTES + length)) {
            lengthWanted = end + filled + 1 + Integer.BYTES + length;
            return false;
        }
        append(kind | (long) length << Byte.SIZE, 1 + Integer.BYTES);
        DirectBuffer from = value.bytes();
        int offset = value.offset();
        int left = length;
        // whole words are read and written, since a word that was written by parts is slow to read
        int shift = filled * Byte.SIZE;
        while (left >= Long.BYTES) {
            long next = from.getLong(offset);
            key.putLong(end, word | next << shift);
            word = shift == 0 ? 0 : next >>> (Long.SIZE - shift);
            end += Long.BYTES;
            offset += Long.BYTES;
            left -= Long.BYTES;
        }
        if (left > 0) {
            append(lastBytes(from, offset, left, length), left);
        }
        return true;
    }

    /** The last bytes of a text, fewer than 8. */
    private static long lastBytes(DirectBuffer from, int offset, int count, int length) {
        if (length >= Long.BYTES) {
            return from.getLong(offset + count - Long.BYTES) >>> (Long.SIZE - count * Byte.SIZE);
        }
        long bits = 0;
        for (int i = count - 1; i >= 0; i--) {
            bits = (bits << Byte.SIZE) | (from.getByte(offset + i) & 0xFF);
        }
        return bits;
    }

    /** Appends up to 8 bytes; those above them are 0. */
    private void append(long bits, int bytes) {
        long all = word | bits << (filled * Byte.SIZE);
        int total = filled + bytes;
        if (total >= Long.BYTES) {
            key.putLong(end, all);
            end += Long.BYTES;
            all = filled == 0 ? 0 : bits >>> (Long.SIZE - filled * Byte.SIZE);
            total -= Long.BYTES;
        }
        word = all;
        filled = total;
    }

    private boolean putJson(FieldValue value) {
        if (FieldValue.JsonView.isPlain(value)) {
            return put(JSON, value);
        }
        FieldValue.JsonView.visible(value, false, printed);
        return put(JSON, printed);
    }

    public static boolean isNumber(byte kind) {
        return kind == INTEGER || kind == UNSIGNED || kind == DOUBLE;
    }

    public static boolean hasBytes(byte kind) {
        return kind >= TEXT;
    }

    public static boolean isJson(byte kind) {
        return kind == JSON;
    }

    /** The length of a value in a key. */
    public static int length(DirectBuffer from, int at) {
        byte kind = from.getByte(at);
        return isNumber(kind) ? 1 + Long.BYTES : hasBytes(kind) ? 1 + Integer.BYTES + from.getInt(at + 1) : 1;
    }

    /** Whether bytes are a key of this number of values, as {@link #encode} makes it. */
    public static boolean isKey(DirectBuffer from, int offset, int length, int values) {
        int at = offset;
        int end = offset + length;
        for (int i = 0; i < values; i++) {
            if (at >= end) {
                return false;
            }
            byte kind = from.getByte(at);
            int left = end - at - 1;
            boolean fits = kind >= ABSENT
                    && kind <= JSON
                    && (!isNumber(kind) || left >= Long.BYTES)
                    && (!hasBytes(kind)
                            || (left >= Integer.BYTES
                                    && from.getInt(at + 1) >= 0
                                    && from.getInt(at + 1) <= left - Integer.BYTES));
            if (!fits) {
                return false;
            }
            at += length(from, at);
        }
        boolean padded = length % Long.BYTES == 0 && end - at < Long.BYTES;
        for (; padded && at < end; at++) {
            padded = from.getByte(at) == 0;
        }
        return padded;
    }

    /**
     * Makes a key of some values of another one.
     *
     * @param places of the values, in the order in which they are wanted
     * @param into has room for as much as the other key takes
     * @return the length
     */
    public static int select(DirectBuffer from, int keyOffset, int[] places, MutableDirectBuffer into) {
        int end = 0;
        for (int place : places) {
            int at = keyOffset;
            for (int i = 0; i < place; i++) {
                at += length(from, at);
            }
            int length = length(from, at);
            into.putBytes(end, from, at, length);
            end += length;
        }
        for (; end % Long.BYTES != 0; end++) {
            into.putByte(end, (byte) 0);
        }
        return end;
    }

    /** The values of a key, newly allocated. */
    public List<FieldValue> decode(DirectBuffer from, int keyOffset) {
        List<FieldValue> decoded = new ArrayList<>();
        int at = keyOffset + begin;
        for (int i = 0; i < readers.length; i++) {
            int length = length(from, at);
            UnsafeBuffer bytes = new UnsafeBuffer(new byte[length]);
            bytes.putBytes(0, from, at, length);
            FieldValue value = new FieldValue();
            read(bytes, 0, doubles[i], value);
            decoded.add(value);
            at += length;
        }
        return List.copyOf(decoded);
    }

    /**
     * Reads a value of a key; text and bytes stay where they are.
     *
     * @param isDouble whether whole numbers are shown as the doubles that they are
     */
    public static void read(DirectBuffer from, int at, boolean isDouble, FieldValue into) {
        byte kind = from.getByte(at);
        if (isNumber(kind)) {
            getNumber(kind, from.getLong(at + 1), isDouble, into);
        } else if (hasBytes(kind)) {
            FieldValue.Kind read =
                    kind == TEXT ? FieldValue.Kind.TEXT : kind == BYTES ? FieldValue.Kind.BYTES : FieldValue.Kind.JSON;
            into.setBytes(read, from, at + 1 + Integer.BYTES, from.getInt(at + 1));
        } else if (kind != ABSENT) {
            into.setBoolean(kind == TRUE);
        } else {
            into.setAbsent();
        }
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
