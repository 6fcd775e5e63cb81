package dev.loom.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Archives that earlier versions have written, with what was pushed before as text: this version imports them whole. {@code
 * -Dloom.golden=archives} adds those of the versions that are written now; docs/format.md says when.
 */
class GoldenArchiveTest {
    private static final Path GOLDEN = Path.of("src/test/resources/golden/archives");
    private static final long START_NS = 1_700_000_000_000_000_000L;
    private static final PayloadFormat REQUESTS = Formats.struct("wait_ns:i64,cost:i64,zone:u8");

    @TempDir
    Path temp;

    private long now = START_NS;
    private final List<String> records = new ArrayList<>();

    static List<String> archives() throws IOException {
        try (Stream<Path> files = Files.list(GOLDEN)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".loom"))
                    .sorted()
                    .toList();
        }
    }

    private static String version(Path archive) throws IOException {
        byte[] bytes = Files.readAllBytes(archive);
        return bytes[8] + "." + bytes[9];
    }

    private static String record(String source, long timeNs, byte[] payload, String referred) {
        CRC32 crc = new CRC32();
        crc.update(payload);
        return "record " + source + " " + timeNs + " " + payload.length + " " + Long.toHexString(crc.getValue())
                + (referred.isEmpty() ? "" : " refers to " + referred);
    }

    /** What a store has of an archive: everything but addresses and ids. */
    private static List<String> answers(Path store) {
        List<String> lines = new ArrayList<>();
        TreeMap<Long, String> byAddress = new TreeMap<>();
        TreeMap<Long, Long> references = new TreeMap<>();
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (Source source : snapshot.sources()) {
                lines.add("source " + source.name() + " " + source.format().text() + " closed=" + source.closed() + " "
                        + new TreeMap<>(source.attributes()) + " lost="
                        + snapshot.statistics(source.id()).lost());
                for (Index index : snapshot.indexes(source.id())) {
                    lines.add("index " + index.name() + " " + index.kindText() + " "
                            + index.function().text() + " " + index.bins().text());
                }
                boolean refers = source.format().referredFormat() != null;
                try (RecordCursor cursor = snapshot.oldestFirst(source.id(), Long.MIN_VALUE, Long.MAX_VALUE)) {
                    while (cursor.next()) {
                        byte[] payload = new byte[cursor.length()];
                        cursor.buffer().getBytes(cursor.offset(), payload);
                        if (refers) {
                            ByteBuffer bytes = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
                            int at = source.format().referenceOffset();
                            references.put(cursor.address(), bytes.getLong(at) & -8);
                            bytes.putLong(at, bytes.getLong(at) & 7);
                        }
                        byAddress.put(cursor.address(), record(source.name(), cursor.timeNs(), payload, ""));
                    }
                    assertEquals(0, cursor.damaged());
                }
            }
        }
        byAddress.forEach((address, line) -> {
            Long reference = references.get(address);
            lines.add(reference == null ? line : line + " refers to " + byAddress.get(reference));
        });
        return lines;
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private long push(Loom loom, int source, byte[] payload) {
        return push(loom, source, payload, payload, "");
    }

    /** @param plain the payload without an address */
    private long push(Loom loom, int source, byte[] payload, byte[] plain, String referred) {
        now += records.size() % 3 * 1_000L;
        records.add(record(loom.sources().get(source - 1).name(), now, plain, referred));
        return loom.push(source, payload);
    }

    private static byte[] span(long reference) {
        byte[] name = text("GET /");
        return ByteBuffer.allocate(Long.BYTES + 2 + name.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(reference)
                .put((byte) (5 << 3 | 2))
                .put((byte) name.length)
                .put(name)
                .array();
    }

    private static byte[] request(int n) {
        return ByteBuffer.allocate(17)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(n * 37L % 1_000)
                .putLong(1_000 - n % 251)
                .put((byte) (n % 3))
                .array();
    }

    private static byte[] incompressible() {
        byte[] bytes = new byte[5_000];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    /** Exports a store with sources and indexes of each kind. */
    private Path export(boolean keeping) {
        Path store = temp.resolve(keeping ? "keeping" : "plain");
        try (Loom loom = Loom.open(
                LoomConfig.at(store).clock(() -> now).recordRingBytes(2 << 20).build())) {
            PayloadFormat timed = Formats.parse("timed:struct:code:i64");
            loom.defineSource("app", Formats.text(), Map.of("host", "größer", "unit", "ns"));
            loom.defineSource("docs", Formats.json());
            loom.defineSource("events", timed);
            loom.defineSource("requests", REQUESTS);
            loom.defineSource("otlp.contexts", Formats.parse("otlp-context"));
            loom.defineSource("spans", Formats.parse("otlp-span"));
            loom.defineSource("raw", Formats.bytes());
            loom.defineSource("empty", Formats.bytes());
            loom.defineIndex(2, "n", IndexFunction.field(Formats.json(), "n"), Bins.linear(0, 100, 7));
            loom.defineEventTimeIndex(3, "event-time", IndexFunction.field(timed, "event_time"));
            loom.defineIndex(4, "zone", IndexFunction.field(REQUESTS, "zone"), Bins.match(2));
            if (keeping) {
                IndexFunction wait = IndexFunction.field(REQUESTS, "wait_ns");
                loom.defineIndex(4, "wait_ns", wait, Bins.logLinear().withValues());
                IndexFunction cost = IndexFunction.field(REQUESTS, "cost");
                loom.defineIndex(4, "cost", cost, Bins.logLinear(), List.of("zone"));
            }
            push(loom);
            loom.closeSource(7);
            loom.closeSource(8);
        }
        Path archive = temp.resolve(store.getFileName() + ".loom");
        Cli.on(store).run("export", "--output", archive.toString()).ok();
        return archive;
    }

    private void push(Loom loom) {
        byte[] context = {10, 0};
        long address = push(loom, 5, context);
        String referred = records.get(0);
        for (int i = 0; i < 60; i++) {
            push(loom, 1, text("line " + i));
            push(loom, 2, text("{\"n\":" + i + ".5}"));
            push(loom, 3, ByteBuffer.allocate(16).putLong(i).putLong(-i).array());
            push(loom, 4, request(i));
            if (i % 9 == 0) {
                push(loom, 6, span(address | 1), span(1), referred);
            }
        }
        push(loom, 7, new byte[0]);
        push(loom, 7, incompressible());
        push(loom, 7, new byte[300_000]);
        push(loom, 7, text("in the next block"));
        loom.noteLoss(7, LossReason.STORE_FULL, 12);
        push(loom, 1, text("last"));
    }

    /** Keeps an archive with what its store has, which must be what was pushed. */
    private void keep(boolean keeping) throws IOException {
        Path archive = export(keeping);
        List<String> answers = answers(temp.resolve(keeping ? "keeping" : "plain"));
        assertEquals(
                records,
                answers.stream().filter(line -> line.startsWith("record ")).toList());
        records.clear();
        now = START_NS;
        String version = version(archive);
        Files.createDirectories(GOLDEN);
        Files.copy(
                archive, GOLDEN.resolve(version + ".loom")); // fails if it is there: golden archives stay as they are
        Files.writeString(GOLDEN.resolve(version + ".txt"), String.join("\n", answers) + "\n");
    }

    @ParameterizedTest
    @MethodSource("archives")
    void shouldImportWhatTheVersionThatWroteItHad(String name) throws IOException {
        Path archive = GOLDEN.resolve(name);
        assertEquals(name, version(archive) + ".loom");
        Path store = temp.resolve("store");
        Cli.Result imported = Cli.onSmallStore(store)
                .run("import", "--format", "archive", archive.toString())
                .ok();
        assertTrue(imported.err().contains("lost=12"), imported.err());
        String expected = Files.readString(archive.resolveSibling(name.replace(".loom", ".txt")));
        assertEquals(expected, String.join("\n", answers(store)) + "\n");
        System.out.println("row=R27 faults=1 checked=" + expected.lines().count() + " seed=0 archive=" + name);
    }

    @Test
    void shouldHaveArchivesOfTheVersionsThatAreWritten() throws IOException {
        if (System.getProperty("loom.golden", "").equals("archives")) {
            keep(false);
            keep(true);
            return;
        }
        for (boolean keeping : new boolean[] {false, true}) {
            String version = version(export(keeping));
            assertEquals(keeping ? "2.0" : "1.0", version);
            assertTrue(archives().contains(version + ".loom"), version);
        }
    }
}
