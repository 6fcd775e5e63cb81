package dev.loom.server.arrow;

import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.query.column.Column;
import dev.loom.query.column.ColumnValues;
import dev.loom.query.model.QueryMemory;
import dev.loom.server.json.FieldCell;
import dev.loom.server.json.JsonText;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.table.TableForm;
import dev.loom.server.text.DataOutput;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An answer as a stream of Arrow. Each member of the outcome is in the metadata of the last batch, which is empty: its name behind {@code
 * loom.}, its value as JSON.
 */
public final class ArrowTable implements TableForm {
    private static final String KEY_PREFIX = "loom.";

    private final DataOutput out;
    private final QueryMemory memory;
    private final ColumnValues values = new ColumnValues();
    private final FieldValue value = new FieldValue();
    private final UnsafeBuffer text = new UnsafeBuffer(new byte[0]);
    private List<Column> columns = List.of();
    private @Nullable ArrowStream stream;

    /** @param memory from which an answer reserves its batch, 1.5 MiB and 1 KiB for each column, when it begins */
    public ArrowTable(DataOutput out, QueryMemory memory) {
        this.out = out;
        this.memory = memory;
    }

    @Override
    public RecordPrinter records(String source, PayloadFormat format, boolean causes) {
        ArrowRecordPrinter printer = new ArrowRecordPrinter(out, source, format, causes, values, memory);
        stream = printer.stream();
        return printer;
    }

    @Override
    public void begin(List<Column> named) {
        columns = named;
        stream = new ArrowStream(out, named, 0, Map.of(), values, memory);
    }

    @Override
    public void add(Map<String, ? extends @Nullable Object> row) {
        ArrowStream rows = Objects.requireNonNull(stream, "no columns");
        for (int i = 0; i < columns.size(); i++) {
            Object cell = row.get(columns.get(i).name());
            rows.put(i, cell instanceof FieldCell field ? field.value() : load(cell));
        }
        rows.endRow();
    }

    private FieldValue load(@Nullable Object cell) {
        if (cell == null) {
            value.setAbsent();
        } else if (cell instanceof Boolean truth) {
            value.setBoolean(truth);
        } else if (cell instanceof Double number) {
            value.setDouble(number);
        } else if (cell instanceof Long || cell instanceof Integer) {
            value.setInteger(((Number) cell).longValue());
        } else if (cell instanceof BigInteger number && number.bitLength() < Long.SIZE) {
            value.setInteger(number.longValue());
        } else if (cell instanceof BigInteger number && number.signum() > 0 && number.bitLength() == Long.SIZE) {
            value.setUnsigned(number.longValue());
        } else if (cell instanceof Number number) {
            value.setDouble(number.doubleValue());
        } else {
            text.wrap(cell.toString().getBytes(StandardCharsets.UTF_8));
            value.setBytes(FieldValue.Kind.TEXT, text, 0, text.capacity());
        }
        return value;
    }

    @Override
    public void flush() {
        if (stream != null) {
            stream.flush();
        }
    }

    @Override
    public Map<String, Long> altered() {
        Map<String, Long> altered = new LinkedHashMap<>();
        if (values.unfitting() > 0) {
            altered.put("unfitting", values.unfitting());
        }
        if (values.repaired() > 0) {
            altered.put("repaired", values.repaired());
        }
        return altered;
    }

    @Override
    public void end(Map<String, ? extends @Nullable Object> outcome) {
        ArrowStream begun = stream;
        if (begun == null) {
            begun = new ArrowStream(out, List.of(), 0, Map.of(), values, memory);
        }
        Map<String, String> metadata = new LinkedHashMap<>();
        outcome.forEach((name, said) -> metadata.put(KEY_PREFIX + name, JsonText.of(said)));
        begun.end(metadata);
    }
}
