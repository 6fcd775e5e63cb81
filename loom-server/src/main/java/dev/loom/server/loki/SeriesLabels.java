package dev.loom.server.loki;

import dev.loom.format.FieldValue;
import dev.loom.query.Group;
import dev.loom.query.model.TimeRange;
import dev.loom.server.loki.LokiSession.Selected;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The labels of the series of one source: which fields give them, and what they are of a group by these fields. */
final class SeriesLabels {
    /** The value of each label that a field gives, of the group of those that are too long. */
    static final String OTHER = "(other)";

    private final String source;
    private final List<String> fields = new ArrayList<>();
    /** The place of the field of each label; -1 for the source's name. */
    private final Map<String, Integer> places = new LinkedHashMap<>();
    /** Whether there is a level that no field gives. */
    private boolean levelApart;

    /**
     * @param levelApart whether each level is asked for by itself, where it is wanted
     * @param labels wanted
     * @param range where to look for records that tell which field is meant
     * @param position where they are wanted
     */
    SeriesLabels(
            LokiSession session, Selected of, boolean levelApart, List<String> labels, TimeRange range, int position) {
        source = of.of().source().name();
        for (String label : labels) {
            if (label.equals(Streams.SOURCE)) {
                places.put(label, -1);
                continue;
            }
            boolean level = of.of().logs() && label.equals(Streams.LEVEL);
            if (level && levelApart) {
                this.levelApart = true;
                continue;
            }
            String field = level ? Levels.FIELD : session.field(of, label, range, position);
            if (!field.isEmpty()) {
                int place = fields.indexOf(field);
                places.put(label, place < 0 ? fields.size() : place);
                if (place < 0) {
                    fields.add(field);
                }
            }
        }
    }

    /** The fields to group by. */
    List<String> fields() {
        return fields;
    }

    /** The levels to ask for by themselves; one empty text if there are none. */
    List<String> levels() {
        return levelApart ? Levels.ALL : List.of("");
    }

    /**
     * The labels of a group; empty texts are no labels.
     *
     * @param level that it was asked for
     */
    Map<String, String> of(Group group, String level) {
        Map<String, String> labels = new TreeMap<>();
        if (!level.isEmpty()) {
            labels.put(Streams.LEVEL, level);
        }
        places.forEach((label, place) -> {
            String text = place < 0 ? source : text(group, place);
            if (!text.isEmpty()) {
                labels.put(label, text);
            }
        });
        return labels;
    }

    private String text(Group group, int place) {
        if (group.isOther()) {
            return OTHER;
        }
        FieldValue value = group.key().get(place);
        if (fields.get(place).equals(Levels.FIELD)) {
            return Levels.of(value);
        }
        return value.kind() == FieldValue.Kind.DOUBLE ? Numbers.text(value.doubleValue()) : value.text();
    }
}
