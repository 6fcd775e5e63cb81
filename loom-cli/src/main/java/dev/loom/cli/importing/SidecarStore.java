package dev.loom.cli.importing;

import dev.loom.server.client.IngestClient;
import dev.loom.server.schema.SchemaAccess;
import java.util.function.BooleanSupplier;
import org.agrona.DirectBuffer;

/**
 * A store that a sidecar has open. For one thread.
 *
 * @param stop whether to give up; asked before each attempt to send a batch but the first: rows that were read before the user gave up
 *     are sent
 */
record SidecarStore(IngestClient client, BooleanSupplier stop) implements ImportStore {
    @Override
    public SchemaAccess schema() {
        return client;
    }

    @Override
    public int push(int sourceId, DirectBuffer payloads, int[] lengths, int count) {
        boolean[] tried = {false};
        return client.push(sourceId, payloads, lengths, count, () -> {
            boolean again = tried[0];
            tried[0] = true;
            return again && stop.getAsBoolean();
        });
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
