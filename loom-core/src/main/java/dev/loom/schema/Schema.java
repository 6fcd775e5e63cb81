package dev.loom.schema;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKey;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.schema.SchemaEntry.IndexClosed;
import dev.loom.schema.SchemaEntry.IndexDefined;
import dev.loom.schema.SchemaEntry.RetentionSet;
import dev.loom.schema.SchemaEntry.SourceChanged;
import dev.loom.schema.SchemaEntry.SourceClosed;
import dev.loom.schema.SchemaEntry.SourceDefined;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The sources and indexes as of some entry of the schema. Immutable. */
public final class Schema {
    /** The empty schema, which knows the formats that Loom's own class loader finds. */
    public static final Schema EMPTY = empty(Schema.class.getClassLoader());

    /** How the names of sources begin whose definition is lost, and no others. */
    private static final String LOST = "#";

    private final PersistentMap<Integer, Source> sources;
    /** For each name, the open source, else the one defined last. */
    private final PersistentMap<String, Integer> ids;

    private final PersistentMap<Integer, Index> indexes;
    private final PersistentMap<Integer, PersistentMap<Integer, Index>> indexesBySource;
    private final int openSources;
    private final int openIndexes;
    private final int lastIndexId;
    private final @Nullable RetentionSet retention;
    private final @Nullable ClassLoader formats;

    private Schema(
            PersistentMap<Integer, Source> sources,
            PersistentMap<String, Integer> ids,
            PersistentMap<Integer, Index> indexes,
            PersistentMap<Integer, PersistentMap<Integer, Index>> indexesBySource,
            int openSources,
            int openIndexes,
            int lastIndexId,
            @Nullable RetentionSet retention,
            @Nullable ClassLoader formats) {
        this.sources = sources;
        this.ids = ids;
        this.indexes = indexes;
        this.indexesBySource = indexesBySource;
        this.openSources = openSources;
        this.openIndexes = openIndexes;
        this.lastIndexId = lastIndexId;
        this.retention = retention;
        this.formats = formats;
    }

    private static Schema empty(@Nullable ClassLoader formats) {
        return new Schema(
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                PersistentMap.empty(),
                0,
                0,
                0,
                null,
                formats);
    }

    /**
     * The schema of some entries.
     *
     * @param formats finds the providers of its formats, now and for entries to come; null for the system's class loader
     */
    public static Schema of(List<SchemaEntry> entries, @Nullable ClassLoader formats) {
        return empty(formats).with(entries);
    }

    public Schema with(List<SchemaEntry> entries) {
        Schema next = this;
        for (SchemaEntry entry : entries) {
            next = next.with(entry);
        }
        return next;
    }

    /** The schema with one more entry; takes logarithmic time. */
    public Schema with(SchemaEntry entry) {
        if (entry instanceof SourceDefined defined) {
            return with(new Source(
                    defined.id(),
                    defined.name(),
                    Formats.parseOrBytes(defined.format(), formats),
                    false,
                    defined.attributes()));
        }
        if (entry instanceof SourceClosed closed) {
            Source source = sources.get(closed.id());
            return source == null ? this : with(changed(source, true, source.attributes()));
        }
        if (entry instanceof SourceChanged changed) {
            Source source = sources.get(changed.id());
            return source == null ? this : with(changed(source, source.closed(), changed.attributes()));
        }
        if (entry instanceof IndexDefined defined) {
            return define(defined);
        }
        if (entry instanceof RetentionSet set) {
            return new Schema(
                    sources, ids, indexes, indexesBySource, openSources, openIndexes, lastIndexId, set, formats);
        }
        Index index = entry instanceof IndexClosed closed ? indexes.get(closed.id()) : null;
        return index == null ? this : with(closed(index));
    }

    private static Source changed(Source source, boolean closed, Map<String, String> attributes) {
        return new Source(source.id(), source.name(), source.format(), closed, attributes);
    }

    private static Index closed(Index index) {
        return new Index(
                index.id(),
                index.sourceId(),
                index.name(),
                index.kind(),
                index.function(),
                index.bins(),
                index.fromAddress(),
                true,
                index.key());
    }

    private Schema with(Source source) {
        Source before = sources.get(source.id());
        Source named = source(source.name()).orElse(null);
        boolean takesName = named == null || named.id() == source.id() || named.closed();
        return new Schema(
                sources.with(source.id(), source),
                takesName ? ids.with(source.name(), source.id()) : ids,
                indexes,
                indexesBySource,
                openSources + (source.closed() ? 0 : 1) - (before == null || before.closed() ? 0 : 1),
                openIndexes,
                lastIndexId,
                retention,
                formats);
    }

