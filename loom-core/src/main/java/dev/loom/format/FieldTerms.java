package dev.loom.format;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What people may write for the values of a field: one with few distinct texts, texts of one form, or named numbers.
 * With it, {@code status == "STATUS_CODE_ERROR"} means {@code error}. Immutable.
 */
public sealed interface FieldTerms permits TextNames, NumberNames, HexText {
    /**
     * A range of numbers, both ends included.
     *
     * @param low the least
     * @param high the greatest
     */
    record Numbers(long low, long high) {}

    /** The names of an enumeration, which the field holds as texts; accepted with or without a prefix, in any case. */
    static FieldTerms texts(String prefix, String... names) {
        return new TextNames(prefix, List.of(names));
    }

    /** Names of a field's numbers; accepted with or without a prefix, in any case. */
    static FieldTerms numbers(String prefix, Map<String, Numbers> names) {
        return new NumberNames(prefix, new LinkedHashMap<>(names));
    }

    /** Texts of a fixed number of hexadecimal digits, which the field holds in lower case. */
    static FieldTerms hexadecimal(int digits) {
        return new HexText(digits);
    }

    /** The field's text that a written text means; null if the field has no such text. */
    default @Nullable String text(String written) {
        return null;
    }

    /** As {@link #text}, for a text that may be a part of the field's; null if it can't be part of any. */
    default @Nullable String part(String written) {
        return null;
    }

    /** The numbers that a written name means; null if there are none. */
    default @Nullable Numbers numbers(String written) {
        return null;
    }

    /** What may be written, for messages. */
    String known();

    /** Normalises a name for comparison: ignores case and word separators. */
    static String plain(String name) {
        StringBuilder plain = new StringBuilder(name.length());
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c != '_' && c != '-' && c != ' ') {
                plain.append(Character.toLowerCase(c));
            }
        }
        return plain.toString();
    }

    /** Normalises a name for comparison, and removes its prefix. */
    static String plain(String name, String prefix) {
        String plain = plain(name);
        String before = plain(prefix);
        return plain.startsWith(before) ? plain.substring(before.length()) : plain;
    }
}
