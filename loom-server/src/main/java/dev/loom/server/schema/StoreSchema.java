package dev.loom.server.schema;

import dev.loom.Loom;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKey;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.PayloadFormat;
import dev.loom.format.UnknownFieldException;
import dev.loom.server.request.RefusedException;
import dev.loom.server.request.SeenFields;
import dev.loom.server.time.EventTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The schema of a store that is open for writing. Usable from any thread. */
public final class StoreSchema implements SchemaAccess {
    private final Loom loom;
    private final Runnable rebuild;

    public StoreSchema(Loom loom) {
        this(loom, loom::rebuildIndexes);
    }

    /** @param rebuild rebuilds the indexes of a store whose writer belongs to another component */
    public StoreSchema(Loom loom, Runnable rebuild) {
        this.loom = loom;
        this.rebuild = rebuild;
    }

    @Override
    public Optional<Source> openSource(String name) {
        return loom.source(name).filter(source -> !source.closed());
    }

    @Override
    public synchronized Source defineSource(String name, PayloadFormat format, Map<String, String> attributes) {
        try {
            EventTime eventTime = EventTime.parse(format, attributes); // before anything is stored
            int id = open(name, format, attributes);
            Source source = new Source(id, name, format, false, attributes);
            if (eventTime != null) {
                eventTime.defineIndex(loom, id, format);
            }
            return source;
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
    }

    private int open(String name, PayloadFormat format, Map<String, String> attributes) {
        Optional<Source> existing = openSource(name);
        if (existing.isPresent()) {
            requireAlike(existing.get(), format, attributes);
            return existing.get().id();
        }
        try {
            return loom.defineSource(name, format, attributes);
        } catch (IllegalArgumentException e) {
            // the application, which shares the store, may have just defined it
            Source defined = openSource(name).orElseThrow(() -> e);
            requireAlike(defined, format, attributes);
            return defined.id();
        }
    }

    private static void requireAlike(Source source, PayloadFormat format, Map<String, String> attributes) {
        if (!source.format().equals(format)) {
            throw RefusedException.invalid("source has a different format: source=" + source.name() + ", format="
                    + source.format().text() + ", requested=" + format.text());
        } else if (!source.attributes().equals(attributes)) {
            throw RefusedException.invalid("source has different attributes: source=" + source.name() + ", attributes="
                    + source.attributes() + ", requested=" + attributes);
        }
    }

    @Override
    public synchronized Source setAttributes(String name, Map<String, String> attributes) {
        Source source = require(name);
        Source changed = new Source(source.id(), source.name(), source.format(), source.closed(), attributes);
        try {
            EventTime eventTime = EventTime.parse(source.format(), attributes); // before anything is stored
            loom.setAttributes(source.id(), attributes);
            IndexFunction function = eventTime == null ? null : eventTime.function(source.format());
            openIndex(source, EventTime.INDEX_NAME)
                    .filter(index -> !index.function().equals(function))
                    .ifPresent(index -> loom.closeIndex(index.id()));
            if (eventTime != null) {
                eventTime.defineIndex(loom, source.id(), source.format());
            }
            return changed;
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public synchronized Source closeSource(String name) {
        Source source = require(name);
        loom.closeSource(source.id());
        return loom.source(name).orElseThrow();
    }

    @Override
    public synchronized IndexEntry defineIndex(
            String sourceName, String field, String bins, List<String> by, boolean backfill) {
        Source source = require(sourceName);
        String name = by.isEmpty() ? field : (field + ':' + String.join(",", by)).replace(' ', '_');
        boolean existed = openIndex(source, name).isPresent();
        String asked = field;
        try {
            IndexFunction function = IndexFunction.field(source.format(), field);
            for (String key : by) {
                asked = key;
                IndexKey.of(source.format(), List.of(key));
            }
            if (by.isEmpty()) {
                loom.defineIndex(source.id(), name, function, Bins.parse(bins));
            } else {
                loom.defineIndex(source.id(), name, function, Bins.parse(bins), by);
            }
        } catch (UnknownFieldException e) {
            try (Snapshot snapshot = loom.snapshot()) {
                throw RefusedException.invalid(
                        e.getMessage() + SeenFields.of(snapshot, source).hint(asked));
            }
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
        IndexEntry index = IndexEntry.of(openIndex(source, name).orElseThrow(), existed);
        if (backfill) {
            rebuild.run();
        }
        return index;
    }

    @Override
    public synchronized IndexEntry closeIndex(String sourceName, String name) {
        Source source = require(sourceName);
        Index index = openIndex(source, name)
                .orElseThrow(
                        () -> RefusedException.invalid("no open index: source=" + source.name() + ", name=" + name));
        loom.closeIndex(index.id());
        return IndexEntry.of(index, true);
    }

    private Source require(String name) {
        return openSource(name).orElseThrow(() -> RefusedException.invalid("no open source: " + name));
    }

    private Optional<Index> openIndex(Source source, String name) {
        return loom.indexes().stream()
                .filter(index -> index.sourceId() == source.id()
                        && !index.closed()
                        && index.name().equals(name))
                .findFirst();
    }
}
