package dev.loom.cli.importing;

import dev.loom.server.client.IngestClient;
import dev.loom.server.schema.SchemaAccess;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;

/**
 * A store that a sidecar has open. For one thread.
 *
 * @param stop whether to give up; asked before each attempt to send a batch
 */
record SidecarStore(IngestClient client, BooleanSupplier stop) implements ImportStore {
    @Override
    public SchemaAccess schema() {
        return client;
    }

    @Override
    public int push(int sourceId, DirectBuffer payloads, int[] lengths, int count) {
        return client.push(sourceId, payloads, lengths, count, stop);
    }

    @Override
    public int payloadLengthMax() {
        return client.payloadLengthMax();
    }

    @Override
    public void close() {
        client.close();
    }
}
