package dev.loom.query.plan;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.PayloadFormat;
import dev.loom.value.KeyEncoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys of an index as payloads, so that a condition on their fields is tested on them as on records. Immutable. */
final class KeyFormat implements PayloadFormat {
    private final PayloadFormat records;
    private final List<String> keyFields;

    KeyFormat(PayloadFormat records, List<String> keyFields) {
        this.records = records;
        this.keyFields = records.canonicalNames(keyFields);
    }

    @Override
    public String name() {
        return "key";
    }

    @Override
    public String text() {
        return "key:" + String.join(",", keyFields) + " of " + records.text();
    }

    @Override
    public List<Field> fields() {
        return records.fields().stream()
                .filter(field -> keyFields.contains(canonicalName(field.name())))
                .toList();
    }

    @Override
    public String canonicalName(String name) {
        return records.canonicalName(name);
    }

    @Override
    public Field.@Nullable Type declaredType(String name) {
        return records.declaredType(name);
    }

    @Override
    public @Nullable FieldReader field(String name) {
        int place = keyFields.indexOf(canonicalName(name));
        if (place < 0) {
            return null;
        }
        Field.Type type = records.declaredType(name);
        boolean isDouble = type == Field.Type.F64 || type == Field.Type.F32;
        return (buffer, offset, length, into) -> {
            int at = offset;
            for (int i = 0; i < place; i++) {
                at += KeyEncoder.length(buffer, at);
            }
            KeyEncoder.read(buffer, at, isDouble, into);
        };
    }
}
