package dev.loom.query.series;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the buckets of a histogram from JSON: an object of numbers, arrays of numbers, and such objects. Numbers stay texts, since
 * counts are integers and bounds are doubles.
 */
final class BucketText {
    private static final int DEPTH_MAX = 2;

    private final String text;
    private int at;

    private BucketText(String text) {
        this.text = text;
    }

    /** The members of an object by name: a {@code String}, a list of them, or such a map; null if the text is none. */
    static @Nullable Map<String, Object> read(String text) {
        BucketText reader = new BucketText(text);
        try {
            Map<String, Object> members = reader.object(1);
            reader.space();
            return reader.at == text.length() ? members : null;
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return null;
        }
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> members = new HashMap<>();
        take('{');
        if (skip('}')) {
            return members;
        }
        do {
            String name = string();
            take(':');
            members.put(name, value(depth));
        } while (skip(','));
        take('}');
        return members;
    }

    private Object value(int depth) {
        char c = peek();
        if (c == '{') {
            if (depth == DEPTH_MAX) {
                throw new IllegalArgumentException("too deep");
            }
            return object(depth + 1);
        }
        return c == '[' ? array() : scalar();
    }

    private List<String> array() {
        List<String> numbers = new ArrayList<>();
        take('[');
        if (skip(']')) {
            return numbers;
        }
        do {
            numbers.add(scalar());
        } while (skip(','));
        take(']');
        return numbers;
    }

    /** A number, or a text such as {@code "Infinity"}. */
    private String scalar() {
        if (peek() == '"') {
            return string();
        }
        int begin = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(begin, at);
    }

    private String string() {
        take('"');
        int end = text.indexOf('"', at);
        String found = text.substring(at, end);
        at = end + 1;
        return found;
    }

    private char peek() {
        space();
        return text.charAt(at);
    }

    private boolean skip(char c) {
        boolean there = peek() == c;
        at += there ? 1 : 0;
        return there;
    }

    private void take(char c) {
        if (!skip(c)) {
            throw new IllegalArgumentException("expected " + c);
        }
    }

    private void space() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }
}
