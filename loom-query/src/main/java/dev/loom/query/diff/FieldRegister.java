package dev.loom.query.diff;

import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.QueryMemory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.agrona.DirectBuffer;

/**
 * The fields to compare: those asked for, or all that a format declares and records name themselves, as far as there is room. For one
 * thread.
 */
final class FieldRegister {
    private final PayloadFormat format;
    private final RecordLookup lookup;
    private final QueryMemory memory;
    private final Set<String> ignored;
    private final int max;
    private final List<DiffField> fields = new ArrayList<>();
    private final Set<String> names = new TreeSet<>();
    private final Map<MemberNames, FieldReader> wholes = new LinkedHashMap<>();
    private final FieldValue value = new FieldValue();
    // hostile values can't know it
    private final long seed = new SplittableRandom().nextLong();
    private boolean full;
    private long reserved;
    private long selected;

    /**
     * @param ignored fields that are left out
     * @param max the most fields
     */
    FieldRegister(PayloadFormat format, RecordLookup lookup, QueryMemory memory, Set<String> ignored, int max) {
        this.format = format;
        this.lookup = lookup;
        this.memory = memory;
        this.ignored = ignored;
        this.max = max;
        value.lookup(lookup);
    }

    /**
     * Adds the fields asked for, or all that are declared.
     *
     * @param asked empty for all
     */
    void begin(List<String> asked) {
        if (!asked.isEmpty()) {
            asked.forEach(this::add);
            return;
        }
        Map<String, String> prefixes = prefixes();
        prefixes.forEach((prefix, whole) -> {
            FieldReader reader = format.field(whole);
            if (reader != null) {
                wholes.put(new MemberNames(prefix, value.bytes(), this::add), reader);
            }
        });
        for (Field field : format.fields()) {
            boolean members = prefixes.entrySet().stream()
                    .anyMatch(each -> each.getValue().equals(field.name())
                            && (each.getKey().isEmpty()
                                    || format.fieldPrefixes().contains(each.getKey())));
            if (!members) {
                add(field.name());
            }
        }
    }

    /** The fields whose members are fields too, by what the members' names begin with. */
    private Map<String, String> prefixes() {
        Map<String, String> prefixes = new LinkedHashMap<>();
        List<Field> declared = format.fields();
        if (declared.isEmpty()) {
            prefixes.put("", "");
        }
        for (String prefix : format.fieldPrefixes()) {
            String whole = format.fieldOfPrefix(prefix);
            if (whole != null) {
                prefixes.put(prefix, whole);
            }
        }
        for (Field field : declared) {
            boolean mayHaveMembers = field.type() == Field.Type.JSON || field.type() == Field.Type.ANY;
            if (mayHaveMembers && !prefixes.containsValue(field.name())) {
                // the members of a timed payload are named without it
                boolean whole = format.text().endsWith(':' + field.name());
                prefixes.put(whole ? "" : field.name() + '.', field.name());
            }
        }
        return prefixes;
    }

    /** Adds a field; false if there is no room. */
    private boolean add(String name) {
        if (name.isEmpty() || isIgnored(name) || !names.add(name)) {
            return true;
        } else if (fields.size() == max) {
            names.remove(name);
            full = true;
            return false;
        } else if (format.field(name) == null) {
            return true; // an attribute with an empty name is no field
        }
        memory.reserve(DiffField.MEMORY_BYTES);
        reserved += DiffField.MEMORY_BYTES;
        fields.add(new DiffField(name, format, lookup, selected, seed));
        return true;
    }

    /** Also by its longer or shorter name, as {@code resource.service.name} for {@code service.name}. */
    private boolean isIgnored(String name) {
        return ignored.stream()
                .anyMatch(each -> each.equals(name)
                        || (each.indexOf('.') > 0 && name.endsWith('.' + each))
                        || (name.indexOf('.') > 0 && each.endsWith('.' + name)));
    }

    /** Finds the fields that a record names. */
    void discover(DirectBuffer buffer, int offset, int length) {
        wholes.forEach((members, reader) -> {
            reader.read(buffer, offset, length, value);
            if (value.kind() == FieldValue.Kind.JSON) {
                members.read(value.bytes(), value.offset(), value.length());
            }
        });
    }

    /** Counts one chosen record more, which lacks the fields that are found after it. */
    void countSelected() {
        selected++;
    }

    List<DiffField> fields() {
        return fields;
    }

    /** Whether there were more fields than the cap. */
    boolean isFull() {
        return full;
    }

    /** Releases the memory. */
    void release() {
        memory.release(reserved);
        reserved = 0;
    }
}
