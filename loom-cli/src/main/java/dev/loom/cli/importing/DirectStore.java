package dev.loom.cli.importing;

import dev.loom.Loom;
import dev.loom.server.schema.SchemaAccess;
import dev.loom.server.schema.StoreSchema;

/** A store that the import itself has opened. For the store's writer thread. */
record DirectStore(Loom loom) implements ImportStore {
    @Override
    public SchemaAccess schema() {
        return new StoreSchema(loom);
    }

    @Override
    public RecordTarget target(int sourceId) {
        return new StoreTarget(loom, sourceId);
    }

    @Override
    public int payloadLengthMax() {
        return loom.payloadLengthMax();
    }

    @Override
    public void close() {
        loom.close();
    }
}
