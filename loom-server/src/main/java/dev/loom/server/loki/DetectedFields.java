package dev.loom.server.loki;

import dev.loom.query.model.Order;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.model.TimeRange;
import dev.loom.server.loki.LogQl.Selection;
import dev.loom.server.loki.LokiSession.Selected;
import dev.loom.server.text.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** The fields of the newest lines, with how many values each has among them. For one thread. */
final class DetectedFields {
    private static final Pattern INTEGER = Pattern.compile("-?\\d{1,19}");
    private static final Pattern NUMBER = Pattern.compile("-?\\d{1,30}(\\.\\d{1,30})?([eE][+-]?\\d{1,3})?");
    private static final int DEPTH_MAX = 16;
    private static final int FIELDS_MAX = 2_000;

    private final QueryMemory memory;
    private final Map<String, Detected> fields = new TreeMap<>();

    DetectedFields(QueryMemory memory) {
        this.memory = memory;
    }

    /**
     * A field.
     *
     * @param path where it is in a line of JSON; empty if it is beside the line
     */
    private record Detected(List<String> path, Set<String> values) {
        String type() {
            if (values.stream().allMatch(value -> INTEGER.matcher(value).matches())) {
                return "int";
            } else if (values.stream().allMatch(value -> NUMBER.matcher(value).matches())) {
                return "float";
            }
            return Set.of("true", "false").containsAll(values) ? "boolean" : "string";
        }
    }

    void read(LokiSession session, Selection selection, TimeRange range, int lines) {
        List<Selected> sources = session.select(selection);
        for (LogLine line : new LogQuery(session, Order.NEWEST_FIRST, lines).run(selection, range)) {
            SourceConditions of = sources.get(line.source()).conditions();
            line.fields().forEach((field, value) -> add(of, StreamSource.label(field), field, value));
            if (line.members() != null && line.line().startsWith("{")) {
                addMembers(of, line.members(), line.line());
            }
        }
    }

    private void addMembers(SourceConditions of, String field, String line) {
        try {
            addMembers(of, field, List.of(), JsonObject.parseLong(line.getBytes(StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException e) {
            // a text that begins like JSON has no fields
            return;
        }
    }

    /** @param field that has the members, which are fields without a parser; empty for the whole line, which {@code json} parses */
    private void addMembers(SourceConditions of, String field, List<String> path, Map<?, ?> members) {
        members.forEach((name, value) -> {
            List<String> member = new ArrayList<>(path);
            member.add(String.valueOf(name));
            if (value instanceof Map<?, ?> nested) {
                if (member.size() < DEPTH_MAX) {
                    addMembers(of, field, member, nested);
                }
            } else if (value != null && !(value instanceof List<?>)) {
                String label = StreamSource.label((field.isEmpty() ? "" : field + '_') + String.join("_", member));
                if (field.isEmpty()) {
                    add(label, member, String.valueOf(value));
                } else {
                    add(of, label, field + '.' + String.join(".", member), String.valueOf(value));
                }
            }
        });
    }

    /** Adds a field that needs no parser, unless queries don't find it by its label. */
    private void add(SourceConditions of, String label, String field, String value) {
        if (of.leadsBack(label, field)) {
            add(label, List.of(), value);
        }
    }

    private void add(String label, List<String> path, String value) {
        Detected field = fields.get(label);
        if (field == null && fields.size() < FIELDS_MAX) {
            memory.reserve(512 + 4L * label.length());
            field = new Detected(path, new TreeSet<>());
            fields.put(label, field);
        }
        if (field != null && field.values().add(value)) {
            memory.reserve(128 + 2L * value.length());
        }
    }

    /** The fields, as Loki lists them. */
    Map<String, Object> fields(int limit) {
        List<Map<String, Object>> rows = new ArrayList<>();
        fields.forEach((label, field) -> {
            if (rows.size() < limit) {
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("label", label);
                row.put("type", field.type());
                row.put("cardinality", field.values().size());
                row.put("parsers", field.path().isEmpty() ? List.of() : List.of("json"));
                if (!field.path().isEmpty()) {
                    row.put("jsonPath", field.path());
                }
                rows.add(row);
            }
        });
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("fields", rows);
        answer.put("limit", limit);
        return answer;
    }

    /** The values of a field. */
    Map<String, Object> values(String label, int limit) {
        Detected field = fields.get(label);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put(
                "values",
                field == null ? List.of() : field.values().stream().limit(limit).toList());
        answer.put("limit", limit);
        return answer;
    }
}
