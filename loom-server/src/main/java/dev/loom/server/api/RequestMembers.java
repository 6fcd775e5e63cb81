package dev.loom.server.api;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.text.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The members of a request, read one by one; {@link #end} refuses those that nobody has read. For one thread. */
final class RequestMembers {
    private final Map<String, @Nullable Object> members;
    private final TreeSet<String> known = new TreeSet<>();

    /** @param members as {@link JsonObject} has them */
    RequestMembers(Map<String, @Nullable Object> members) {
        this.members = members;
    }

    /** @throws ApiFailure if the body is no JSON object */
    static RequestMembers of(byte[] body) {
        try {
            return new RequestMembers(JsonObject.parse(body));
        } catch (IllegalArgumentException e) {
            throw ApiFailure.badRequest(String.valueOf(e.getMessage()));
        }
    }

    /** @throws ApiFailure if a member was not read */
    void end() {
        members.keySet().stream()
                .filter(name -> !known.contains(name))
                .findFirst()
                .ifPresent(name -> {
                    throw ApiFailure.badRequest("unknown member: " + name + "; known: " + known);
                });
    }

    /** The member's value; null if there is none. */
    private @Nullable Object read(String name) {
        known.add(name);
        return members.get(name);
    }

    /** A text, or a number as it is written; null if there is none. */
    @Nullable
    String text(String name) {
        Object value = read(name);
        return value == null ? null : text(name, value);
    }

    private static String text(String name, @Nullable Object value) {
        if (value instanceof Boolean) {
            throw ApiFailure.badRequest("member is a boolean, expected a string or number: " + name);
        } else if (!(value instanceof String text)) {
            throw ApiFailure.badRequest("member is not a string or number: " + name);
        } else {
            return text;
        }
    }

    String required(String name) {
        String value = text(name);
        if (value == null) {
            throw ApiFailure.badRequest("Missing required parameter: " + name);
        }
        return value;
    }

    /** A text, or a list of texts. */
    List<String> texts(String name) {
        Object value = read(name);
        if (value == null) {
            return List.of();
        } else if (value instanceof List<?> values) {
            return values.stream().map(each -> text(name, each)).toList();
        }
        return List.of(text(name, value));
    }

    /** As {@link #texts}; each may be several, with commas between them. */
    List<String> parts(String name) {
        List<String> parts = new ArrayList<>();
        texts(name).forEach(text -> parts.addAll(List.of(text.split(","))));
        return parts;
    }

    /** As {@link #parts}; each has to be one of some words, in any case. */
    List<String> words(String name, List<String> allowed) {
        List<String> words =
                parts(name).stream().map(word -> word.toLowerCase(Locale.ROOT)).toList();
        for (String word : words) {
            if (!allowed.contains(word)) {
                throw ApiFailure.badRequest(
                        "member is not one of " + String.join(", ", allowed) + ": " + name + ": " + word);
            }
        }
        return words;
    }

    boolean flag(String name) {
        Object value = read(name);
        if (value != null && !(value instanceof Boolean)) {
            throw ApiFailure.badRequest("member is not true or false: " + name);
        }
        return Boolean.TRUE.equals(value);
    }

    long number(String name, long otherwise) {
        Long number = number(name);
        return number == null ? otherwise : number;
    }

    /** An integer; null if there is none. */
    @Nullable
    Long number(String name) {
        String text = text(name);
        try {
            return text == null ? null : (Long) Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw ApiFailure.badRequest("member is not a 64-bit integer: " + name + ": " + text);
        }
    }
}
