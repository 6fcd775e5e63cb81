package dev.loom.query.group;

import dev.loom.api.IndexFunction;
import dev.loom.format.PayloadFormat;
import dev.loom.value.KeyReader;
import dev.loom.value.RecordBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads keys that are one integer each, at the same place in each payload. For one thread. */
final class IntegerKeys {
    private final KeyReader reader;
    private final long[] values = new long[RecordBatch.RECORDS_MAX];

    private IntegerKeys(IndexFunction function) {
        reader = new KeyReader(function);
    }

    /** Null unless the fields are one integer at a fixed place. */
    static @Nullable IntegerKeys of(PayloadFormat format, List<String> fields) {
        PayloadFormat.FixedField field = fields.size() == 1 ? format.fixedField(fields.get(0)) : null;
        return field == null || !field.type().isInteger()
                ? null
                : new IntegerKeys(IndexFunction.field(format, fields.get(0)));
    }

    /** Reads the values of a batch, whose keys it replaces; false if a record lacks one. */
    boolean read(RecordBatch batch) {
        int count = batch.count();
        if (reader.readAll(batch) < count) {
            return false;
        }
        System.arraycopy(batch.keys(), 0, values, 0, count);
        return true;
    }

    /** One of the values read; an unsigned one is turned into a signed one. */
    long value(int i) {
        return values[i];
    }
}
