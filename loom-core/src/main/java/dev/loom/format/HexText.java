package dev.loom.format;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Texts of a fixed number of hexadecimal digits in lower case. */
record HexText(int digits) implements FieldTerms {
    @Override
    public @Nullable String text(String written) {
        return written.length() == digits ? part(written) : null;
    }

    @Override
    public @Nullable String part(String written) {
        boolean hexadecimal = written.length() <= digits && written.matches("[0-9a-fA-F]*");
        return hexadecimal ? written.toLowerCase(Locale.ROOT) : null;
    }

    @Override
    public String known() {
        return digits + " hexadecimal digits";
    }
}
