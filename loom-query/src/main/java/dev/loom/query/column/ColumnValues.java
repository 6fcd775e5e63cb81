package dev.loom.query.column;

import dev.loom.format.Field;
import dev.loom.format.FieldValue;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** Turns values into those of their columns, and counts what these can't hold. Allocates nothing for valid texts. For one thread. */
public final class ColumnValues {
    private static final double LONG_END = 0x1p63;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final long NOT_ASCII = 0x8080808080808080L;

    private final CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    private final CharBuffer decoded = CharBuffer.allocate(512);
    private byte[] scratch = new byte[1024];
    private ByteBuffer scratchBytes = ByteBuffer.wrap(scratch);
    private long unfitting;
    private long repaired;
    private long bytes;

    public ColumnValues() {}

    /** Puts one value, or null if there is none that fits. */
    public void put(FieldValue value, Column column, CellWriter into) {
        boolean put = value.kind() != FieldValue.Kind.ABSENT
                && switch (column.type()) {
                    case I8, I16, I32, I64, U8, U16, U32, U64 -> putInteger(value, column, into);
                    case F32, F64 -> putDouble(value, column, into);
                    case BOOL -> putBoolean(value, into);
                    case UTF8, ANY, JSON -> putText(value, into);
                    case BYTES -> putBytes(value, into);
                };
        if (!put) {
            into.putNull();
            unfitting += value.kind() == FieldValue.Kind.ABSENT ? 0 : 1;
        }
        bytes += Long.BYTES;
    }

    private static boolean putInteger(FieldValue value, Column column, CellWriter into) {
        long integer = value.longValue();
        boolean fits = switch (value.kind()) {
            case INTEGER -> column.holds(integer);
            case UNSIGNED -> column.isUnsignedLong();
            case DOUBLE -> {
                double number = value.doubleValue();
                integer = (long) number;
                yield integer == number && number < LONG_END && column.holds(integer);
            }
            default -> false;
        };
        if (fits) {
            into.putInteger(integer);
        }
        return fits;
    }

    private static boolean putDouble(FieldValue value, Column column, CellWriter into) {
        double number;
        switch (value.kind()) {
            case INTEGER -> number = (double) value.longValue();
            case UNSIGNED -> number = ((value.longValue() >>> 1) | (value.longValue() & 1)) * 2.0;
            case DOUBLE -> number = value.doubleValue();
            default -> {
                return false;
            }
        }
        boolean fits = column.type() == Field.Type.F64 || !Double.isFinite(number) || Float.isFinite((float) number);
        if (fits) {
            into.putDouble(number);
        }
        return fits;
    }

    private static boolean putBoolean(FieldValue value, CellWriter into) {
        boolean fits = value.kind() == FieldValue.Kind.BOOLEAN;
        if (fits) {
            into.putBoolean(value.longValue() != 0);
        }
        return fits;
    }

    private boolean putBytes(FieldValue value, CellWriter into) {
        boolean fits = value.kind() == FieldValue.Kind.BYTES || value.kind() == FieldValue.Kind.TEXT;
        if (fits) {
            load(value);
            put(scratch, value.length(), into);
        }
        return fits;
    }

    private boolean putText(FieldValue value, CellWriter into) {
        switch (value.kind()) {
            case TEXT, JSON -> {
                load(value);
                if (isValid(value.length())) {
                    put(scratch, value.length(), into);
                } else {
                    putRepaired(value.length(), into);
                }
            }
            case BYTES -> {
                load(value);
                byte[] text = Base64.getEncoder().encode(Arrays.copyOf(scratch, value.length()));
                put(text, text.length, into);
            }
            default -> {
                byte[] text = value.text().getBytes(StandardCharsets.US_ASCII);
                put(text, text.length, into);
            }
        }
        return true;
    }

    private void load(FieldValue value) {
        if (scratch.length < value.length()) {
            scratch = new byte[Math.max(value.length(), scratch.length * 2)];
            scratchBytes = ByteBuffer.wrap(scratch);
        }
        value.bytes().getBytes(value.offset(), scratch, 0, value.length());
    }

    private boolean isValid(int length) {
        int ascii = 0;
        while (ascii <= length - Long.BYTES && ((long) LONGS.get(scratch, ascii) & NOT_ASCII) == 0) {
            ascii += Long.BYTES;
        }
        while (ascii < length && scratch[ascii] >= 0) {
            ascii++;
        }
        if (ascii == length) {
            return true;
        }
        scratchBytes.limit(length).position(ascii);
        decoder.reset();
        CoderResult result = CoderResult.OVERFLOW;
        while (result.isOverflow()) {
            result = decoder.decode(scratchBytes, decoded.clear(), true);
        }
        return !result.isError();
    }

    /** Readers refuse a whole answer with one text that is not UTF-8. */
    private void putRepaired(int length, CellWriter into) {
        byte[] valid = new String(scratch, 0, length, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
        repaired++;
        put(valid, valid.length, into);
    }

    private void put(byte[] text, int length, CellWriter into) {
        into.putBytes(text, length);
        bytes += length;
    }

    /** Values that their columns can't hold. */
    public long unfitting() {
        return unfitting;
    }

    /** Texts that were not UTF-8. */
    public long repaired() {
        return repaired;
    }

    /** Bytes of values put, about. */
    public long bytes() {
        return bytes;
    }

    /** What was done to values, for people; empty if nothing was. */
    public static List<String> remarks(long unfitting, long repaired) {
        List<String> remarks = new ArrayList<>();
        if (unfitting > 0) {
            remarks.add("values that their column can't hold are null: values=" + unfitting);
        }
        if (repaired > 0) {
            remarks.add("texts that are not UTF-8 have U+FFFD where they are not: values=" + repaired);
        }
        return remarks;
    }
}
