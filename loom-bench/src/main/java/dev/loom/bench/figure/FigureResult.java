package dev.loom.bench.figure;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * All that was measured for one figure: where and how, the panels, a row for each point or bar, and notes on what is missing. Kept as
 * a JSON file. For one thread.
 */
public final class FigureResult {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String figure;
    private final String title;
    private final String command;
    private final Map<String, String> machine;
    private final List<FigurePanel> panels = new ArrayList<>();
    private final List<FigureRow> rows = new ArrayList<>();
    private final Map<String, String> notes = new LinkedHashMap<>();

    /**
     * Creates a result without rows.
     *
     * @param figure the paper's number, or a name: part of the file's name
     * @param command the workload and its options
     * @param machine machine, JDK, commit, date and so on
     */
    public FigureResult(String figure, String title, String command, Map<String, String> machine) {
        this.figure = figure;
        this.title = title;
        this.command = command;
        this.machine = new LinkedHashMap<>(machine);
    }

    /** Adds a panel; rows can then name it. */
    public FigureResult panel(FigurePanel panel) {
        panels.add(panel);
        return this;
    }

    /**
     * Adds a point or bar.
     *
     * @param x a number in a panel of lines
     * @param values one for each round
     * @throws IllegalArgumentException if the panel is unknown, or there are no values, or one is no number
     */
    public FigureResult row(String panel, String series, String x, double... values) {
        if (panels.stream().noneMatch(known -> known.name().equals(panel))) {
            throw new IllegalArgumentException("unknown panel: name=" + panel);
        }
        rows.add(FigureRow.of(panel, series, x, values));
        return this;
    }

    /** Says something about a series, such as why it is missing. */
    public FigureResult note(String series, String text) {
        notes.put(series, text);
        return this;
    }

    public String figure() {
        return figure;
    }

    public String title() {
        return title;
    }

    public String command() {
        return command;
    }

    public Map<String, String> machine() {
        return Map.copyOf(machine);
    }

    public List<FigurePanel> panels() {
        return List.copyOf(panels);
    }

    /** The rows of a panel, in their order. */
    public List<FigureRow> rows(String panel) {
        return rows.stream().filter(row -> row.panel().equals(panel)).toList();
    }

    public Map<String, String> notes() {
        return Map.copyOf(notes);
    }

    /** Writes the file into a folder, which is created; does nothing without a folder. */
    public void write(String folder) {
        if (folder.isEmpty()) {
            return;
        }
        final ObjectNode root = JSON.createObjectNode();
        root.put("figure", figure);
        root.put("title", title);
        root.put("command", command);
        root.set("machine", JSON.valueToTree(machine));
        root.set("panels", JSON.valueToTree(panels));
        root.set("rows", JSON.valueToTree(rows));
        root.set("notes", JSON.valueToTree(notes));
        try {
            Files.createDirectories(Path.of(folder));
            JSON.writerWithDefaultPrettyPrinter()
                    .writeValue(Path.of(folder, "figure-" + figure + ".json").toFile(), root);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Reads a file that was written by {@link #write}. */
    public static FigureResult read(Path file) {
        try {
            final JsonNode root = JSON.readTree(file.toFile());
            final FigureResult result = new FigureResult(
                    root.path("figure").asText(),
                    root.path("title").asText(),
                    root.path("command").asText(),
                    JSON.convertValue(root.path("machine"), new TypeReference<Map<String, String>>() {}));
            for (final JsonNode panel : root.path("panels")) {
                result.panels.add(JSON.treeToValue(panel, FigurePanel.class));
            }
            for (final JsonNode row : root.path("rows")) {
                result.rows.add(JSON.treeToValue(row, FigureRow.class));
            }
            result.notes.putAll(JSON.convertValue(root.path("notes"), new TypeReference<Map<String, String>>() {}));
            return result;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
