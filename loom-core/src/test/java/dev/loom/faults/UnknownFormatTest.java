package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.StoreAccess;
import dev.loom.StoreVerifier;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.CorruptStoreException;
import dev.loom.error.LoomException;
import dev.loom.error.StoreNotFoundException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are not of this format or not of this store: each refused by its own error, and nothing is touched. */
class UnknownFormatTest {
    private static final int SLOT = 4096;
    private static final int MAJOR_OFFSET = 8;
    private static final int MINOR_OFFSET = 10;
    private static final int SLOT_CRC_OFFSET = 4092;

    private static final long SEED = 29;
    private static final PayloadFormat FORMAT =
            Formats.parse("struct:seed:i64,source:i32,length:i32,sequence:i64,rest:bytes");

    private final long[] counts = new long[2];
    private long damaged;

    @TempDir
    Path temp;

    private static Loom open(Path directory) {
        return Loom.open(StoreAccess.small(directory).build());
    }

    private Path closedStore(String name) {
        Path store = temp.resolve(name);
        Arrays.fill(counts, 0);
        try (Loom loom = open(store)) {
            for (int i = 0; i < 400; i++) {
                loom.push(define(loom, i % 2), CheckedPayload.make(SEED, i % 2, counts[i % 2]++));
            }
        }
        return store;
    }

    private static int define(Loom loom, int source) {
        return loom.source("source-" + source).map(Source::id).orElseGet(() -> {
            int id = loom.defineSource("source-" + source, FORMAT);
            loom.defineIndex(id, "sequence", IndexFunction.field(FORMAT, "sequence"), Bins.logLinear());
            return id;
        });
    }

    /** How many records each source has, which are the first ones of those pushed. */
    private long[] read(Path store) {
        long[] found = new long[counts.length];
        damaged = 0;
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (int i = 0; i < found.length; i++) {
                int id = snapshot.source("source-" + i).orElseThrow().id();
                try (RecordCursor cursor = snapshot.oldestFirst(id, Long.MIN_VALUE, Long.MAX_VALUE)) {
                    while (cursor.next()) {
                        long sequence =
                                CheckedPayload.check(SEED, i, cursor.buffer(), cursor.offset(), cursor.length());
                        assertEquals(found[i]++, sequence);
                    }
                    damaged += cursor.damaged();
                }
            }
        }
        return found;
    }

    private static Map<String, ByteBuffer> contents(Path directory) throws IOException {
        Map<String, ByteBuffer> contents = new TreeMap<>();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                contents.put(directory.relativize(file).toString(), ByteBuffer.wrap(Files.readAllBytes(file)));
            }
        }
        return contents;
    }

    private static void assertRefused(Class<? extends LoomException> expected, Path store, String... named)
            throws IOException {
        Map<String, ByteBuffer> before = contents(store);
        for (LoomException refused : new LoomException[] {
            assertThrows(expected, () -> LoomReader.attach(store)), assertThrows(expected, () -> open(store))
        }) {
            for (String name : named) {
                assertTrue(String.valueOf(refused.getMessage()).contains(name), refused::getMessage);
            }
        }
        assertEquals(before, contents(store), "a refused store was changed");
    }

    /** Sets a version of one slot of the mark, and its checksum. */
    private static void version(Path store, int slot, int offset, int version) throws IOException {
        Path mark = store.resolve("loom.mark");
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(mark)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putShort(slot * SLOT + offset, (short) version);
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), slot * SLOT, SLOT_CRC_OFFSET);
        bytes.putInt(slot * SLOT + SLOT_CRC_OFFSET, (int) crc.getValue());
        Files.write(mark, bytes.array());
    }

    @Test
    void shouldNameBothVersionsWhenTheFormatIsNewer() throws IOException {
        for (int slots = 1; slots <= 3; slots++) {
            Path store = closedStore("newer-" + slots);
            for (int slot = 0; slot < 2; slot++) {
                if ((slots & 1 << slot) != 0) {
                    version(store, slot, MAJOR_OFFSET, 3);
                }
            }
            assertRefused(UnsupportedStoreException.class, store, "major=3", "newest supported=2", "loom.mark");
        }
    }

    private static String formatVersion(Path store) {
        try (LoomReader reader = LoomReader.attach(store)) {
            return reader.info().formatVersion();
        }
    }

    @Test
    void shouldReadANewerMinorFormat() throws IOException {
        Path store = closedStore("minor");
        version(store, 0, MINOR_OFFSET, 9);
        version(store, 1, MINOR_OFFSET, 9);
        assertArrayEquals(counts, read(store));
        assertEquals("1.9", formatVersion(store));
        open(store).close();
        assertArrayEquals(counts, read(store));
        assertEquals("1.1", formatVersion(store));
    }

    @Test
    void shouldRefuseADirectoryThatIsNoStore() throws IOException {
        Path other = Files.createDirectory(temp.resolve("other"));
        Files.writeString(other.resolve("notes.txt"), "not a store");
        assertThrows(StoreNotFoundException.class, () -> LoomReader.attach(other));
        CorruptStoreException foreign = assertThrows(CorruptStoreException.class, () -> open(other));
        assertTrue(String.valueOf(foreign.getMessage()).contains("notes.txt"), foreign::getMessage);
        assertEquals(1, contents(other).size());
        assertThrows(StoreNotFoundException.class, () -> LoomReader.attach(temp.resolve("absent")));
    }

    @Test
    void shouldRefuseAMarkThatIsNone() throws IOException {
        Path store = closedStore("mark");
        byte[] mark = Files.readAllBytes(store.resolve("loom.mark"));
        byte[] foreign = new byte[2 * SLOT];
        Arrays.fill(foreign, (byte) 'x');
        Files.write(store.resolve("loom.mark"), foreign);
        assertRefused(CorruptStoreException.class, store, "loom.mark", "7878");
        Files.write(store.resolve("loom.mark"), new byte[0]);
        assertRefused(CorruptStoreException.class, store, "loom.mark");
        mark[100] ^= 1;
        mark[SLOT + 100] ^= 1;
        Files.write(store.resolve("loom.mark"), mark);
        assertRefused(CorruptStoreException.class, store, "loom.mark");
        Files.delete(store.resolve("loom.mark"));
        CorruptStoreException lost = assertThrows(CorruptStoreException.class, () -> open(store));
        assertTrue(String.valueOf(lost.getMessage()).contains("loom.mark"), lost::getMessage);
    }

    /** Pages carry the id of their store, so those of another are damage, not records. */
    @Test
    void shouldTakeNoPageOfAnotherStore() throws IOException {
        Path other = closedStore("other");
        Path store = closedStore("store");
        String segment = "record/00000000000000000000.seg";
        Files.copy(other.resolve(segment), store.resolve(segment), StandardCopyOption.REPLACE_EXISTING);
        long[] problems = {0};
        StoreVerifier.verify(store, (file, offset, message) -> problems[0] += file.endsWith(segment) ? 1 : 0);
        assertTrue(problems[0] > 0);
        long[] found = read(store);
        assertTrue(damaged > 0 && found[0] < counts[0], () -> "what is missing is not told: damaged=" + damaged);
    }
}
