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
    /** What need not be handed over again. */
    private final Map<IdentityKey, Known> known = new HashMap<>();

    private long knownBytes;

    /** The series of points of one identity. */
    private static final class Known {
        private final Set<String> parts = new HashSet<>();
        private long bytes;
    }

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
            Known of = known.get(point.identity());
            PointParts.forEach(point, point.kind(), new Parts(point, of == null ? begin(point.identity()) : of));
        }
    }

    private Known begin(IdentityKey key) {
        Known begun = new Known();
        take(begun, IDENTITY_BYTES + key.length());
        known.put(key.copy(), begun);
        return begun;
    }

    /** Takes room, if need be that of half of all others: points come in turns, so that clearing all would leave none to be met again. */
    private void take(Known into, long bytes) {
        if (knownBytes + bytes > room) {
            boolean[] forgets = {false};
            known.values().removeIf(each -> {
                forgets[0] = !forgets[0];
                boolean forgotten = forgets[0] && each != into;
                knownBytes -= forgotten ? each.bytes : 0;
                return forgotten;
            });
        }
        into.bytes += bytes;
        knownBytes += bytes;
    }

    /** Hands over the labels of a point's series. */
    private final class Parts implements PointParts.Sink {
        private final PointFields point;
        private final Known of;
        private @Nullable PointMetric metric;

        Parts(PointFields point, Known of) {
            this.point = point;
            this.of = of;
        }

        @Override
        public void onNumber(String suffix, String label, String value, double sample) {
            String part = suffix + '\0' + value;
            if (!of.parts.add(part)) {
                return;
            }
            take(of, PART_BYTES + part.length());
            PointMetric series = metric == null ? new PointMetric(point.parts()) : metric;
            metric = series;
            Labels labels = series.series(selection, suffix, label, value);
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
