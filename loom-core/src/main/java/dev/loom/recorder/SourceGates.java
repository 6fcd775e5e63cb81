package dev.loom.recorder;

import dev.loom.api.DropPolicy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The recorder's sources by id. Any thread reads them; a thread that knows an id from a definition finds its source.
 */
final class SourceGates {
    private volatile @Nullable SourceGate[] gates = new SourceGate[64];

    /** @throws IllegalArgumentException for an id that was never defined */
    SourceGate get(int sourceId) {
        @Nullable SourceGate[] all = gates;
        SourceGate gate = sourceId > 0 && sourceId < all.length ? all[sourceId] : null;
        if (gate == null) {
            throw new IllegalArgumentException("source is not defined: id=" + sourceId);
        }
        return gate;
    }

    synchronized void add(int sourceId, DropPolicy policy, boolean closed) {
        @Nullable SourceGate[] all = gates;
        if (sourceId >= all.length) {
            all = Arrays.copyOf(all, Integer.highestOneBit(sourceId) * 2);
        }
        SourceGate gate = new SourceGate(sourceId, policy);
        if (closed) {
            gate.close();
        }
        all[sourceId] = gate;
        gates = all;
    }

    /** By id, with gaps. */
    @Nullable
    SourceGate[] all() {
        return gates;
    }
}
