package dev.loom.cli.importing;

import dev.loom.server.schema.SchemaAccess;

/** The destination of an import: the store itself, or the sidecar that has it open. */
interface ImportStore extends AutoCloseable {
    SchemaAccess schema();

    /** The target for a source's records. */
    RecordTarget target(int sourceId);

    /** The longest payload accepted, bytes. */
    int payloadLengthMax();

    @Override
    void close();
}
