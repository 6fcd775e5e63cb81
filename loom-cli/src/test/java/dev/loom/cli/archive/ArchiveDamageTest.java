package dev.loom.cli.archive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKey;
import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.Interruption;
import dev.loom.cli.input.InputWindow;
import dev.loom.format.Formats;
import dev.loom.server.text.DataOutput;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whatever is changed in an archive is found, and no record is read that was not written. */
class ArchiveDamageTest {
    private static final long ID = 0x0123_4567_89ab_cdefL;
    private static final int RECORDS = 30;

    private static final List<Source> SOURCES = List.of(
            new Source(1, "text", Formats.text(), false, Map.of("a", "b")),
            new Source(7, "otlp.contexts", Formats.json(), true, Map.of()));

    /** An archive of several blocks: the last record is longer than a block. */
    private static byte[] archive(int lastLength) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutput out = new DataOutput(bytes, false);
        ArchiveSchema schema = new ArchiveSchema("web1", 4711, Long.MIN_VALUE, 1_000, SOURCES, Set.of(7), List.of());
        ArchiveWriter writer = new ArchiveWriter(out, ID, schema);
        for (int i = 0; i < RECORDS; i++) {
            byte[] payload = payload(i);
            writer.write(i % 2 == 0 ? 1 : 7, i * 10L, new UnsafeBuffer(payload), 0, payload.length);
        }
        if (lastLength > 0) {
            byte[] payload = new byte[lastLength];
            new Random(1).nextBytes(payload);
            writer.write(1, RECORDS * 10L, new UnsafeBuffer(payload), 0, payload.length);
            writer.write(1, RECORDS * 10L, new UnsafeBuffer(payload), 0, 1);
        }
        writer.end(0, Map.of(1, 3L));
        out.flush();
        return bytes.toByteArray();
    }

    private static byte[] payload(int i) {
        return ("record " + i + " ".repeat(i % 5)).repeat(i % 3).getBytes(StandardCharsets.UTF_8);
    }

    /** Reads all records; requires that each is the one that was written there. */
    private static int read(byte[] archive) throws IOException {
        InputWindow window = new InputWindow(new ByteArrayInputStream(archive), new Interruption());
        int records = 0;
        try (window;
                ArchiveReader reader = new ArchiveReader("x.loom", window, new Interruption())) {
            while (reader.next()) {
                if (records < RECORDS) {
                    assertEquals(records % 2 == 0 ? 1 : 7, reader.sourceId());
                    assertEquals(records * 10L, reader.timeNs());
                    assertEquals(
                            new String(payload(records), StandardCharsets.UTF_8),
                            new String(reader.array(), reader.offset(), reader.length(), StandardCharsets.UTF_8));
                }
                records++;
            }
            assertEquals(SOURCES, reader.schema().sources());
            assertEquals(Set.of(7), reader.schema().carried());
            assertTrue(reader.end() != null);
        }
        return records;
    }

    private static String failure(byte[] archive) {
        CommandFailure failure = assertThrows(CommandFailure.class, () -> read(archive));
        assertEquals(ExitCode.STORE, failure.exitCode());
        assertTrue(failure.getMessage().contains("file=x.loom"), failure.getMessage());
        return failure.getMessage();
    }

    @Test
    void shouldReadWhatIsWhole() throws IOException {
        assertEquals(RECORDS, read(archive(0)));
        assertEquals(RECORDS + 2, read(archive(3 << 20)));
        assertEquals(RECORDS + 2, read(archive(ArchiveDescriptor.PAYLOAD_LENGTH_MAX)));
    }

    @Test
    void shouldFindEveryTruncation() {
        byte[] whole = archive(0);
        for (int length = 0; length < whole.length; length++) {
            String message = failure(Arrays.copyOf(whole, length));
            assertTrue(message.startsWith("archive is truncated"), message);
            assertTrue(message.contains("offset=" + length), message);
        }
        System.out.println("row=R7 faults=" + whole.length + " checked=0 seed=0");
    }

    @Test
    void shouldFindEveryFlippedBit() {
        byte[] whole = archive(0);
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            failure(flipped);
        }
        System.out.println("row=R8 faults=" + whole.length * 8 + " checked=0 seed=0");
    }

    @Test
    void shouldFindBytesAfterTheEndAndBlocksOutOfPlace() {
        byte[] whole = archive(600_000);
        assertTrue(failure(Arrays.copyOf(whole, whole.length + 1)).contains("something follows the end"));
        List<byte[]> blocks = blocks(whole);
        assertTrue(blocks.size() >= 4);
        for (int i = 1; i < blocks.size(); i++) {
            List<byte[]> doubled = new ArrayList<>(blocks);
            doubled.add(i, blocks.get(i));
            failure(join(doubled));
            List<byte[]> without = new ArrayList<>(blocks);
            without.remove(i);
            failure(join(without));
        }
        List<byte[]> swapped = new ArrayList<>(blocks);
        swapped.set(2, blocks.get(3));
        swapped.set(3, blocks.get(2));
        assertTrue(failure(join(swapped)).contains("missing or comes twice"));
    }

    /** The header, and each block. */
    private static List<byte[]> blocks(byte[] archive) {
        List<byte[]> blocks = new ArrayList<>();
        blocks.add(Arrays.copyOf(archive, 24));
        ByteBuffer bytes = ByteBuffer.wrap(archive).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 24; at < archive.length; ) {
            int length = 20 + bytes.getInt(at + 8);
            blocks.add(Arrays.copyOfRange(archive, at, at + length));
            at += length;
        }
        return blocks;
    }

    private static byte[] join(List<byte[]> parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        parts.forEach(joined::writeBytes);
        return joined.toByteArray();
    }

    private static byte[] ofVersion(int major, int minor) {
        byte[] archive = archive(0);
        archive[8] = (byte) major;
        archive[9] = (byte) minor;
        CRC32C checksum = new CRC32C();
        checksum.update(archive, 0, 12);
        checksum.update(archive, 16, 8);
        ByteBuffer.wrap(archive).order(ByteOrder.LITTLE_ENDIAN).putInt(12, (int) checksum.getValue());
        return archive;
    }

    @Test
    void shouldReadEveryMinor() throws IOException {
        assertArrayEquals(ofVersion(1, 0), archive(0));
        for (int major = 1; major <= 2; major++) {
            assertEquals(RECORDS, read(ofVersion(major, 0)));
            assertEquals(RECORDS, read(ofVersion(major, 9)));
        }
    }

    /** An older program refuses it by its version, and must not take it for damaged. */
    @Test
    void shouldRaiseTheMajorOnlyForIndexesThatKeepValuesOrKeys() {
        assertEquals(1, major(Bins.logLinear(), null));
        assertEquals(2, major(Bins.logLinear().withValues(), null));
        assertEquals(2, major(Bins.logLinear(), IndexKey.ofKind(Formats.json(), "value by zone")));
    }

    private static int major(Bins bins, @Nullable IndexKey key) {
        IndexFunction function = IndexFunction.parse("field:i64:1:n", Formats.json());
        Index index = new Index(1, 7, "n", Index.Kind.VALUE, function, bins, 0, false, key);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutput out = new DataOutput(bytes, false);
        new ArchiveWriter(out, ID, new ArchiveSchema("web1", 4711, 0, 1_000, SOURCES, Set.of(), List.of(index)));
        out.flush();
        return bytes.toByteArray()[8];
    }

    @Test
    void shouldTellANewerVersionFromDamageAndFromOtherFiles() {
        assertTrue(failure(ofVersion(3, 4))
                .startsWith("archive is of a newer version: file=x.loom, version=3.4, known=1.x and 2.x"));
        assertTrue(failure("ts,op,latency\n1,GET,5\n".getBytes(StandardCharsets.UTF_8))
                .startsWith("not a Loom archive"));
    }

    /** A block whose checksum is right, as someone writes who means harm. */
    private static byte[] block(int type, int coding, int number, int plainLength, byte[] stored) {
        ByteBuffer block = ByteBuffer.allocate(20 + stored.length).order(ByteOrder.LITTLE_ENDIAN);
        block.put((byte) type).put((byte) coding).putShort((short) 0).putInt(number);
        block.putInt(stored.length).putInt(plainLength);
        CRC32C checksum = new CRC32C();
        checksum.update(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, ID));
        checksum.update(block.array(), 0, 16);
        checksum.update(stored);
        return block.putInt((int) checksum.getValue()).put(stored).array();
    }

    @Test
    void shouldNotBelieveWhatALiarWrites() {
        List<byte[]> whole = blocks(archive(0));
        byte[] zeros = new byte[8];
        List<byte[]> lies = List.of(
                block(2, 0, 1, Integer.MAX_VALUE, zeros),
                block(2, 0, 1, -1, zeros),
                block(2, 1, 1, 17 << 20, zeros),
                block(2, 1, 1, 4096, new byte[] {(byte) 0xff, -1, -1, -1, 0, 0, 0, 0}),
                block(2, 9, 1, 8, zeros),
                // a payload longer than the block, an unknown source, an unknown flag, a slot that is empty
                block(2, 0, 1, 14, record(0, 1, 0, 100, 1, 2)),
                block(2, 0, 1, 12, record(0, 9, 0, 0)),
                block(2, 0, 1, 12, record(64, 1, 0, 0)),
                block(2, 0, 1, 13, record(4, 1, 0, 0, 0)),
                block(2, 0, 1, 12, record(8, 1, 0, 0)),
                // numbers without an end
                block(2, 0, 1, 21, record(0, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)),
                block(3, 0, 1, 4, new byte[] {1, 0, 0, 0}),
                block(3, 0, 1, 6, new byte[] {0, 0, 0, 1, 9, 1}),
                block(1, 0, 1, 3, new byte[] {2, 100, 0}),
                block(1, 0, 1, 4, new byte[] {3, 2, 9, 0}));
        for (byte[] lie : lies) {
            failure(join(List.of(whole.get(0), whole.get(1), lie)));
        }
    }

    private static byte[] record(int... bytes) {
        byte[] block = new byte[8 + bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            block[8 + i] = (byte) bytes[i];
        }
        return block;
    }

    @Test
    void shouldSurviveRandomBytesWithRightChecksums() throws IOException {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("ArchiveDamageTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        List<byte[]> whole = blocks(archive(0));
        for (int i = 0; i < 2_000; i++) {
            byte[] body = new byte[1 + random.nextInt(200)];
            random.nextBytes(body);
            if (random.nextBoolean()) {
                // records of small numbers, so that many of them make sense
                for (int j = 0; j < body.length; j++) {
                    body[j] = (byte) random.nextInt(9);
                }
            }
            int coding = random.nextInt(2);
            int type = 1 + random.nextInt(4);
            byte[] block = block(type, coding, 1, coding == 0 ? body.length : body.length * 3, body);
            try {
                drain(join(List.of(whole.get(0), whole.get(1), block)));
            } catch (CommandFailure e) {
                assertEquals(ExitCode.STORE, e.exitCode(), e::getMessage);
            } catch (RuntimeException e) {
                throw new AssertionError("seed=" + seed, e);
            }
        }
    }

    private static void drain(byte[] archive) throws IOException {
        InputWindow window = new InputWindow(new ByteArrayInputStream(archive), new Interruption());
        try (window;
                ArchiveReader reader = new ArchiveReader("x.loom", window, new Interruption())) {
            int length = 0;
            while (reader.next()) {
                length += reader.length();
            }
            assertTrue(length >= 0);
        }
    }

    /** Archives that are small where they are stored and would not be in memory, and counts whose sum is none. */
    @Test
    void shouldRefuseWhatNoStoreHas() {
        List<Source> long600 = IntStream.rangeClosed(1, 600)
                .mapToObj(i -> new Source(i, "s" + i, Formats.text(), false, Map.of("a", "x".repeat(1 << 18))))
                .toList();
        assertRefused("schema is too long", long600, List.of(), Map.of());
        List<Index> indexes = Collections.nCopies(
                65_536,
                new Index(
                        1,
                        1,
                        "n",
                        Index.Kind.VALUE,
                        IndexFunction.parse("field:i64:1:n", Formats.json()),
                        Bins.logLinear(),
                        0,
                        false,
                        null));
        assertRefused(
                "too many indexes", List.of(new Source(1, "j", Formats.json(), false, Map.of())), indexes, Map.of());
        assertRefused("losses are impossible", SOURCES, List.of(), Map.of(1, Long.MAX_VALUE, 7, Long.MAX_VALUE));
        assertRefused("losses are impossible", SOURCES, List.of(), Map.of(1, 1L << 53, 7, 1L));
    }

    private static void assertRefused(
            String message, List<Source> sources, List<Index> indexes, Map<Integer, Long> lost) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutput out = new DataOutput(bytes, false);
        ArchiveSchema schema = new ArchiveSchema("web1", 4711, 0, 1_000, sources, Set.of(), indexes);
        new ArchiveWriter(out, ID, schema).end(0, lost);
        out.flush();
        InputWindow window = new InputWindow(new ByteArrayInputStream(bytes.toByteArray()), new Interruption());
        CommandFailure e = assertThrows(CommandFailure.class, () -> {
            try (window;
                    ArchiveReader reader = new ArchiveReader("x.loom", window, new Interruption())) {
                reader.next();
            }
        });
        assertTrue(String.valueOf(e.getMessage()).contains(message), e::getMessage);
    }
}
