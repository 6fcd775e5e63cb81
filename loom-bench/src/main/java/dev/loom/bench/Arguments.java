package dev.loom.bench;

import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The {@code --name value} pairs of a workload's command line. Each workload declares its names and defaults. */
final class Arguments {
    private final Map<String, String> values;
    private final Set<String> given;

    private Arguments(Map<String, String> values, Set<String> given) {
        this.values = values;
        this.given = given;
    }

    /**
     * Parses a command line.
     *
     * @param defaults name, value, name, value, and so on
     * @throws IllegalArgumentException for a name without a default, or without a value
     */
    static Arguments parse(String[] arguments, String... defaults) {
        final Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < defaults.length; i += 2) {
            values.put(defaults[i], defaults[i + 1]);
        }
        final Set<String> given = new HashSet<>();
        for (int i = 0; i < arguments.length; i += 2) {
            final String name = arguments[i].startsWith("--") ? arguments[i].substring(2) : "";
            if (!values.containsKey(name) || i + 1 == arguments.length) {
                throw new IllegalArgumentException("unknown option, or one without a value: option=" + arguments[i]
                        + ", known=" + String.join(",", values.keySet()));
            }
            values.put(name, arguments[i + 1]);
            given.add(name);
        }
        return new Arguments(values, given);
    }

    /**
     * With {@code --quick true}, the options of a short run; without, these.
     *
     * @param changes name, value, name, value, and so on; those that the command line gives stay
     */
    Arguments quick(String... changes) {
        if (!flag("quick")) {
            return this;
        }
        final Map<String, String> shorter = new LinkedHashMap<>(values);
        for (int i = 0; i < changes.length; i += 2) {
            if (!given.contains(changes[i])) {
                shorter.put(changes[i], changes[i + 1]);
            }
        }
        return new Arguments(shorter, given);
    }

    String text(String name) {
        final String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("option has no default: name=" + name);
        }
        return value;
    }

    int number(String name) {
        return Integer.parseInt(text(name));
    }

    boolean flag(String name) {
        return Boolean.parseBoolean(text(name));
    }

    /** A number of bytes, with an optional suffix k, m or g for powers of 1,024. */
    long bytes(String name) {
        final String value = text(name);
        final int suffix = "kmg".indexOf(Character.toLowerCase(value.charAt(value.length() - 1)));
        return suffix < 0
                ? Long.parseLong(value)
                : Long.parseLong(value.substring(0, value.length() - 1)) << (10 * (suffix + 1));
    }

    List<String> list(String name) {
        return Arrays.asList(text(name).split(","));
    }

    /** All options and their values, as a command line. */
    @Override
    public String toString() {
        final StringBuilder line = new StringBuilder();
        values.forEach(
                (name, value) -> line.append(" --").append(name).append(' ').append(value));
        return line.substring(Math.min(1, line.length()));
    }
}
