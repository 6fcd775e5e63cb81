package dev.loom.server.arrow;

import dev.loom.query.column.CellWriter;
import dev.loom.query.column.Column;
import dev.loom.server.text.DataOutput;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The values of one column in a batch, as Arrow lays them out: a bit for each row that is 1 if there is a value; for values of different
 * lengths the offset of each and of their end; the values. Used again for each batch. For one thread.
 */
final class ArrowColumn implements CellWriter {
    /** Buffers begin at multiples of this. */
    static final int ALIGNMENT = 64;

    private static final int BUFFER_LENGTH_MIN = 1024;
    private static final byte[] PADDING = new byte[ALIGNMENT];
    private static final VarHandle SHORTS = view(short[].class);
    private static final VarHandle INTS = view(int[].class);
    private static final VarHandle LONGS = view(long[].class);
    private static final VarHandle FLOATS = view(float[].class);
    private static final VarHandle DOUBLES = view(double[].class);

    private final Layout layout;
    private final int width;
    private final byte[] valid;
    private final byte[] offsets;
    private byte[] data;
    private int rows;
    private int nulls;
    private int bytes;

    /** How values are laid out. */
    private enum Layout {
        BITS,
        FIXED,
        VARIABLE
    }

    /** @param rowsMax the most rows of a batch */
    ArrowColumn(Column column, int rowsMax) {
        layout = layout(column);
        width = column.type().fixedLength();
        valid = new byte[bitmapLength(rowsMax)];
        offsets = new byte[layout == Layout.VARIABLE ? (rowsMax + 1) * Integer.BYTES : 0];
        data = new byte
                [switch (layout) {
                    case BITS -> bitmapLength(rowsMax);
                    case FIXED -> rowsMax * width;
                    case VARIABLE -> BUFFER_LENGTH_MIN;
                }];
    }

    private static VarHandle view(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    private static Layout layout(Column column) {
        return switch (column.type()) {
            case BOOL -> Layout.BITS;
            case I8, I16, I32, I64, U8, U16, U32, U64, F32, F64 -> Layout.FIXED;
            case UTF8, ANY, JSON, BYTES -> Layout.VARIABLE;
        };
    }

    /** Bytes that a row takes at least, about. */
    static int rowBytes(Column column) {
        return 1
                + switch (layout(column)) {
                    case BITS -> 0;
                    case FIXED -> column.type().fixedLength();
                    case VARIABLE -> Integer.BYTES;
                };
    }

    private static int bitmapLength(int bits) {
        return (bits + Byte.SIZE - 1) / Byte.SIZE;
    }

    @Override
    public void putNull() {
        nulls++;
        switch (layout) {
            case FIXED -> Arrays.fill(data, rows * width, (rows + 1) * width, (byte) 0);
            case VARIABLE -> INTS.set(offsets, (rows + 1) * Integer.BYTES, bytes);
            case BITS -> {}
        }
        rows++;
    }

    private void validate() {
        valid[rows / Byte.SIZE] |= (byte) (1 << (rows % Byte.SIZE));
    }

    @Override
    public void putInteger(long value) {
        validate();
        int at = rows++ * width;
        switch (width) {
            case Byte.BYTES -> data[at] = (byte) value;
            case Short.BYTES -> SHORTS.set(data, at, (short) value);
            case Integer.BYTES -> INTS.set(data, at, (int) value);
            default -> LONGS.set(data, at, value);
        }
    }

    @Override
    public void putDouble(double value) {
        validate();
        int at = rows++ * width;
        if (width == Float.BYTES) {
            FLOATS.set(data, at, (float) value);
        } else {
            DOUBLES.set(data, at, value);
        }
    }

    @Override
    public void putBoolean(boolean value) {
        validate();
        if (value) {
            data[rows / Byte.SIZE] |= (byte) (1 << (rows % Byte.SIZE));
        }
        rows++;
    }

    @Override
    public void putBytes(byte[] source, int length) {
        validate();
        int end = Math.addExact(bytes, length);
        if (end > data.length) {
            data = Arrays.copyOf(data, (int) Math.min(Math.max(end, 2L * data.length), Integer.MAX_VALUE - Long.BYTES));
        }
        System.arraycopy(source, 0, data, bytes, length);
        bytes = end;
        INTS.set(offsets, ++rows * Integer.BYTES, bytes);
    }

    /** Bytes of values of different lengths. */
    int bytes() {
        return bytes;
    }

    /** Rows without a value. */
    int nulls() {
        return nulls;
    }

    /** Begins the next batch. */
    void clear() {
        Arrays.fill(valid, 0, bitmapLength(rows), (byte) 0);
        if (layout == Layout.BITS) {
            Arrays.fill(data, 0, bitmapLength(rows), (byte) 0);
        }
        rows = 0;
        nulls = 0;
        bytes = 0;
    }

    /** Takes a buffer of the batch, which begins at a multiple of {@link #ALIGNMENT} with the length. */
    interface BufferHandler {
        void onBuffer(byte[] buffer, int length);
    }

    /** Passes each buffer, in order. */
    void forEachBuffer(BufferHandler handler) {
        handler.onBuffer(valid, nulls == 0 ? 0 : bitmapLength(rows)); // all rows have values if it is left out
        if (layout == Layout.VARIABLE) {
            handler.onBuffer(offsets, (rows + 1) * Integer.BYTES);
        }
        handler.onBuffer(
                data,
                switch (layout) {
                    case BITS -> bitmapLength(rows);
                    case FIXED -> rows * width;
                    case VARIABLE -> bytes;
                });
    }

    /** A length with the padding behind it. */
    static long padded(long length) {
        return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** Writes a buffer with its padding. */
    static void write(DataOutput out, byte[] buffer, int length) {
        out.write(buffer, 0, length);
        out.write(PADDING, 0, (int) (padded(length) - length));
    }
}
