package dev.loom.cli.importing;

import dev.loom.cli.schema.SchemaAccess;

/** Where an import goes: a store of its own, or one that a sidecar has. */
interface ImportStore extends AutoCloseable {
    SchemaAccess schema();

    /** What takes the records of a source. */
    RecordTarget target(int sourceId);

    /** Bytes of the longest payload that is taken. */
    int payloadLengthMax();

    @Override
    void close();
}
