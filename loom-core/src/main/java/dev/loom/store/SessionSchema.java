package dev.loom.store;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKey;
import dev.loom.api.Source;
import dev.loom.format.PayloadFormat;
import dev.loom.log.LogKind;
import dev.loom.record.RecordLog;
import dev.loom.record.SourceTable;
import dev.loom.record.SourceTotals;
import dev.loom.record.WriterSources;
import dev.loom.schema.Schema;
import dev.loom.schema.SchemaEntry;
import dev.loom.schema.SchemaEntry.IndexClosed;
import dev.loom.schema.SchemaEntry.IndexDefined;
import dev.loom.schema.SchemaEntry.SourceChanged;
import dev.loom.schema.SchemaEntry.SourceClosed;
import dev.loom.schema.SchemaEntry.SourceDefined;
import dev.loom.schema.SchemaLog;
import dev.loom.value.BinScale;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a session. A change is in the schema log before it takes effect; if it can't be written, nothing
 * changes. Any thread.
 */
public final class SessionSchema {
    private final Path directory;
    private final SchemaLog schemaLog;
    private final WriterSources sources;
    private final SessionIndexes indexes;
    private final Tenure.Guard guard;
    private final LongSupplier recordTail;
    private final int sourcesMax;
    private final int timeRingLength;
    /** Limited so that a directory which lists all indexes fits in the timestamp index's ring. */
    private final int indexesMax;

    private volatile Schema current;
    private boolean closed;

    /** @param recordTail the end of the record log, from which on a new index covers records */
    SessionSchema(OpeningResult opened, WriterSources sources, SessionIndexes indexes, LongSupplier recordTail) {
        this.directory = opened.files().directory();
        this.schemaLog = opened.schemaLog();
        this.sources = sources;
        this.indexes = indexes;
        this.guard = opened.tenure().guard();
        this.recordTail = recordTail;
        this.sourcesMax = opened.settings().sourcesMax();
        this.timeRingLength = opened.mark().ringLength(LogKind.TIME);
        this.indexesMax = RecordLog.indexesMax(timeRingLength);
        this.current = opened.schema();
        indexes.open(current);
    }

    /** The writer's sources: those of a schema, and those found in the log alone, which are closed. */
    static WriterSources writerSources(Schema schema, SourceTable table) {
        WriterSources sources = new WriterSources();
        TreeSet<Integer> ids = new TreeSet<>(table.totals().keySet());
        schema.sources().forEach(source -> ids.add(source.id()));
        for (int id : ids) {
            Source source = schema.source(id);
            boolean closed = id != 0 && (source == null || source.closed());
            sources.add(id, closed, table.totals(id), table.lost().getOrDefault(id, 0L));
        }
        return sources;
    }

    /** The schema as it is now; never changes itself. */
    public Schema current() {
        return current;
    }

    /**
     * Defines a source. If that fails, even for lack of memory, nothing is defined.
     *
     * @param prepare receives the id before the source is defined, and may throw
     * @throws IllegalArgumentException when an open source has the name, or there are too many
     */
    public synchronized int defineSource(
            String name, PayloadFormat format, Map<String, String> attributes, IntConsumer prepare) {
        checkWritable();
        Names.check("source", name);
        if (current.source(name).filter(source -> !source.closed()).isPresent()) {
            throw new IllegalArgumentException("source is already defined: name=" + name);
        }
        if (current.openSources() >= sourcesMax) {
            throw new IllegalArgumentException("too many open sources: name=" + name + ", max=" + sourcesMax);
        }
        schemaLog.requireRoom();
        int everMax = RecordLog.sourcesMax(timeRingLength);
        if (sources.count() >= everMax) {
            throw new IllegalArgumentException("too many sources, closed ones included: name=" + name + ", max="
                    + everMax + ", time ring=" + timeRingLength + "; open the store with a larger one");
        }
        int next = Math.max(current.lastId(), sources.lastId()) + 1;
        // a damaged record may have the highest id possible; lower ones are still free then
        int id = next <= Names.ID_MAX ? next : sources.lowestFree();
        if (id > Names.ID_MAX) {
            throw new IllegalArgumentException("no source id left: name=" + name + ", max=" + Names.ID_MAX);
        }
        SchemaEntry entry = new SourceDefined(id, name, format.text(), attributes);
        Schema after = current.with(entry);
        requireParsed(format, after.source(id));
        prepare.accept(id);
        sources.add(id, true, new SourceTotals(), 0);
        try {
            schemaLog.append(entry);
        } catch (Throwable e) {
            sources.withdraw(id);
            throw e;
        }
        sources.open(id);
        current = after;
        return id;
    }

    /** A source whose format can't be made again is read as bytes, which nobody wants who defines it. */
    private static void requireParsed(PayloadFormat format, @Nullable Source defined) {
        PayloadFormat made = Objects.requireNonNull(defined).format();
        if (made.failure() != null || !made.text().equals(format.text())) {
            throw new IllegalArgumentException(
                    "the store's class loader makes no such format of its text: text=" + format.text() + ", reason="
                            + (made.failure() == null ? "it makes " + made.text() : made.failure()));
        }
    }

