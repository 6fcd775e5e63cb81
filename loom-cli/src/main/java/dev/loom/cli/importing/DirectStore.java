package dev.loom.cli.importing;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.ValueUnit;
import dev.loom.cli.chart.ValueText;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Progress;
import dev.loom.cli.console.StoreProgress;
import dev.loom.server.schema.SchemaAccess;
import dev.loom.server.schema.StoreSchema;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** A store that the import itself has opened. For the store's writer thread. */
final class DirectStore implements ImportStore {
    private final Console console;
    private final StoreProgress progress;
    private final Loom loom;
    /** Null if records are dropped for which there is no room. */
    private final @Nullable WaitingWriter writer;

    private final long begin;

    /** @param waits whether to wait for room */
    DirectStore(LoomConfig.Builder config, Console console, boolean waits) {
        this.console = console;
        this.progress = new StoreProgress(console);
        this.loom = progress.open(config);
        this.writer = waits ? new WaitingWriter(loom, console) : null;
        this.begin = loom.info().records().begin();
    }

    Loom loom() {
        return loom;
    }

    @Override
    public SchemaAccess schema() {
        return new StoreSchema(loom);
    }

    @Override
    public int push(int sourceId, DirectBuffer payloads, int[] lengths, int count) {
        return writer == null
                ? loom.pushBatch(sourceId, payloads, 0, lengths, count)
                : writer.pushBatch(sourceId, payloads, lengths, count);
    }

    @Override
    public int payloadLengthMax() {
        return loom.payloadLengthMax();
    }

    /** Also makes all durable; nothing is lost if this can't be completed, searches and long ranges then read more. */
    private void finish() {
        try (Progress indexing = new Progress(console, "MiB indexed for searches")) {
            loom.finishTextIndex(indexing::onProgress);
        }
        try (Progress summing = new Progress(console, "MiB summed up")) {
            loom.finishRollups(summing::onProgress);
        }
    }

    @Override
    public void close() {
        try (progress;
                loom) {
            finish();
            long deleted = loom.info().records().begin() - begin;
            if (deleted > 0) {
                console.say("the store's limits deleted its oldest records: "
                        + ValueText.compact((double) deleted, ValueUnit.BYTES) + "; see loom retain");
            }
        }
    }
}
