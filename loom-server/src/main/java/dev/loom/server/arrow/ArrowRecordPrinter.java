package dev.loom.server.arrow;

import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.query.column.Column;
import dev.loom.query.column.ColumnValues;
import dev.loom.query.column.RecordColumns;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.text.DataOutput;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.agrona.DirectBuffer;

/** Writes the records of one source as rows of a stream. Allocates nothing for each. For one thread. */
final class ArrowRecordPrinter extends RecordPrinter {
    private static final String TIME = "time";
    private static final String ADDRESS = "addr";
    private static final String CAUSE = "cause";

    private final PayloadFormat format;
    private final ArrowStream stream;
    private final BiConsumer<String, FieldValue> fieldPut = this::put;
    private final boolean causes;
    private final boolean whole;
    private int column;

    ArrowRecordPrinter(
            DataOutput out,
            String source,
            PayloadFormat format,
            boolean causes,
            ColumnValues values,
            QueryMemory memory) {
        this.format = format;
        this.causes = causes;
        whole = format.fields().isEmpty();
        List<Column> columns = new ArrayList<>(List.of(Column.time(TIME), integer(ADDRESS)));
        if (causes) {
            columns.add(integer(CAUSE));
        }
        int own = columns.size();
        Set<String> names = new LinkedHashSet<>();
        columns.forEach(each -> names.add(each.name()));
        columns.addAll(new RecordColumns(source, format, names).columns());
        Map<String, String> metadata = Map.of("loom.source", source, "loom.format", format.text());
        stream = new ArrowStream(out, columns, own, metadata, values, memory);
    }

    private static Column integer(String name) {
        return new Column(name, Field.Type.I64, false, ValueUnit.NONE);
    }

    ArrowStream stream() {
        return stream;
    }

    @Override
    public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
        value.from(address);
        column = 0;
        stream.put(column++, timeNs);
        stream.put(column++, address);
        if (causes) {
            stream.put(column++, cause);
        }
        if (whole) {
            value.setBytes(FieldValue.Kind.TEXT, buffer, offset, length);
            stream.put(column, value);
        } else {
            format.forEachField(buffer, offset, length, value, fieldPut);
        }
        stream.endRow();
    }

    private void put(String name, FieldValue read) {
        stream.put(column++, read);
    }

    @Override
    public void flush() {
        stream.flush();
    }
}
