package dev.loom.server.loki;

import dev.loom.api.Source;
import dev.loom.format.Field;
import dev.loom.format.PayloadFormat;
import dev.loom.query.TextSearch;
import dev.loom.server.time.EventTime;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A source as streams.
 *
 * @param logs whether its records are OTLP logs, whose streams have a service and a level
 * @param eventTime whether times are those that the records carry
 * @param lineField the field that is the line, which is {@code ""} for whole payloads of JSON; null if the line is made of all fields
 * @param json whether lines are JSON with the record's fields
 */
record StreamSource(
        Source source,
        boolean logs,
        boolean eventTime,
        @Nullable String lineField,
        boolean json) {
    /** The format of OTLP's log records. */
    private static final String LOG = "otlp-log";

    private static final String JSON = "json";
    private static final String LINE = "line";

    /** The most underscores of a label that may stand for dots: each doubles the fields that it may name. */
    static final int UNDERSCORES_MAX = 4;

    static StreamSource of(Source source) {
        PayloadFormat format = source.format();
        boolean logs = format.name().equals(LOG);
        boolean whole = format.fields().isEmpty();
        boolean timedJson = format.declaredType(JSON) == null
                && format.fields().stream().anyMatch(field -> field.name().equals(JSON));
        String text = source.attributes().get(TextSearch.FIELD_ATTRIBUTE);
        if (text == null && (logs || LINE.equals(format.textField()))) {
            text = format.textField();
        }
        String line = whole ? "" : timedJson ? JSON : text;
        return new StreamSource(source, logs, EventTime.of(source) != null, line, whole || timedJson || line == null);
    }

    PayloadFormat format() {
        return source.format();
    }

    /** Whether lines are texts of records, or their JSON, which queries search in place; else they are made of each record. */
    boolean searchable() {
        if (lineField == null) {
            return false;
        }
        Field.Type type = format().declaredType(lineField);
        return type == null || type == Field.Type.UTF8 || type == Field.Type.JSON;
    }

    /** The labels of its streams. */
    List<String> labels() {
        return logs ? LogQl.STREAM_LABELS : List.of(Streams.SOURCE);
    }

    /**
     * The fields that a label may name, of which a record has one at most, unless it has fields with and without dots; none if its
     * records have no such field.
     *
     * @param seen names of fields by label, which may stand for one with other signs; asked for if it has an underscore
     * @return null if there are too many
     */
    @Nullable
    List<String> fields(String label, Supplier<Map<String, List<String>>> seen) {
        Set<String> found = new LinkedHashSet<>();
        for (Field field : format().fields()) {
            if (label(field.name()).equals(label)) {
                found.add(field.name());
            }
        }
        if (!found.isEmpty()) {
            return List.copyOf(found);
        }
        List<String> prefixes = new ArrayList<>(format().fieldPrefixes());
        if (JSON.equals(lineField) || (lineField != null && lineField.isEmpty())) {
            prefixes.add("");
        }
        format().fields().stream()
                .filter(field -> field.type() == Field.Type.ANY || field.type() == Field.Type.JSON)
                .forEach(field -> prefixes.add(field.name() + '.'));
        boolean all = true;
        boolean signs = false;
        for (String prefix : prefixes) {
            String start = label(prefix);
            if (label.startsWith(start) && label.length() > start.length()) {
                String rest = label.substring(start.length());
                List<String> rests = dotted(rest);
                all &= rests != null;
                signs |= rest.indexOf('_') >= 0;
                (rests == null ? List.<String>of() : rests).forEach(each -> addField(found, prefix + each));
            }
        }
        if (signs) {
            seen.get().getOrDefault(label, List.of()).forEach(name -> addField(found, name));
        }
        return all || !found.isEmpty() ? List.copyOf(found) : null;
    }

    private void addField(Set<String> fields, String name) {
        String field = format().canonicalName(name);
        if (format().field(field) != null) {
            fields.add(field);
        }
    }

    /** The names that a label may be made of: each underscore between others may stand for a dot. Null if these are too many. */
    private static @Nullable List<String> dotted(String label) {
        List<Integer> places = new ArrayList<>();
        for (int i = 1; i < label.length() - 1; i++) {
            if (label.charAt(i) == '_' && label.charAt(i - 1) != '_' && label.charAt(i + 1) != '_') {
                places.add(i);
            }
        }
        if (places.size() > UNDERSCORES_MAX) {
            return null;
        }
        List<String> names = new ArrayList<>();
        for (int dots = 0; dots < 1 << places.size(); dots++) {
            StringBuilder name = new StringBuilder(label);
            for (int i = 0; i < places.size(); i++) {
                if ((dots & 1 << i) != 0) {
                    name.setCharAt(Objects.requireNonNull(places.get(i)), '.');
                }
            }
            names.add(name.toString());
        }
        return names;
    }

    /** The label that a field has. */
    static String label(String field) {
        StringBuilder label = new StringBuilder(field.length());
        field.codePoints().forEach(c -> {
            boolean kept = c < 0x80 && (Character.isLetterOrDigit(c) || c == '_');
            label.append(kept ? (char) c : '_');
        });
        return !label.isEmpty() && Character.isDigit(label.charAt(0)) ? "_" + label : label.toString();
    }
}
