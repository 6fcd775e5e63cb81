package dev.loom.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the parts of a directory are joined in either direction, and that one without all its parts is missing. */
final class EntryPartsTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:v:i64");

    /** More than one part of a directory takes. */
    private static final int INDEXES = 1500;

    @TempDir
    Path directory;

    private Loom loom;
    private Snapshot snapshot;
    private DirectoryReader reader;
    private int directories;
    private int parts;

    @BeforeEach
    void writeDirectoriesOfSeveralParts() {
        loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(4 << 20)
                .timeRingBytes(1 << 20)
                .chunkRingBytes(1 << 20)
                .build());
        int source = loom.defineSource("s", FORMAT);
        IndexFunction function = IndexFunction.field(FORMAT, "v", ValueType.I64, ValueUnit.NONE);
        for (int i = 0; i < INDEXES; i++) {
            loom.defineIndex(source, "i" + i, function, Bins.match(5));
        }
        for (int i = 0; i < 10_000; i++) {
            assertTrue(loom.push(source, new byte[Long.BYTES]) >= 0);
        }
        snapshot = loom.snapshot();
        SnapshotView view = ((LeasedSnapshot) snapshot).view();
        reader = new DirectoryReader(view.times(), view.timeTail());
        reader.toBegin();
        while (reader.next()) {
            directories += reader.isDirectory() && reader.isLastPart() ? 1 : 0;
            parts += reader.isDirectory() ? 1 : 0;
        }
        assertTrue(directories > 1 && parts >= directories + 2, () -> directories + " directories, parts=" + parts);
    }

    @AfterEach
    void close() {
        reader.close();
        snapshot.close();
        loom.close();
    }

    private int complete(EntryParts joined, BooleanSupplier move, int without) {
        int complete = 0;
        while (move.getAsBoolean()) {
            if (reader.isDirectory() && reader.part() != without) {
                complete += joined.complete(reader) ? 1 : 0;
            }
        }
        return complete;
    }

    @Test
    void shouldCompleteEachDirectoryInEitherDirection() {
        reader.toBegin();
        assertEquals(directories, complete(EntryParts.forward(), reader::next, -1));
        reader.toEnd();
        assertEquals(directories, complete(EntryParts.backward(), reader::previous, -1));
    }

    @Test
    void shouldNotCompleteADirectoryWhosePartIsMissing() {
        reader.toBegin();
        int ofSeveral = 0;
        while (reader.next()) {
            ofSeveral += reader.isDirectory() && reader.part() == 1 ? 1 : 0;
        }
        for (int without = 0; without <= 1; without++) {
            reader.toBegin();
            int left = without == 0 ? 0 : directories - ofSeveral;
            assertEquals(left, complete(EntryParts.forward(), reader::next, without), "without part " + without);
            reader.toEnd();
            assertEquals(left, complete(EntryParts.backward(), reader::previous, without), "without part " + without);
        }
    }

    @Test
    void shouldMoveFromAnyPartToTheFirst() {
        reader.toEnd();
        assertTrue(reader.previous());
        while (!reader.isDirectory() || reader.isFirstPart()) {
            assertTrue(reader.previous());
        }
        long chunkAddress = reader.chunkAddress();
        EntryParts.toFirst(reader);
        assertEquals(chunkAddress, reader.chunkAddress());
        assertEquals(0, reader.part());
    }
}
