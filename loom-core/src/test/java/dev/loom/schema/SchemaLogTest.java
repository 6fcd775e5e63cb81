package dev.loom.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.io.Storage;
import dev.loom.schema.SchemaEntry.SourceChanged;
import dev.loom.schema.SchemaEntry.SourceClosed;
import dev.loom.schema.SchemaEntry.SourceDefined;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SchemaLogTest {
    private static final long STORE_ID = 7;
    private static final SchemaLog.Content EMPTY = new SchemaLog.Content(List.of(), List.of(), 0);

    @TempDir
    Path directory;

    /** An opening reads the file into the heap. What is defined can be closed all the same. */
    @Test
    void shouldRefuseDefinitionsAndChangesOnceItIsFull() throws Exception {
        Path file = directory.resolve("schema.log");
        SchemaLog log = SchemaLog.open(Storage.DISK, file, STORE_ID, EMPTY);
        String text = "x".repeat(1_000_000);
        log.append(new SourceDefined(1, "s", "bytes", Map.of()));
        int changes = 0;
        while (Files.size(file) < SchemaLog.LENGTH_MAX) {
            log.requireRoom();
            log.append(new SourceChanged(1, Map.of("k", text)));
            changes++;
        }
        assertEquals(68, changes);
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, log::requireRoom);
        assertTrue(
                String.valueOf(e.getMessage())
                        .startsWith("too many definitions and changes of sources and indexes: file="),
                e::toString);
        log.append(new SourceClosed(1));
        assertEquals(
                changes + 2,
                SchemaLog.read(Storage.DISK, file, STORE_ID).entries().size());
    }

    /** Of the last entry all bytes but its padding may be there: it is whole then. */
    @Test
    void shouldRecoverWhateverAKillHasLeftOfAnEntry() throws Exception {
        Path file = directory.resolve("schema.log");
        SchemaEntry first = new SourceDefined(1, "padded", "bytes", Map.of());
        SchemaEntry second = new SourceDefined(2, "next", "bytes", Map.of());
        SchemaLog.open(Storage.DISK, file, STORE_ID, EMPTY).append(first);
        byte[] whole = Files.readAllBytes(file);
        int needed = SchemaCodec.HEADER_LENGTH
                + ByteBuffer.wrap(whole).order(ByteOrder.LITTLE_ENDIAN).getInt(Integer.BYTES);
        assertTrue(needed < whole.length, "the entry of this test must be padded");
        for (int length = 0; length <= whole.length; length++) {
            Files.write(file, Arrays.copyOf(whole, length));
            SchemaLog.recover(Storage.DISK, file, STORE_ID, 0);
            List<SchemaEntry> left = length < needed ? List.of() : List.of(first);
            SchemaLog.Content content = SchemaLog.read(Storage.DISK, file, STORE_ID);
            assertEquals(left, content.entries(), "length=" + length);
            SchemaLog.open(Storage.DISK, file, STORE_ID, content).append(second);
            SchemaLog.Content next = SchemaLog.read(Storage.DISK, file, STORE_ID);
            assertEquals(second, next.entries().get(left.size()), "length=" + length);
            assertEquals(List.of(), next.damaged(), "length=" + length);
        }
    }
}
