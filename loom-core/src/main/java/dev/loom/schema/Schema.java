package dev.loom.schema;

import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.schema.SchemaEntry.SourceClosed;
import dev.loom.schema.SchemaEntry.SourceDefined;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The sources as of some entry of the schema. Immutable. */
public final class Schema {
    /** Without any source. */
    public static final Schema EMPTY = new Schema(new TreeMap<>());

    private final NavigableMap<Integer, Source> byId;
    private final Map<String, Source> byName = new HashMap<>();

    private Schema(NavigableMap<Integer, Source> byId) {
        this.byId = byId;
        // of one name the open source wins, or else the one closed last, which has the highest id
        for (Source source : byId.values()) {
            Source other = byName.get(source.name());
            if (other == null || other.closed() || !source.closed()) {
                byName.put(source.name(), source);
            }
        }
    }

    public Schema with(List<SchemaEntry> entries) {
        TreeMap<Integer, Source> next = new TreeMap<>(byId);
        for (SchemaEntry entry : entries) {
            if (entry instanceof SourceDefined defined) {
                next.put(
                        defined.id(),
                        new Source(
                                defined.id(), defined.name(), format(defined.format()), false, defined.attributes()));
            } else if (entry instanceof SourceClosed closed) {
                next.computeIfPresent(closed.id(), (id, source) -> source.close());
            }
        }
        return new Schema(next);
    }

    /** A format whose provider is not at hand reads as bytes. */
    private static PayloadFormat format(String text) {
        try {
            return Formats.parse(text);
        } catch (IllegalArgumentException e) {
            return Formats.parse("bytes");
        }
    }

    /** Adds a nameless source for each id that records have but no entry defines, as after damage. */
    public Schema withUnnamed(Iterable<Integer> ids) {
        TreeMap<Integer, Source> next = new TreeMap<>(byId);
        for (int id : ids) {
            next.computeIfAbsent(id, unnamed -> new Source(unnamed, "#" + unnamed, format("bytes"), true, Map.of()));
        }
        return new Schema(next);
    }

    public List<Source> sources() {
        return new ArrayList<>(byId.values());
    }

    public Optional<Source> source(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    public @Nullable Source source(int id) {
        return byId.get(id);
    }

    /** The highest id, 0 without any. */
    public int lastId() {
        return byId.isEmpty() ? 0 : byId.lastKey();
    }

    /** How many are open. */
    public long openSources() {
        return byId.values().stream().filter(source -> !source.closed()).count();
    }
}
