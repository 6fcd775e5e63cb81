package dev.loom.cli.serve;

import dev.loom.cli.console.CommandFailure;
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
 * A file of settings in YAML, each known by the names on the way to it, as {@code receivers.otlp.protocols.grpc.endpoint}. All
 * methods fail by {@link CommandFailure} with the reason.
 */
final class ConfigFile {
    private final String name;
    private final Map<String, Object> settings = new HashMap<>();
    private final Set<String> asked = new HashSet<>();

    private ConfigFile(String name) {
        this.name = name;
    }

    /** One without settings. */
    static ConfigFile empty() {
        return new ConfigFile("none");
    }

    static ConfigFile read(Path file) {
        ConfigFile config = new ConfigFile(file.toString());
        try {
            LoadSettings load = LoadSettings.builder().setLabel(file.toString()).build();
            Object document = new Load(load).loadFromString(Files.readString(file));
            config.add("", document == null ? Map.of() : document);
            return config;
        } catch (IOException e) {
            throw CommandFailure.usage("can't read the configuration: file=" + file + ": " + e.getMessage());
        } catch (YamlEngineException e) {
            throw CommandFailure.usage("configuration is not YAML: "
                    + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
        }
    }

    private void add(String path, @Nullable Object value) {
        if (value instanceof Map<?, ?> members) {
            members.forEach((key, member) -> add(path.isEmpty() ? key.toString() : path + '.' + key, member));
        } else if (path.isEmpty()) {
            throw CommandFailure.usage("configuration is not made of names and values: file=" + name);
        } else if (value != null) {
            settings.put(path, value);
        }
    }

    /** A text, or a number as text. */
    Optional<String> text(String path) {
        Object value = value(path);
        if (value instanceof List<?>) {
            throw wrong(path, value, "a text");
        }
        return Optional.ofNullable(value).map(Object::toString);
    }

    Optional<Boolean> flag(String path) {
        Object value = value(path);
        if (value != null && !(value instanceof Boolean)) {
            throw wrong(path, value, "true or false");
        }
        return Optional.ofNullable((Boolean) value);
    }

    /** A whole number from 1 on. */
    Optional<Integer> count(String path) {
        Object value = value(path);
        if (value != null && !(value instanceof Integer number && number > 0)) {
            throw wrong(path, value, "a whole number from 1 on");
        }
        return Optional.ofNullable((Integer) value);
    }

    /** A list of texts, or one text. */
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

    private @Nullable Object value(String path) {
        asked.add(path);
        return settings.get(path);
    }

    private CommandFailure wrong(String path, Object value, String expected) {
        return CommandFailure.usage(
                "bad setting: name=" + path + ", value=" + value + ", expected=" + expected + ", file=" + name);
    }

    /** Refuses settings that nobody has asked for. */
    void requireNoOthers() {
        Set<String> unknown = new TreeSet<>(settings.keySet());
        unknown.removeAll(asked);
        if (!unknown.isEmpty()) {
            throw CommandFailure.usage("unknown settings: " + String.join(", ", unknown) + ", file=" + name);
        }
    }
}