    /**
     * Replaces a source's attributes. Those that it has cost nothing.
     *
     * @throws IllegalArgumentException when the source is not open
     */
    public synchronized void setAttributes(int sourceId, Map<String, String> attributes) {
        checkWritable();
        if (!attributes.equals(checkOpen(sourceId).attributes())) {
            schemaLog.requireRoom();
            apply(new SourceChanged(sourceId, attributes));
        }
    }

    public synchronized void closeSource(int sourceId) {
        checkWritable();
        Source source = current.source(sourceId);
        if (source == null) {
            throw new IllegalArgumentException("source is not defined: id=" + sourceId);
        }
        if (!source.closed()) {
            apply(new SourceClosed(sourceId));
            sources.close(sourceId);
        }
    }

    /**
     * Defines an index, or supplies the function of an identical one. Returns its id.
     *
     * @throws IllegalArgumentException when the source has another index with the name, or there are too many
     */
    public synchronized int defineIndex(
            int sourceId, String name, Index.Kind kind, IndexFunction asked, Bins bins, List<String> by) {
        checkWritable();
        Names.check("index", name);
        Source source = checkOpen(sourceId);
        if (!asked.isReadable()) {
            throw new IllegalArgumentException("index function has no reader: function=" + asked.text());
        }
        PayloadFormat format = source.format();
        // the asked one may be of another format, which has the field in another place
        IndexFunction function =
                asked.isLambda() ? asked : IndexFunction.field(format, asked.name(), asked.type(), asked.unit());
        IndexKey key = by.isEmpty() ? null : IndexKey.of(format, by);
        for (Index index : current.indexes(sourceId)) {
            if (!index.closed() && index.name().equals(name)) {
                return supply(index, kind, function, bins, key);
            }
        }
        schemaLog.requireRoom();
        if (current.openIndexes() >= indexesMax) {
            throw new IllegalArgumentException(
                    "too many open indexes: name=" + name + ", max=" + indexesMax + ", time ring=" + timeRingLength);
        }
        if (current.lastIndexId() >= SchemaLog.INDEX_ID_MAX) {
            throw new IllegalArgumentException("no index id left: name=" + name + ", max=" + SchemaLog.INDEX_ID_MAX);
        }
        // refuses unsuitable bins before anything is defined
        BinScale.of(bins, function.type());
        IndexDefined entry = new IndexDefined(
                current.lastIndexId() + 1,
                sourceId,
                name,
                Index.kindText(kind, key),
                function.text(),
                bins.text(),
                recordTail.getAsLong());
        Schema next = current.with(entry).supply(entry.id(), function);
        schemaLog.append(entry);
        current = next;
        indexes.add(Objects.requireNonNull(current.index(entry.id())));
        return entry.id();
    }

    private int supply(Index index, Index.Kind kind, IndexFunction function, Bins bins, @Nullable IndexKey key) {
        if (index.kind() != kind
                || !Objects.equals(index.key(), key)
                || !index.function().equals(function)
                || !index.bins().equals(bins)) {
            throw new IllegalArgumentException("index is already defined differently: name=" + index.name() + ", kind="
                    + index.kindText() + ", function="
                    + index.function().text() + ", bins="
                    + index.bins().text());
        }
        if (!index.function().isReadable()) {
            current = current.supply(index.id(), function);
        }
        if (!indexes.fills(index)) {
            indexes.add(Objects.requireNonNull(current.index(index.id())));
        }
        return index.id();
    }

    public synchronized void closeIndex(int indexId) {
        checkWritable();
        Index index = current.index(indexId);
        if (index == null) {
            throw new IllegalArgumentException("index is not defined: id=" + indexId);
        }
        if (!index.closed()) {
            apply(new IndexClosed(indexId));
            indexes.remove(index);
        }
    }

    private void apply(SchemaEntry entry) {
        Schema next = current.with(entry);
        schemaLog.append(entry);
        current = next;
    }

    private Source checkOpen(int sourceId) {
        Source source = current.source(sourceId);
        if (source == null || source.closed()) {
            throw new IllegalArgumentException("source is not open: id=" + sourceId);
        }
        return source;
    }

    private void checkWritable() {
        if (closed) {
            throw new IllegalStateException("store is closed: directory=" + directory);
        }
        guard.check();
    }

    /** How often the open indexes' functions have thrown in this session. Does not wait for a change that waits for the disk. */
    long functionFailures() {
        return indexes.failures();
    }

    /** The functions of the open indexes, as far as this program has them. */
    List<IndexFunction> functions() {
        return current.indexes().stream()
                .filter(index -> !index.closed())
                .map(Index::function)
                .filter(IndexFunction::isReadable)
                .toList();
    }

    /** Refuses further changes, after a running one. */
    synchronized void close() {
        closed = true;
    }
}
