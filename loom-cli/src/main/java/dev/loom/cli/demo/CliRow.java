package dev.loom.cli.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** One line of a command's JSON output: its names and values, with those of {@code fields} at the top level. */
final class CliRow {
    private static final JsonFactory JSON = new JsonFactory();

    private final String line;
    private final Map<String, String> values;

    /** @throws IllegalStateException if the line is not JSON */
    CliRow(String line) {
        this.line = line;
        try {
            values = values(line);
        } catch (IOException e) {
            throw new IllegalStateException("output is not json: line=" + line, e);
        }
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

    /** The record's arrival time, epoch nanoseconds. */
    long timeNs() {
        return integer("ts");
    }

    @Override
    public String toString() {
        return line;
    }

    private static Map<String, String> values(String line) throws IOException {
        Map<String, String> values = new HashMap<>();
        try (JsonParser parser = JSON.createParser(line)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token.isScalarValue()) {
                    values.put(parser.currentName(), parser.getText());
                }
            }
        }
        return values;
    }
}
