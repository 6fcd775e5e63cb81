package dev.loom.format;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names of a field's numbers. */
record NumberNames(String prefix, Map<String, Numbers> names) implements FieldTerms {
    @Override
    public @Nullable Numbers numbers(String written) {
        return names.get(FieldTerms.plain(written, prefix));
    }

    @Override
    public String known() {
        return "numbers, " + String.join(", ", names.keySet());
    }
}
