package dev.loom.cli.importing;

import dev.loom.server.client.IngestClient;
import dev.loom.server.schema.SchemaAccess;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/** A store that a sidecar has open. Tells once why the sidecar takes nothing. For one thread. */
final class SidecarStore implements ImportStore {
    /** A full ring is no news for as long as a disk takes to empty it. */
    private static final int IN_VAIN_MAX = 10;

    private final IngestClient client;
    private final BooleanSupplier stop;
    private final Consumer<String> warnings;
    private int inVain;
    private boolean told;

    /**
     * Takes a connection.
     *
     * @param stop whether to give up; asked before each attempt to send a batch but the first: rows that were read before the user gave up
     *     are sent
     */
    SidecarStore(IngestClient client, BooleanSupplier stop, Consumer<String> warnings) {
        this.client = client;
        this.stop = stop;
        this.warnings = warnings;
    }

    @Override
    public SchemaAccess schema() {
        return client;
    }

    @Override
    public int push(int sourceId, DirectBuffer payloads, int[] lengths, int count) {
        boolean[] tried = {false};
        inVain = 0;
        return client.push(
                sourceId,
                payloads,
                lengths,
                count,
                () -> {
                    boolean again = tried[0];
                    tried[0] = true;
                    return again && stop.getAsBoolean();
                },
                this::onNothingTaken);
    }

    private void onNothingTaken(String reason) {
        inVain++;
        if (inVain == IN_VAIN_MAX && !told) {
            told = true;
            warnings.accept("waiting for the sidecar, which takes nothing: " + reason);
        }
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
