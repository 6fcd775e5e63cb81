package dev.loom.parquet;

import dev.loom.query.column.CellWriter;
import dev.loom.query.column.Column;
import java.util.Objects;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/** Writes the values of one column, from row group to row group. For one thread. */
final class ParquetCell implements CellWriter {
    /** Values of 4 bytes, in memory too. */
    private final boolean isShort;

    private @Nullable ColumnWriter writer;

    /** @param column null for one of longs of which none is missing */
    ParquetCell(@Nullable Column column) {
        isShort = column != null && !column.time() && column.type().fixedLength() < Long.BYTES;
    }

    /** Sets the row group to write to. */
    void to(ColumnWriter group) {
        writer = group;
    }

    private ColumnWriter writer() {
        return Objects.requireNonNull(writer, "no row group");
    }

    /** Writes a value of a column that has no nulls. */
    void require(long value) {
        writer().write(value, 0, 0);
    }

    @Override
    public void putNull() {
        writer().writeNull(0, 0);
    }

    @Override
    public void putInteger(long value) {
        if (isShort) {
            writer().write((int) value, 0, 1);
        } else {
            writer().write(value, 0, 1);
        }
    }

    @Override
    public void putDouble(double value) {
        if (isShort) {
            writer().write((float) value, 0, 1);
        } else {
            writer().write(value, 0, 1);
        }
    }

    @Override
    public void putBoolean(boolean value) {
        writer().write(value, 0, 1);
    }

    @Override
    public void putBytes(byte[] bytes, int length) {
        writer().write(Binary.fromReusedByteArray(bytes, 0, length), 0, 1);
    }
}
