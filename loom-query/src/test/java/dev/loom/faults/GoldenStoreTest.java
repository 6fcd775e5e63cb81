package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store of two sessions that an earlier version has written: every later one reads it. What it must hold is computed
 * here, and never read from it. {@link GoldenAnswersTest} has stores of every type of file.
 */
class GoldenStoreTest {
    private static final Path FILE = Path.of("src/test/resources/golden/format-1.0.zip");
    private static final long START_NS = 1_700_000_000_000_000_000L;
    private static final int RECORDS = 1_200;
    private static final int LONG_RECORD = 700;
    private static final int CLOSED_FROM = 900;
    private static final List<String> FORMATS =
            List.of("bytes", "text", "json", "struct:latency_ns:i64,ok:u8,key:utf8");

    @TempDir
    Path temp;

    private Path store = Path.of("");

    private static int source(int record) {
        int source = record % 7 == 0 ? 3 : record % 3;
        return source == 1 && record >= CLOSED_FROM ? 0 : source;
    }

    private static byte[] payload(int record) {
        byte[] payload = new byte[record == LONG_RECORD ? 100_000 : record * 37 % 200];
        for (int i = 0; i < payload.length; i++) {
            payload[i] = (byte) (record + (i >>> 6));
        }
        return payload;
    }

    private static long timeNs(int record) {
        return START_NS + record / 2 * 1_000L;
    }

    @BeforeEach
    void unpack() throws IOException {
        store = temp.resolve("store");
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(FILE))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path target = store.resolve(entry.getName());
                Files.createDirectories(target.getParent());
                Files.write(target, zip.readAllBytes());
            }
        }
    }

    private static void check(Store store) {
        try (Snapshot snapshot = store.snapshot()) {
            for (int i = 0; i < FORMATS.size(); i++) {
                Source source = snapshot.source("source-" + i).orElseThrow();
                assertEquals(FORMATS.get(i), source.format().text());
                assertEquals(Map.of("number", "" + i), source.attributes());
                assertEquals(i == 1, source.closed());
                List<Integer> expected = new ArrayList<>();
                for (int record = 0; record < RECORDS; record++) {
                    if (source(record) == i) {
                        expected.add(record);
                    }
                }
                assertEquals(expected.size(), snapshot.statistics(source.id()).records());
                check(RawScan.of(snapshot, source).order(Order.OLDEST_FIRST), expected);
                Collections.reverse(expected);
                check(RawScan.of(snapshot, source), expected);
            }
        }
    }

    private static void check(RawScan scan, List<Integer> expected) {
        try (QueryCursor cursor = scan.open()) {
            for (int record : expected) {
                assertTrue(cursor.next());
                byte[] payload = new byte[cursor.length()];
                cursor.buffer().getBytes(cursor.offset(), payload);
                assertArrayEquals(payload(record), payload);
                assertEquals(timeNs(record), cursor.timeNs());
            }
            assertFalse(cursor.next());
            assertTrue(cursor.completeness().complete());
        }
    }

    @Test
    void shouldReadWhatAnEarlierVersionWrote() {
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader);
            assertEquals("1.0", reader.info().formatVersion());
        }
        assertEquals(
                0, StoreVerifier.verify(store, (file, offset, message) -> {}).problems());
    }

    @Test
    void shouldGoOnWithWhatAnEarlierVersionWrote() {
        for (int session = 0; session < 2; session++) {
            try (Loom loom = Loom.open(PushingProcess.config(store).build())) {
                check(loom);
                assertEquals("1.1", loom.info().formatVersion());
                int id = loom.defineSource("later-" + session, Formats.parse("bytes"));
                assertTrue(loom.push(id, payload(LONG_RECORD)) > 0);
                check(loom);
            }
        }
        assertEquals(
                0, StoreVerifier.verify(store, (file, offset, message) -> {}).problems());
    }
}
