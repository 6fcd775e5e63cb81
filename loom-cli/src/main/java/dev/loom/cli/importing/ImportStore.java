package dev.loom.cli.importing;

import dev.loom.server.schema.SchemaAccess;
import org.agrona.DirectBuffer;

/** The destination of an import: the store itself, or the sidecar that has it open. */
interface ImportStore extends AutoCloseable {
    SchemaAccess schema();

    /**
     * Pushes {@code count} payloads of a source, which lie back to back from offset 0.
     *
     * @return how many were taken; the others are lost
     */
    int push(int sourceId, DirectBuffer payloads, int[] lengths, int count);

    /** The longest payload accepted, bytes. */
    int payloadLengthMax();

    @Override
    void close();
}
