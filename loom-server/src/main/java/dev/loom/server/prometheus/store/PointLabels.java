package dev.loom.server.prometheus.store;

import dev.loom.query.model.QueryMemory;
import dev.loom.server.prometheus.promql.Labels;
import dev.loom.server.prometheus.promql.SeriesSource.Selection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The labels of the series that points belong to, however many these are: it remembers those that it has handed over only as long as it
 * has room, so that some may come several times. For one thread.
 */
final class PointLabels implements AutoCloseable {
    private static final long ROOM_MIN = 64 << 10;
    private static final long ROOM_MAX = 32 << 20;
    private static final long IDENTITY_BYTES = 256;
    private static final long PART_BYTES = 128;

    private final Selection selection;
    private final Consumer<Labels> found;
    private final QueryMemory memory;
    private final long room;
    /** The series of each metric that need not be handed over again. */
    private final Map<IdentityKey, Set<String>> known = new HashMap<>();

    private long knownBytes;

    /** @param found takes labels that are wanted */
    PointLabels(Selection selection, QueryMemory memory, Consumer<Labels> found) {
        this.selection = selection;
        this.found = found;
        this.memory = memory;
        room = memory.reserveShare(ROOM_MIN, ROOM_MAX);
    }

    /** Takes a point. */
    void add(PointFields point) {
        if (!point.isStale()) {
            Set<String> parts = known.get(point.identity());
            PointParts.forEach(point, point.kind(), new Parts(point, parts == null ? begin(point.identity()) : parts));
        }
    }

    private Set<String> begin(IdentityKey key) {
        makeRoom(IDENTITY_BYTES + key.length());
        Set<String> parts = new HashSet<>();
        known.put(key.copy(), parts);
        return parts;
    }

    private void makeRoom(long bytes) {
        if (knownBytes + bytes > room) {
            known.clear();
            knownBytes = 0;
        }
        knownBytes += bytes;
    }

    /** Hands over the labels of a point's series. */
    private final class Parts implements PointParts.Sink {
        private final PointFields point;
        private final Set<String> parts;
        private @Nullable PointMetric metric;

        Parts(PointFields point, Set<String> parts) {
            this.point = point;
            this.parts = parts;
        }

        @Override
        public void onNumber(String suffix, String label, String value, double sample) {
            String part = suffix + '\0' + value;
            if (parts.contains(part)) {
                return;
            }
            makeRoom(PART_BYTES + part.length());
            parts.add(part);
            PointMetric of = metric == null ? new PointMetric(point.parts()) : metric;
            metric = of;
            Labels labels = of.series(selection, suffix, label, value);
            if (labels != null) {
                found.accept(labels);
            }
        }

        @Override
        public void onHistogram(PointFields histogram) {
            onNumber("", "", "", 0);
        }
    }

    @Override
    public void close() {
        memory.release(room);
    }
}
