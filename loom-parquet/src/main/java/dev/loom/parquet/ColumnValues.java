package dev.loom.parquet;

import dev.loom.format.FieldValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;

/** Writes values into columns, and counts what these can't hold. For one thread. */
final class ColumnValues {
    private static final double LONG_END = 0x1p63;

    private byte[] scratch = new byte[1024];
    private long rows;
    private long unfitting;
    private long repaired;
    private long bytes;

    /** Writes one value, or null if there is none that fits. */
    void write(FieldValue value, ParquetColumn column, ColumnWriter into) {
        boolean written = value.kind() != FieldValue.Kind.ABSENT
                && switch (column.type()) {
                    case I8, I16, I32, I64, U8, U16, U32, U64 -> writeInteger(value, column, into);
                    case F32, F64 -> writeDouble(value, column, into);
                    case BOOL -> writeBoolean(value, into);
                    case UTF8, ANY, JSON -> writeText(value, into);
                    case BYTES -> writeBytes(value, into);
                };
        if (!written) {
            into.writeNull(0, 0);
            unfitting += value.kind() == FieldValue.Kind.ABSENT ? 0 : 1;
        }
        bytes += Long.BYTES;
    }

    private static boolean writeInteger(FieldValue value, ParquetColumn column, ColumnWriter into) {
        long integer = value.longValue();
        boolean fits = switch (value.kind()) {
            case INTEGER -> integer >= column.least() && integer <= column.greatest();
            case UNSIGNED -> column.isUnsignedLong();
            case DOUBLE -> {
                double number = value.doubleValue();
                integer = (long) number;
                yield integer == number
                        && number < LONG_END
                        && integer >= column.least()
                        && integer <= column.greatest();
            }
            default -> false;
        };
        if (fits && column.isShort()) {
            into.write((int) integer, 0, 1);
        } else if (fits) {
            into.write(integer, 0, 1);
        }
        return fits;
    }

    private static boolean writeDouble(FieldValue value, ParquetColumn column, ColumnWriter into) {
        double number;
        switch (value.kind()) {
            case INTEGER -> number = value.longValue();
            case UNSIGNED -> number = ((value.longValue() >>> 1) | (value.longValue() & 1)) * 2.0;
            case DOUBLE -> number = value.doubleValue();
            default -> {
                return false;
            }
        }
        if (column.type().fixedLength() == Float.BYTES) {
            into.write((float) number, 0, 1);
        } else {
            into.write(number, 0, 1);
        }
        return true;
    }

    private static boolean writeBoolean(FieldValue value, ColumnWriter into) {
        boolean fits = value.kind() == FieldValue.Kind.BOOLEAN;
        if (fits) {
            into.write(value.longValue() != 0, 0, 1);
        }
        return fits;
    }

    private boolean writeBytes(FieldValue value, ColumnWriter into) {
        boolean fits = value.kind() == FieldValue.Kind.BYTES || value.kind() == FieldValue.Kind.TEXT;
        if (fits) {
            load(value);
            put(scratch, value.length(), into);
        }
        return fits;
    }

    private boolean writeText(FieldValue value, ColumnWriter into) {
        switch (value.kind()) {
            case TEXT, JSON -> {
                load(value);
                if (isAscii(value.length())) {
                    put(scratch, value.length(), into);
                } else {
                    putValid(value.length(), into);
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
        }
        value.bytes().getBytes(value.offset(), scratch, 0, value.length());
    }

    private boolean isAscii(int length) {
        for (int i = 0; i < length; i++) {
            if (scratch[i] < 0) {
                return false;
            }
        }
        return true;
    }

    /** Readers refuse a whole file with one text that is not UTF-8. */
    private void putValid(int length, ColumnWriter into) {
        byte[] valid = new String(scratch, 0, length, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
        if (!Arrays.equals(valid, 0, valid.length, scratch, 0, length)) {
            repaired++;
        }
        put(valid, valid.length, into);
    }

    private void put(byte[] text, int length, ColumnWriter into) {
        into.write(Binary.fromReusedByteArray(text, 0, length), 0, 1);
        bytes += length;
    }

    void endRow() {
        rows++;
    }

    /** Rows written. */
    long rows() {
        return rows;
    }

    /** Values that their columns can't hold. */
    long unfitting() {
        return unfitting;
    }

    /** Texts that were not UTF-8. */
    long repaired() {
        return repaired;
    }

    /** Bytes of values written, about. */
    long bytes() {
        return bytes;
    }
}
