package dev.loom.format;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The names of an enumeration, which the field holds as texts; it holds a number without a name as digits. */
record TextNames(String prefix, List<String> names) implements FieldTerms {
    @Override
    public @Nullable String text(String written) {
        String plain = FieldTerms.plain(written, prefix);
        for (String name : names) {
            if (FieldTerms.plain(name).equals(plain)) {
                return name;
            }
        }
        return written.matches("-?[0-9]{1,10}") ? written : null;
    }

    @Override
    public @Nullable String part(String written) {
        String whole = text(written);
        if (whole != null) {
            return whole;
        }
        String lower = written.toLowerCase(Locale.ROOT);
        return names.stream().anyMatch(name -> name.contains(lower)) ? lower : null;
    }

    @Override
    public String known() {
        return String.join(", ", names);
    }
}
