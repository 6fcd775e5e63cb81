package dev.loom.format;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What people may write for the values of a field that holds few texts, texts of one form, or numbers that have names; so that
 * {@code status == "STATUS_CODE_ERROR"} means {@code error}. Immutable.
 */
public sealed interface FieldTerms permits TextNames, NumberNames, HexText {
    /**
     * Numbers from one to another, both included.
     *
     * @param low the least
     * @param high the greatest
     */
    record Numbers(long low, long high) {}

    /** The names of an enumeration, each the text of a field; with or without a prefix, and in any case. */
    static FieldTerms texts(String prefix, String... names) {
        return new TextNames(prefix, List.of(names));
    }

    /** Names of a field's numbers; with or without a prefix, and in any case. */
    static FieldTerms numbers(String prefix, Map<String, Numbers> names) {
        return new NumberNames(prefix, new LinkedHashMap<>(names));
    }

    /** Texts of so many hexadecimal digits, which the field holds in lower case. */
    static FieldTerms hexadecimal(int digits) {
        return new HexText(digits);
    }

    /** The text that a field has which people mean by this one; null if it can't have any such. */
    default @Nullable String text(String written) {
        return null;
    }

    /** The text that people mean by this one where it may be a part of the field's; null if it can't be a part of any. */
    default @Nullable String part(String written) {
        return null;
    }

    /** The numbers that people mean by a name; null if there are none. */
    default @Nullable Numbers numbers(String written) {
        return null;
    }

    /** What can be written, for messages. */
    String known();

    /** A name as names are compared: without case, and without what separates its words. */
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

    /** A name as names are compared, without its prefix. */
    static String plain(String name, String prefix) {
        String plain = plain(name);
        String before = plain(prefix);
        return plain.startsWith(before) ? plain.substring(before.length()) : plain;
    }
}