    private Schema with(Index index) {
        Index before = indexes.get(index.id());
        PersistentMap<Integer, Index> ofSource = indexesBySource.get(index.sourceId());
        if (ofSource == null) {
            ofSource = PersistentMap.empty();
        }
        return new Schema(
                sources,
                ids,
                indexes.with(index.id(), index),
                indexesBySource.with(index.sourceId(), ofSource.with(index.id(), index)),
                openSources,
                openIndexes + (index.closed() ? 0 : 1) - (before == null || before.closed() ? 0 : 1),
                Math.max(lastIndexId, index.id()),
                retention,
                formats);
    }

    /** An index of an unknown kind, or of a source lost to damage, is ignored except for its id. */
    private Schema define(IndexDefined defined) {
        Schema without = new Schema(
                sources,
                ids,
                indexes,
                indexesBySource,
                openSources,
                openIndexes,
                Math.max(lastIndexId, defined.id()),
                retention,
                formats);
        Source source = sources.get(defined.sourceId());
        // the writer defines an id only once; any other entry is not its own
        if (source == null || indexes.get(defined.id()) != null) {
            return without;
        }
        try {
            return with(new Index(
                    defined.id(),
                    defined.sourceId(),
                    defined.name(),
                    Index.Kind.parse(defined.kind()),
                    IndexFunction.parse(defined.function(), source.format()),
                    Bins.parse(defined.bins()),
                    defined.fromAddress(),
                    false,
                    IndexKey.ofKind(source.format(), defined.kind())));
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) { // a format of the program's own may throw anything
            return without;
        }
    }

    /** The schema with the actual function of an index, which its entry only names. */
    public Schema supply(int indexId, IndexFunction function) {
        Index index = indexes.get(indexId);
        return index == null ? this : with(index.supply(function));
    }

    /** The schema with functions supplied to the open indexes that use them. */
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

    /**
     * Entries for sources with records but without a definition, as after damage: each source is closed, named by its
     * id, and its payloads are bytes.
     */
    public List<SchemaEntry> entriesOfLost(Collection<Integer> ids) {
        List<SchemaEntry> entries = new ArrayList<>();
        for (int id : ids) {
            if (id != 0 && sources.get(id) == null) {
                entries.add(new SourceDefined(id, LOST + id, "bytes", Map.of()));
                entries.add(new SourceClosed(id));
            }
        }
        return entries;
    }

    /** Whether a source's definition is lost. */
    public boolean isLost(int id) {
        Source source = sources.get(id);
        return source == null || source.name().startsWith(LOST);
    }

    /** The ids of all sources that can have records: the defined ones, and Loom's own. */
    public List<Integer> withRecords() {
        List<Integer> all = new ArrayList<>(sources.size() + 1);
        sources.values().forEach(source -> all.add(source.id()));
        all.add(0);
        return all;
    }

    public List<Source> sources() {
        return sources.values();
    }

    public Optional<Source> source(String name) {
        Integer id = ids.get(name);
        Source source = id == null ? null : sources.get(id);
        return source != null && source.name().equals(name) ? Optional.of(source) : Optional.empty();
    }

    public @Nullable Source source(int id) {
        return sources.get(id);
    }

    /** The highest id of a source, 0 if there is none. */
    public int lastId() {
        Integer last = sources.lastKey();
        return last == null ? 0 : last;
    }

    /** The number of open sources. */
    public int openSources() {
        return openSources;
    }

    /** All indexes, by id. */
    public List<Index> indexes() {
        return indexes.values();
    }

    /** The indexes of a source, by id. */
    public List<Index> indexes(int sourceId) {
        PersistentMap<Integer, Index> ofSource = indexesBySource.get(sourceId);
        return ofSource == null ? List.of() : ofSource.values();
    }

    public @Nullable Index index(int id) {
        return indexes.get(id);
    }

    /** The highest id of an index, known or not, 0 if there is none. */
    public int lastIndexId() {
        return lastIndexId;
    }

    /** The number of open indexes. */
    public int openIndexes() {
        return openIndexes;
    }

    /** The limits of the store; null if none were ever set. */
    public @Nullable RetentionSet retention() {
        return retention;
    }
}
