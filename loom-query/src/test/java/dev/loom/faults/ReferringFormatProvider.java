package dev.loom.faults;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.PayloadFormatProvider;
import dev.loom.format.RecordLookup;
import java.util.List;
import java.util.Set;
import org.agrona.DirectBuffer;

/**
 * Two formats for tests: a payload of {@code shared} begins with a number; one of {@code referring} with the address of such a
 * record, whose number is its field {@code shared}, and then with a number of its own.
 */
public final class ReferringFormatProvider implements PayloadFormatProvider {
    static final String SHARED = "shared";
    static final String REFERRING = "referring";

    @Override
    public Set<String> names() {
        return Set.of(SHARED, REFERRING);
    }

    @Override
    public PayloadFormat parse(String text) {
        return text.equals(SHARED)
                ? new NumberFormat(SHARED, "number", ReferringFormatProvider::readNumber)
                : new NumberFormat(REFERRING, "shared", ReferringFormatProvider::readShared);
    }

    private static void readNumber(DirectBuffer buffer, int offset, int length, FieldValue into) {
        into.setInteger(buffer.getLong(offset));
    }

    private static void readShared(DirectBuffer buffer, int offset, int length, FieldValue into) {
        RecordLookup lookup = into.lookup();
        if (lookup != null && lookup.find(buffer.getLong(offset), SHARED)) {
            readNumber(lookup.buffer(), lookup.offset(), lookup.length(), into);
        } else {
            into.setAbsent();
        }
    }

    private record NumberFormat(String name, String fieldName, FieldReader reader) implements PayloadFormat {
        @Override
        public String text() {
            return name;
        }

        @Override
        public List<Field> fields() {
            return List.of(new Field(fieldName, Field.Type.I64, true));
        }

        @Override
        public FieldReader field(String field) {
            return field.equals(fieldName) ? reader : null;
        }
    }
}
