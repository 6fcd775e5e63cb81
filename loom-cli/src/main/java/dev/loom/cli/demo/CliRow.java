package dev.loom.cli.demo;

import dev.loom.server.text.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** One line of a command's JSON output: its names and values, with those of {@code fields} at the top level. */
final class CliRow {
    private final String line;
    private final Map<String, String> values = new HashMap<>();

    /** @throws IllegalArgumentException if the line is not JSON */
    CliRow(String line) {
        this.line = line;
        addAll(JsonObject.parse(line.getBytes(StandardCharsets.UTF_8)));
    }

    private void addAll(Map<?, ?> members) {
        members.forEach((name, value) -> {
            if (value instanceof Map<?, ?> inner) {
                addAll(inner);
            } else {
                values.put(name.toString(), String.valueOf(value));
            }
        });
    }

    long integer(String name) {
        return Long.parseLong(text(name));
    }

    String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalStateException("output lacks a value: name=" + name + ", line=" + line);
        }
        return value;
    }

    byte[] bytes(String name) {
        return Base64.getDecoder().decode(text(name));
    }

    @Override
    public String toString() {
        return line;
    }
}
