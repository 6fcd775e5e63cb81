package dev.loom.query.group;

import dev.loom.api.IndexFunction;
import dev.loom.format.PayloadFormat;
import dev.loom.value.KeyReader;
import dev.loom.value.RecordBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads keys of a few integers, each at the same place in each payload. For one thread. */
final class IntegerKeys {
    /** The most integers of a key. */
    static final int WIDTH_MAX = 4;

    private final KeyReader[] readers;
    private final long[][] values;

    private IntegerKeys(PayloadFormat format, List<String> fields) {
        readers = fields.stream()
                .map(field -> new KeyReader(IndexFunction.field(format, field)))
                .toArray(KeyReader[]::new);
        values = new long[readers.length][RecordBatch.RECORDS_MAX];
    }

    /** Null unless the fields are a few integers at fixed places. */
    static @Nullable IntegerKeys of(PayloadFormat format, List<String> fields) {
        boolean few = !fields.isEmpty() && fields.size() <= WIDTH_MAX;
        return few && fields.stream().allMatch(field -> isInteger(format.fixedField(field)))
                ? new IntegerKeys(format, fields)
                : null;
    }

    private static boolean isInteger(PayloadFormat.@Nullable FixedField field) {
        return field != null && field.type().isInteger();
    }

    /** The number of integers of a key. */
    int width() {
        return readers.length;
    }

    /** Reads the values of a batch, whose keys it replaces; false if a record lacks one. */
    boolean read(RecordBatch batch) {
        int count = batch.count();
        for (int i = 0; i < readers.length; i++) {
            if (readers[i].readAll(batch) < count) {
                return false;
            }
            System.arraycopy(batch.keys(), 0, values[i], 0, count);
        }
        return true;
    }

    /** The values read of one of the fields, by record; an unsigned one is turned into a signed one. */
    long[] values(int field) {
        return values[field];
    }
}
