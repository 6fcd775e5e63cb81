package dev.loom.server;

import dev.loom.otlp.file.FileFailure;
import dev.loom.server.text.SimilarText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * A configuration file in YAML. A setting is identified by its path, such as {@code receivers.otlp.protocols.grpc.endpoint}.
 * Values may refer to environment variables, which {@link VariableReferences} replaces. All methods throw
 * {@code IllegalArgumentException} for what is wrong in the file.
 */
final class ConfigFile {
    private final String name;
    private final Map<String, Object> settings = new HashMap<>();
    private final Set<String> asked = new HashSet<>();
    /** Settings without a value, or of which references left nothing. */
    private final Set<String> emptied = new HashSet<>();

    /** A value that is a text in the first place: variables were replaced in it, or it replaces the file's. */
    private record Replaced(String text) {
        @Override
        public String toString() {
            return text;
        }
    }

    private ConfigFile(String name) {
        this.name = name;
    }

    /** A file without settings. */
    static ConfigFile empty() {
        return new ConfigFile("none");
    }

    static ConfigFile read(Path file, Map<String, String> environment) {
        ConfigFile config = new ConfigFile(file.toString());
        try {
            LoadSettings load = LoadSettings.builder().setLabel(file.toString()).build();
            Object document = new Load(load).loadFromString(Files.readString(file));
            config.add("", document == null ? Map.of() : document, new VariableReferences(environment));
            return config;
        } catch (IOException e) {
            throw new IllegalArgumentException(FileFailure.message("can't read the configuration", file, e), e);
        } catch (YamlEngineException e) {
            throw new IllegalArgumentException("configuration is not YAML: "
                    + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
        }
    }

    /** Replaces values, or adds them, by path. */
    void override(Map<String, String> values) {
        values.forEach((path, text) -> settings.put(path, new Replaced(text)));
        emptied.removeAll(values.keySet());
    }

    private void add(String path, @Nullable Object value, VariableReferences variables) {
        if (value instanceof Map<?, ?> members && (path.isEmpty() || !members.isEmpty())) {
            members.forEach(
                    (key, member) -> add(path.isEmpty() ? String.valueOf(key) : path + '.' + key, member, variables));
        } else if (path.isEmpty()) {
            throw new IllegalArgumentException("configuration is not a mapping of names to values: file=" + name);
        } else if (value == null || value instanceof Map<?, ?>) {
            emptied.add(path); // counts as not set
        } else if (value instanceof List<?> elements) {
            settings.put(
                    path,
                    elements.stream()
                            .map(element -> replaced(path, String.valueOf(element), variables))
                            .toList());
        } else if (value instanceof String text) {
            String replaced = replaced(path, text, variables);
            if (replaced.equals(text)) {
                settings.put(path, text);
            } else if (replaced.isEmpty()) {
                emptied.add(path);
            } else {
                settings.put(path, new Replaced(replaced));
            }
        } else {
            settings.put(path, value);
        }
    }

    private String replaced(String path, String text, VariableReferences variables) {
        try {
            return variables.replace(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + ", setting=" + path + ", file=" + name);
        }
    }

    /** A text, or a number as text. */
    Optional<String> text(String path) {
        Object value = value(path);
        if (value instanceof List<?>) {
            throw wrong(path, value, "a string");
        }
        return Optional.ofNullable(value).map(Object::toString);
    }

    /** A text that must not get lost, as by it the server protects itself: it is an error if nothing is left of it. */
    Optional<String> protectiveText(String path) {
        if (emptied.contains(path)) {
            throw new IllegalArgumentException(
                    "setting is empty, or the variable it refers to is: name=" + path + ", file=" + name);
        }
        return text(path);
    }

    Optional<Boolean> flag(String path) {
        Object value = typed(path);
        if (value != null && !(value instanceof Boolean)) {
            throw wrong(path, value, "true or false");
        }
        return Optional.ofNullable((Boolean) value);
    }

    /** A whole number of at least 1. */
    Optional<Integer> count(String path) {
        Object value = typed(path);
        if (value != null && !(value instanceof Integer number && number > 0)) {
            throw wrong(path, value, "a positive integer");
        }
        return Optional.ofNullable((Integer) value);
    }

    /** A list of texts; a single text is a list of one. */
    List<String> texts(String path) {
        Object value = value(path);
        List<String> texts = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.forEach(element -> texts.add(String.valueOf(element)));
        } else if (value != null) {
            texts.add(value.toString());
        }
        return texts;
    }

    /** Reads a replaced value as if it stood in the file. */
    private @Nullable Object typed(String path) {
        Object value = value(path);
        try {
            return value instanceof Replaced replaced
                    ? new Load(LoadSettings.builder().build()).loadFromString(replaced.text)
                    : value;
        } catch (YamlEngineException e) {
            return value;
        }
    }

    private @Nullable Object value(String path) {
        asked.add(path);
        return settings.get(path);
    }

    private IllegalArgumentException wrong(String path, Object value, String expected) {
        return new IllegalArgumentException(
                "bad setting: name=" + path + ", value=" + value + ", expected=" + expected + ", file=" + name);
    }

    /** Refuses settings that nobody has read, with a value or without. A known section may be empty. */
    void requireNoOthers() {
        Set<String> unknown = new TreeSet<>(settings.keySet());
        emptied.stream().filter(path -> !isSection(path)).forEach(unknown::add);
        unknown.removeAll(asked);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("unknown settings: " + String.join(", ", unknown) + ", file=" + name
                    + (unknown.size() == 1
                            ? SimilarText.suggestion(unknown.iterator().next(), new TreeSet<>(asked))
                            : ""));
        }
    }

    /** Whether a section is there that has no settings, or one setting that is empty. */
    boolean isEmptied(String section) {
        return emptied.stream().anyMatch(path -> path.equals(section) || path.startsWith(section + '.'));
    }

    private boolean isSection(String path) {
        return asked.stream().anyMatch(setting -> setting.startsWith(path + '.'));
    }
}
