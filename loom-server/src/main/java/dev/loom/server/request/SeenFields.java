package dev.loom.server.request;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.format.UnknownFieldException;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.service.RequestException;
import dev.loom.server.text.SimilarText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The fields of a source's records: declared fields, and for records that name their own, the fields of the newest records. */
public final class SeenFields {
    private static final String ANY = "any";
    private static final int RECORDS_MAX = 256;
    private static final QueryBudget BUDGET = new QueryBudget(4 << 20, Duration.ofSeconds(1));
    private static final int NAMES_MAX = 1_000;
    private static final int HINTED_MAX = 32;

    private final PayloadFormat format;
    private final TreeMap<String, String> seen = new TreeMap<>();

    private SeenFields(PayloadFormat format) {
        this.format = format;
    }

    /** Reads the newest records of a source if records name their own fields. */
    public static SeenFields of(Snapshot snapshot, Source source) {
        SeenFields fields = new SeenFields(source.format());
        Map<String, FieldReader> wholes = fields.wholes();
        if (!wholes.isEmpty()) {
            fields.read(snapshot, source, wholes);
        }
        return fields;
    }

    /** What the user may have meant by a field that a source lacks, as {@link #hint} tells. */
    public static UnaryOperator<String> hints(Snapshot snapshot, String sourceName) {
        return field -> of(snapshot, SourceLookup.find(snapshot, sourceName)).hint(field);
    }

    /** Calls something and adds a hint if it fails because a field does not exist. */
    public static <T> T hinting(UnaryOperator<String> hints, Supplier<T> call) {
        try {
            return call.get();
        } catch (RequestException e) {
            if (e.getCause() instanceof UnknownFieldException unknown) {
                throw new RequestException(e.part(), e.reason() + hints.apply(unknown.field()));
            }
            throw e;
        }
    }

    /** Readers of the values whose records name their own fields, by the prefix of those names. */
    private Map<String, FieldReader> wholes() {
        Map<String, FieldReader> wholes = new HashMap<>();
        Map<String, String> names = new HashMap<>();
        if (format.fields().isEmpty()) {
            names.put("", "");
        }
        for (Field field : format.fields()) {
            // the members of a timed payload are named without it
            if (field.type() == Field.Type.ANY && format.text().endsWith(':' + field.name())) {
                names.put("", field.name());
            }
        }
        for (String prefix : format.fieldPrefixes()) {
            String whole = format.fieldOfPrefix(prefix);
            if (whole != null) {
                names.put(prefix, whole);
            }
        }
        names.forEach((prefix, name) -> {
            FieldReader reader = format.field(name);
            if (reader != null) {
                wholes.put(prefix, reader);
            }
        });
        return wholes;
    }

    private void read(Snapshot snapshot, Source source, Map<String, FieldReader> wholes) {
        FieldValue value = new FieldValue();
        JsonNames names = new JsonNames();
        try (RecordLookup lookup = snapshot.lookup();
                QueryCursor record = RawScan.of(snapshot, source).budget(BUDGET).open()) {
            value.lookup(lookup);
            for (int i = 0; i < RECORDS_MAX && seen.size() < NAMES_MAX && record.next(); i++) {
                value.from(record.address());
                wholes.forEach((prefix, reader) -> {
                    reader.read(record.buffer(), record.offset(), record.length(), value);
                    if (value.kind() == FieldValue.Kind.JSON) {
                        byte[] json = new byte[value.length()];
                        value.bytes().getBytes(value.offset(), json);
                        names.of(json).forEach((name, kind) -> seen.merge(prefix + name, kind, SeenFields::either));
                    }
                });
            }
        }
    }

    private static String either(String kind, String other) {
        if (kind.equals(other) || other.equals(JsonNames.NULL)) {
            return kind;
        }
        return kind.equals(JsonNames.NULL) ? other : ANY;
    }

    /**
     * The fields seen that are not declared, each with the kind of its values: {@code string}, {@code integer}, {@code number}, {@code
     * boolean}, {@code array}, {@code object}, {@code null}; {@code any} if there are several.
     */
    public SortedMap<String, String> seen() {
        TreeMap<String, String> others = new TreeMap<>(seen);
        format.fields().forEach(field -> others.remove(field.name()));
        return others;
    }

    /** All names, declared and seen. */
    public Collection<String> names() {
        TreeSet<String> names = new TreeSet<>(seen.keySet());
        format.fields().stream().map(Field::name).forEach(names::add);
        return names;
    }

    /** What the user may have meant by an unknown name, and the names seen; empty if neither helps. */
    public String hint(String field) {
        String tail = '.' + field;
        String longer = names().stream()
                .filter(name -> name.endsWith(tail))
                .findFirst()
                .map(name -> "; did you mean " + name + "?")
                .orElse("");
        return seenNames() + (longer.isEmpty() ? SimilarText.suggestion(field, names()) : longer);
    }

    private String seenNames() {
        if (seen.isEmpty()) {
            return "";
        }
        List<String> first = new ArrayList<>(seen.keySet()).subList(0, Math.min(HINTED_MAX, seen.size()));
        return ", seen=" + first + (seen.size() > HINTED_MAX ? " and " + (seen.size() - HINTED_MAX) + " more" : "");
    }
}
