package dev.loom.cli.importing;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Defines its source when the first records arrive, so that an invalid input leaves no source. For one thread. */
final class DefinedTarget implements RecordTarget {
    private final ImportStore store;
    private final SourceDefinition definition;
    private @Nullable RecordTarget target;

    DefinedTarget(ImportStore store, SourceDefinition definition) {
        this.store = store;
        this.definition = definition;
    }

    @Override
    public int push(DirectBuffer payloads, int[] lengths, int count) {
        RecordTarget defined = target;
        if (defined == null) {
            defined = store.target(definition.sourceId());
            target = defined;
        }
        return defined.push(payloads, lengths, count);
    }

    @Override
    public int payloadLengthMax() {
        return store.payloadLengthMax();
    }
}
