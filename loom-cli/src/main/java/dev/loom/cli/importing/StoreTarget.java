package dev.loom.cli.importing;

import dev.loom.Loom;
import org.agrona.DirectBuffer;

/** Pushes into a source of a store. For the store's writer thread. */
record StoreTarget(Loom loom, int sourceId) implements RecordTarget {
    @Override
    public int push(DirectBuffer payloads, int[] lengths, int count) {
        return loom.pushBatch(sourceId, payloads, 0, lengths, count);
    }

    @Override
    public int payloadLengthMax() {
        return loom.payloadLengthMax();
    }
}
