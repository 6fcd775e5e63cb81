package dev.loom.format;

import java.util.List;
import java.util.Set;

/** A format with one field, {@code code}: the first byte and one. Only a {@link ProvidingLoader} finds it. */
public final class ShiftedFormatProvider implements PayloadFormatProvider {
    @Override
    public Set<String> names() {
        return Set.of("shifted");
    }

    @Override
    public PayloadFormat parse(String text) {
        return new Shifted(text);
    }

    private record Shifted(String text) implements PayloadFormat {
        @Override
        public String name() {
            return "shifted";
        }

        @Override
        public List<Field> fields() {
            return List.of(new Field("code", Field.Type.U8, false));
        }

        @Override
        public FieldReader field(String name) {
            return (buffer, offset, length, into) -> into.setInteger(buffer.getByte(offset) + 1);
        }
    }
}
