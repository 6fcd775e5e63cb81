package dev.loom.format;

import java.util.List;
import java.util.Set;

/**
 * {@link ShiftedFormatProvider}'s format as another version of it has it, which fails where it is asked for its fields. Only a {@link
 * ProvidingLoader} finds it.
 */
public final class FieldlessFormatProvider implements PayloadFormatProvider {
    @Override
    public Set<String> names() {
        return Set.of("shifted");
    }

    @Override
    public PayloadFormat parse(String text) {
        return new Fieldless(text);
    }

    private record Fieldless(String text) implements PayloadFormat {
        @Override
        public String name() {
            return "shifted";
        }

        @Override
        public List<Field> fields() {
            throw new AssertionError("injected failure");
        }

        @Override
        public FieldReader field(String name) {
            throw new AssertionError("injected failure");
        }
    }
}
