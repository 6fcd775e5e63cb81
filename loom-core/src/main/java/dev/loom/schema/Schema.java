package dev.loom.schema;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKind;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.schema.SchemaEntry.IndexClosed;
import dev.loom.schema.SchemaEntry.IndexDefined;
import dev.loom.schema.SchemaEntry.SourceClosed;
import dev.loom.schema.SchemaEntry.SourceDefined;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The sources and indexes as of some entry of the schema. Immutable. */
public final class Schema {
    /** Without any source. */
    public static final Schema EMPTY = new Schema(new TreeMap<>(), new TreeMap<>(), 0);

    private final NavigableMap<Integer, Source> byId;
    private final NavigableMap<Integer, Index> indexes;
    private final Map<String, Source> byName = new HashMap<>();
    private final int lastIndexId;

    private Schema(NavigableMap<Integer, Source> byId, NavigableMap<Integer, Index> indexes, int lastIndexId) {
        this.byId = byId;
        this.indexes = indexes;
        this.lastIndexId = lastIndexId;
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
        TreeMap<Integer, Index> nextIndexes = new TreeMap<>(indexes);
        int lastId = lastIndexId;
        for (SchemaEntry entry : entries) {
            if (entry instanceof SourceDefined defined) {
                next.put(
                        defined.id(),
                        new Source(
                                defined.id(), defined.name(), format(defined.format()), false, defined.attributes()));
            } else if (entry instanceof SourceClosed closed) {
                next.computeIfPresent(closed.id(), (id, source) -> source.close());
            } else if (entry instanceof IndexDefined defined) {
                lastId = Math.max(lastId, defined.id());
                define(defined, next.get(defined.sourceId()), nextIndexes);
            } else if (entry instanceof IndexClosed closed) {
                nextIndexes.computeIfPresent(closed.id(), (id, index) -> index.close());
            }
        }
        return new Schema(next, nextIndexes, lastId);
    }

    /** An index of a kind that is not known, or of a source that damage has taken, is as if it were not there. */
    private static void define(IndexDefined defined, @Nullable Source source, Map<Integer, Index> into) {
        if (source == null) {
            return;
        }
        try {
            into.put(
                    defined.id(),
                    new Index(
                            defined.id(),
                            defined.sourceId(),
                            defined.name(),
                            IndexKind.parse(defined.kind()),
                            IndexFunction.parse(defined.function(), source.format()),
                            Bins.parse(defined.bins()),
                            defined.fromAddress(),
                            false));
        } catch (IllegalArgumentException e) {
            into.remove(defined.id());
        }
    }

    /** The schema with the function of an index, which its entry only names. */
    public Schema supply(int indexId, IndexFunction function) {
        TreeMap<Integer, Index> next = new TreeMap<>(indexes);
        next.computeIfPresent(indexId, (id, index) -> index.supply(function));
        return new Schema(byId, next, lastIndexId);
    }

    /** The schema with functions for those of its open indexes that are over them. */
    public Schema supply(List<IndexFunction> functions) {
        Schema next = this;
        for (Index index : indexes()) {
            int place = functions.indexOf(index.function());
            if (place >= 0 && !index.closed() && !index.function().isReadable()) {
                next = next.supply(index.id(), functions.get(place));
            }
        }
        return next;
    }

    /** A format whose provider is not at hand reads as bytes. */
    private static PayloadFormat format(String text) {
        try {
            return Formats.parse(text);
        } catch (IllegalArgumentException e) {
            return Formats.parse("bytes");
        }
    }

    /**
     * The entries that sources need which have records and which no entry defines, as after damage: each is closed, called by
     * its id, and its payloads read as bytes.
     */
    public List<SchemaEntry> entriesOfLost(Collection<Integer> ids) {
        List<SchemaEntry> entries = new ArrayList<>();
        for (int id : ids) {
            if (id != 0 && !byId.containsKey(id)) {
                entries.add(new SourceDefined(id, "#" + id, "bytes", Map.of()));
                entries.add(new SourceClosed(id));
            }
        }
        return entries;
    }

    /** The ids of all that can have records: those defined, and Loom's own. */
    public List<Integer> withRecords() {
        List<Integer> ids = new ArrayList<>(byId.keySet());
        ids.add(0);
        return ids;
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

    /** All indexes, by id. */
    public List<Index> indexes() {
        return new ArrayList<>(indexes.values());
    }

    /** The indexes of a source, by id. */
    public List<Index> indexes(int sourceId) {
        return indexes.values().stream()
                .filter(index -> index.sourceId() == sourceId)
                .toList();
    }

    public @Nullable Index index(int id) {
        return indexes.get(id);
    }

    /** The highest id of an index, known or not, 0 without any. */
    public int lastIndexId() {
        return lastIndexId;
    }

    /** How many indexes are open. */
    public long openIndexes() {
        return indexes.values().stream().filter(index -> !index.closed()).count();
    }
}
