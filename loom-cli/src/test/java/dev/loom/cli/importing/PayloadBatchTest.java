package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import dev.loom.server.schema.SchemaAccess;
import dev.loom.server.schema.StoreSchema;
import java.io.OutputStream;
import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PayloadBatchTest {
    @TempDir
    private Path directory;

    /** Takes nothing, and fails. */
    private static final class FailingStore implements ImportStore {
        private final Loom loom;
        private int pushes;

        private FailingStore(Loom loom) {
            this.loom = loom;
        }

        @Override
        public SchemaAccess schema() {
            return new StoreSchema(loom);
        }

        @Override
        public int push(int sourceId, DirectBuffer payloads, int[] lengths, int count) {
            pushes++;
            throw new IllegalStateException("store has failed");
        }

        @Override
        public int payloadLengthMax() {
            return 1 << 10;
        }

        @Override
        public void close() {}
    }

    /** The store may have taken some of them, and why it failed is what the user must see. */
    @Test
    void shouldNotPushAgainWhatHasFailed() {
        try (Loom loom = Loom.open(LoomConfig.at(directory)
                        .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                        .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                        .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                        .build());
                FailingStore store = new FailingStore(loom)) {
            SourceDefinition source = new SourceDefinition(
                    new Cli().console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream()),
                    store.schema(),
                    "s",
                    null,
                    false,
                    false);
            source.define(Formats.bytes(), null);
            PayloadBatch batch = new PayloadBatch(store, source);
            batch.ensure(1);
            batch.encoded(1);
            batch.add();
            assertThrows(IllegalStateException.class, batch::flush);
            batch.flush();
            assertEquals(1, store.pushes);
            assertEquals(0, batch.records());
        }
    }
}
