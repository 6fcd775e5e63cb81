package dev.loom.cli.store;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.StoreProgress;
import dev.loom.cli.option.SidecarOption;
import dev.loom.cli.option.StoreOption;
import dev.loom.server.client.IngestClient;
import dev.loom.server.schema.SchemaAccess;
import dev.loom.server.schema.StoreSchema;

/** A schema that a command may change until it is closed. */
record OpenSchema(SchemaAccess schema, Runnable end) implements AutoCloseable {
    /**
     * Opens the store, or connects to the sidecar that has it open.
     *
     * @param create whether to create a store in a directory without one
     */
    @SuppressWarnings("resource") // closed with this
    static OpenSchema open(StoreOption store, SidecarOption sidecar, boolean create, Console console) {
        if (sidecar.given()) {
            IngestClient client = sidecar.connect();
            return new OpenSchema(client, client::close);
        }
        if (!create) {
            LoomReader.attach(store.directory()).close();
        }
        StoreProgress progress = new StoreProgress(console);
        Loom loom = progress.open(LoomConfig.at(store.directory()));
        return new OpenSchema(new StoreSchema(loom), () -> {
            try (progress) {
                loom.close();
            }
        });
    }

    @Override
    public void close() {
        end.run();
    }
}
