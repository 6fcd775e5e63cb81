package dev.loom.server.prometheus.promql;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** What becomes of labels in a part of an expression, found once and not at each step. For one thread. */
final class LabelCache {
    private static final long ENTRY_BYTES = 96;

    private final IdentityHashMap<Object, Map<Labels, Labels>> byPart = new IdentityHashMap<>();
    private final Meter meter;

    LabelCache(Meter meter) {
        this.meter = meter;
    }

    Labels get(Object part, Labels labels, UnaryOperator<Labels> change) {
        Map<Labels, Labels> changed = byPart.computeIfAbsent(part, any -> new HashMap<>());
        Labels found = changed.get(labels);
        if (found == null) {
            found = change.apply(labels);
            meter.reserve(ENTRY_BYTES + found.bytes());
            changed.put(labels, found);
        }
        return found;
    }
}
