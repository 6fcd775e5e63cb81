package dev.loom.cli.importing;

import dev.loom.cli.input.CsvRows;
import dev.loom.format.Field;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rows of a CSV input as structs. */
final class CsvInput implements RecordInput {
    /** The most bytes that the length of a text or of bytes takes. */
    private static final int LENGTH_BYTES_MAX = 5;

    private final CsvRows rows;
    private final StructFormat format;
    private final StructWriter writer;
    private final CellEncoder encoder = new CellEncoder();
    private final int[] columnOfField;
    private final int columns;

    /**
     * Starts with the row after the header.
     *
     * @param header the columns' names: those of the format's fields, in any order
     * @param leftOut columns before them
     */
    CsvInput(CsvRows rows, List<String> header, int leftOut, StructFormat format) {
        this.rows = rows;
        this.format = format;
        this.writer = new StructWriter(format);
        this.columnOfField = format.fields().stream()
                .map(Field::name)
                .mapToInt(name -> leftOut + header.indexOf(name))
                .toArray();
        this.columns = leftOut + header.size();
    }

    @Override
    public boolean next() throws IOException {
        return rows.next();
    }

    @Override
    public boolean whole() {
        return rows.whole();
    }

    @Override
    public String position() {
        return "line " + rows.line();
    }

    @Override
    public @Nullable String encode(PayloadBatch batch) {
        String problem = rows.problem();
        if (problem != null) {
            return problem;
        } else if (rows.cellCount() != columns) {
            return "row has " + rows.cellCount() + " cells, the header " + columns;
        }
        int lengthMax = payloadLengthMax();
        batch.ensure(lengthMax);
        writer.begin(batch.buffer(), batch.offset(), lengthMax);
        for (int i = 0; i < columnOfField.length; i++) {
            problem = encode(i, columnOfField[i]);
            if (problem != null) {
                return format.fields().get(i).name() + ": " + problem;
            }
        }
        batch.encoded(writer.finish());
        return null;
    }

    private @Nullable String encode(int fieldIndex, int column) {
        Field field = format.fields().get(fieldIndex);
        boolean text = field.type() == Field.Type.UTF8 || field.type() == Field.Type.BYTES;
        if (rows.length(column) == 0 && !(text && rows.quoted(column))) {
            return field.optional() ? null : "empty, but required";
        }
        return encoder.encode(
                writer, fieldIndex, field.type(), rows.array(column), rows.offset(column), rows.length(column));
    }

    private int payloadLengthMax() {
        int length = format.lengthMin();
        for (int column : columnOfField) {
            length += LENGTH_BYTES_MAX + rows.length(column);
        }
        return length;
    }

    @Override
    public byte[] rawBytes() {
        return rows.rowBytes();
    }

    @Override
    public boolean cut() {
        return rows.cut();
    }
}
