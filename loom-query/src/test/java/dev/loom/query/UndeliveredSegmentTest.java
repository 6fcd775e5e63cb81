package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.StorageOption;
import dev.loom.UnsyncedStorage;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.format.IndexedText;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.io.Storage;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.where.Where;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where the disk did not deliver a segment of records while indexes were rebuilt and built upon, queries say that they lack records, and
 * have them once it is delivered: no index tells that they are not there.
 */
final class UndeliveredSegmentTest {
    private static final StructFormat FORMAT = (StructFormat) Formats.parse("struct:v:i64,body:utf8,rest:bytes");
    private static final IndexFunction VALUE = IndexFunction.field(FORMAT, "v");
    private static final long SEGMENT = 2 << 16;
    private static final int RECORDS = 4_000;
    private static final String BAD = String.format("%020d.seg", 20 * SEGMENT);

    @TempDir
    Path temp;

    private final List<Long> addresses = new ArrayList<>();
    private volatile boolean fails;

    private Path store() {
        return temp.resolve("store");
    }

    private Loom open() {
        Storage disk = new UnsyncedStorage() {
            @Override
            protected void onCall(Path file) {
                if (fails && file.endsWith(Path.of("record", BAD))) {
                    throw new StoreIoException("injected: file=" + file);
                }
            }
        };
        return Loom.open(StorageOption.with(LoomConfig.at(store()), disk)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(SEGMENT)
                .textIndexShare(1)
                .build());
    }

    private void fillAndClose() {
        try (Loom loom = open()) {
            int source = loom.defineSource("source", FORMAT, Map.of(IndexedText.ATTRIBUTE, "body:words"));
            loom.defineIndex(source, "v", VALUE, Bins.linear(0, 4_000, 100));
            UnsafeBuffer payload = new UnsafeBuffer(new byte[2_200]);
            UnsafeBuffer rest = new UnsafeBuffer(new byte[2_000]);
            for (int i = 0; i < RECORDS; i++) {
                StructWriter writer = new StructWriter(FORMAT);
                writer.begin(payload, 0);
                writer.setLong(0, i);
                writer.setUtf8(1, "word w" + i);
                writer.setBytes(2, rest, 0, rest.capacity());
                addresses.add(loom.push(source, payload, 0, writer.finish()));
            }
        }
    }

    private void deleteIndexes() throws IOException {
        for (String folder : List.of("time", "chunk", "text", "rollup")) {
            for (Path file : Storage.DISK.list(store().resolve(folder))) {
                Files.delete(file);
            }
        }
    }

    private boolean isBad(int record) {
        return addresses.get(record) / SEGMENT == 20;
    }

    private List<Long> found(Snapshot snapshot, String where) {
        List<Long> found = new ArrayList<>();
        try (QueryCursor cursor = RawScan.of(snapshot, 1)
                .where(Where.parse(where))
                .use(QueryIndex.CHUNK, true)
                .use(QueryIndex.TEXT, true)
                .open()) {
            while (cursor.next()) {
                found.add(cursor.address());
            }
            assertTrue(!fails || cursor.damaged() > 0, where);
        }
        return found;
    }

    private void assertAnswers(Loom loom) {
        long count = 0;
        long sum = 0;
        try (Snapshot snapshot = loom.snapshot()) {
            for (int i = 0; i < RECORDS; i++) {
                boolean there = !(fails && isBad(i));
                count += there ? 1 : 0;
                sum += there ? i : 0;
                if (isBad(i) || i % 100 == 0) {
                    List<Long> expected = there ? List.of(addresses.get(i)) : List.of();
                    assertEquals(expected, found(snapshot, "body matches 'w" + i + "'"));
                    assertEquals(expected, found(snapshot, "v == " + i));
                }
            }
            IndexedAggregate.Result all =
                    IndexedAggregate.of(snapshot, 1, VALUE).run();
            assertEquals(count, all.count());
            assertEquals(Long.toString(sum), all.sum());
            assertEquals(!fails, all.completeness().complete());
        }
    }

    @Test
    void shouldAnswerWithoutItAndThenWithIt() throws IOException {
        fillAndClose();
        deleteIndexes();
        fails = true;
        try (Loom loom = open()) {
            assertTrue(loom.finishTextIndex((done, total) -> true));
            assertTrue(loom.finishRollups((done, total) -> true));
            assertAnswers(loom);
        }
        fails = false;
        try (Loom loom = open()) {
            assertAnswers(loom);
        }
    }
}
