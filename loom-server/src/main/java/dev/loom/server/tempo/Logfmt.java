package dev.loom.server.tempo;

import java.util.LinkedHashMap;
import java.util.Map;

/** Pairs such as {@code service.name=cart http.route="/a b"}. */
final class Logfmt {
    private Logfmt() {}

    /**
     * Reads the pairs, in order.
     *
     * @throws IllegalArgumentException if the text has anything else; the message says where
     */
    static Map<String, String> parse(String text) {
        Map<String, String> pairs = new LinkedHashMap<>();
        int at = 0;
        while (at < text.length()) {
            if (text.charAt(at) == ' ') {
                at++;
                continue;
            }
            int equals = text.indexOf('=', at);
            int space = text.indexOf(' ', at);
            if (equals <= at
                    || (space >= 0 && space < equals)
                    || text.substring(at, equals).indexOf('"') >= 0) {
                throw new IllegalArgumentException("expected KEY=VALUE: position=" + at + ", tags=" + text);
            }
            StringBuilder value = new StringBuilder();
            int end = value(text, equals + 1, value);
            if (pairs.put(text.substring(at, equals), value.toString()) != null) {
                throw new IllegalArgumentException("tag is given twice: position=" + at + ", tags=" + text);
            }
            at = end;
        }
        return pairs;
    }

    /** Reads a value, and returns where it ends. */
    private static int value(String text, int from, StringBuilder into) {
        if (from == text.length() || text.charAt(from) != '"') {
            int space = text.indexOf(' ', from);
            int end = space < 0 ? text.length() : space;
            into.append(text, from, end);
            return end;
        }
        for (int at = from + 1; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"') {
                return at + 1;
            } else if (c == '\\' && at + 1 < text.length()) {
                c = text.charAt(++at);
            }
            into.append(c);
        }
        throw new IllegalArgumentException("text does not end: position=" + from + ", tags=" + text);
    }
}
