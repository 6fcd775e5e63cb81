package dev.loom.store;

import dev.loom.api.Index;
import dev.loom.format.RecordLookup;
import dev.loom.index.ActiveIndex;
import dev.loom.index.FunctionGuard;
import dev.loom.record.WriterSources;
import dev.loom.schema.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The indexes that a session's writer fills. Guarded by the session, except for the count of failures. */
final class SessionIndexes {
    private final WriterSources sources;
    private final RecordLookup lookup;
    private final FunctionGuard guard;
    private final Map<Integer, ActiveIndex> active = new LinkedHashMap<>();
    /** Those of {@link #active}, for any thread. */
    private volatile List<ActiveIndex> counted = List.of();

    /**
     * Makes an empty set.
     *
     * @param lookup finds the records that others refer to; for the writer's thread
     * @param guard as for {@link ActiveIndex}
     */
    SessionIndexes(WriterSources sources, RecordLookup lookup, FunctionGuard guard) {
        this.sources = sources;
        this.lookup = lookup;
        this.guard = guard;
    }

    /** Begins to fill the schema's open indexes with readable functions. */
    void open(Schema schema) {
        for (Index index : schema.indexes()) {
            if (!index.closed() && index.function().isReadable()) {
                active.put(index.id(), new ActiveIndex(index, lookup, guard));
            }
        }
        active.values().stream()
                .map(index -> index.definition().sourceId())
                .distinct()
                .forEach(this::announce);
        counted = List.copyOf(active.values());
    }

    /** Begins to fill one index; if that fails for lack of memory, it may be added again. */
    void add(Index index) {
        active.put(index.id(), new ActiveIndex(index, lookup, guard));
        try {
            List<ActiveIndex> all = List.copyOf(active.values());
            announce(index.sourceId());
            counted = all;
        } catch (Throwable e) {
            active.remove(index.id());
            throw e;
        }
    }

    boolean fills(Index index) {
        return active.containsKey(index.id());
    }

    void remove(Index index) {
        if (active.remove(index.id()) != null) {
            announce(index.sourceId());
            counted = List.copyOf(active.values());
        }
    }

    /** How often the open indexes' functions have thrown in this session, as far as the calling thread can see. Any thread, and waits for none. */
    long failures() {
        return counted.stream().mapToLong(ActiveIndex::failures).sum();
    }

    private void announce(int sourceId) {
        List<ActiveIndex> indexes = new ArrayList<>();
        for (ActiveIndex index : active.values()) {
            if (index.definition().sourceId() == sourceId) {
                indexes.add(index);
            }
        }
        sources.index(sourceId, indexes);
    }
}
