package dev.loom.server.trace;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpCall;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request, read one by one; {@link #end} refuses those that nobody has read. An empty value is none, as forms send it.
 * Methods throw an {@link ApiFailure} for what they can't read. For one thread.
 */
public final class TraceParameters {
    private final Map<String, List<String>> values;
    private final TreeSet<String> known = new TreeSet<>();

    /** Reads those of a request. */
    public TraceParameters(HttpCall call) {
        values = call.parameters();
    }

    /** A part of a path, in which some characters are still encoded, such as quotes and percent signs. */
    public static String decoded(String part) {
        try {
            return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw ApiFailure.badRequest("path is not encoded by percent signs: " + part);
        }
    }

    /** All values of a parameter. */
    public List<String> texts(String name) {
        known.add(name);
        return values.getOrDefault(name, List.of()).stream()
                .filter(text -> !text.isEmpty())
                .toList();
    }

    /** The value of a parameter; null if there is none. */
    public @Nullable String text(String name) {
        List<String> texts = texts(name);
        if (texts.size() > 1) {
            throw ApiFailure.badRequest("parameter is given twice: " + name);
        }
        return texts.isEmpty() ? null : texts.get(0);
    }

    /** The value of a parameter. */
    public String required(String name) {
        String text = text(name);
        if (text == null) {
            throw ApiFailure.badRequest("parameter is missing: " + name);
        }
        return text;
    }

    /** An integer; null if there is none. */
    public @Nullable Long number(String name, long min, long max) {
        String text = text(name);
        if (text == null) {
            return null;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw ApiFailure.badRequest("parameter is no integer from " + min + " to " + max + ": " + name + "=" + text);
    }

    /**
     * Ends the reading.
     *
     * @throws ApiFailure if a parameter was not read
     */
    public void end() {
        for (String name : values.keySet()) {
            if (!known.contains(name)) {
                throw ApiFailure.badRequest("parameter is not supported: " + name + "; known: " + known);
            }
        }
    }
}
