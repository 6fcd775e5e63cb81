package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Interruption;
import dev.loom.cli.console.Progress;
import dev.loom.format.Formats;
import dev.loom.server.schema.SchemaAccess;
import dev.loom.server.schema.StoreSchema;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What of the records that have arrived an interrupted import takes. */
final class ImporterTest {
    private static final int INTERRUPTED_AT = 3;
    private static final int FLUSHED_AT = 5;
    private static final int WHOLE = 7;

    @TempDir
    Path directory;

    private final Interruption interruption = new Interruption();
    private final List<Byte> stored = new ArrayList<>();
    private int room = Integer.MAX_VALUE;

    /** Records of one byte, their numbers; the interruption comes with one, and the wait for the rest of a later one is ended by it. */
    private final class Records implements RecordInput {
        private int number;

        @Override
        public boolean next() {
            number++;
            if (number == INTERRUPTED_AT) {
                interruption.request();
            }
            return number <= WHOLE + 1;
        }

        @Override
        public boolean whole() {
            return number <= WHOLE;
        }

        @Override
        public String position() {
            return "record " + number;
        }

        @Override
        public @Nullable String encode(PayloadBatch batch) {
            batch.ensure(1);
            if (number == FLUSHED_AT) {
                batch.flush(); // as one does that is full
            }
            batch.buffer().putByte(batch.offset(), (byte) number);
            batch.encoded(1);
            return null;
        }

        @Override
        public byte[] rawBytes() {
            return new byte[] {(byte) number};
        }
    }

    /** Takes as many as there is room for. */
    private final class Store implements ImportStore {
        private final Loom loom;

        Store(Loom loom) {
            this.loom = loom;
        }

        @Override
        public SchemaAccess schema() {
            return new StoreSchema(loom);
        }

        @Override
        public int push(int sourceId, DirectBuffer payloads, int[] lengths, int count) {
            int taken = Math.min(count, room);
            room = Integer.MAX_VALUE; // it is made meanwhile
            for (int i = 0; i < taken; i++) {
                stored.add(payloads.getByte(i));
            }
            return taken;
        }

        @Override
        public int payloadLengthMax() {
            return 1 << 10;
        }

        @Override
        public void close() {}
    }

    /** Runs an import, and returns how many records the store did not take. */
    private long run() throws IOException {
        Cli.onSmallStore(directory);
        Console console = new Cli().console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
        try (Loom loom = Loom.open(LoomConfig.at(directory).build());
                Store store = new Store(loom);
                Progress progress = new Progress(console, "records imported")) {
            SourceDefinition source = new SourceDefinition(console, store.schema(), "s", null, false, false);
            source.define(Formats.bytes(), null);
            PayloadBatch batch = new PayloadBatch(store, source);
            BadRecords bad = new BadRecords(true, null, told -> {});
            Importer importer = new Importer(new Records(), batch, bad, interruption, progress);
            assertTrue(importer.run());
            assertEquals(0, bad.count());
            return batch.lost();
        }
    }

    private static List<Byte> numbers(int count) {
        List<Byte> numbers = new ArrayList<>();
        for (byte i = 1; i <= count; i++) {
            numbers.add(i);
        }
        return numbers;
    }

    @Test
    void shouldTakeAllThatIsWhole() throws IOException {
        assertEquals(0, run());
        assertEquals(numbers(WHOLE), stored);
    }

    @Test
    void shouldLeaveNoGapWhereTheStoreTakesNoMore() throws IOException {
        room = 2;
        assertEquals(FLUSHED_AT - 1 - 2, run());
        assertEquals(numbers(2), stored);
    }
}
