package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.ProgressiveCount;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.TopRecords;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.where.Where;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segment files that somebody deleted while the store was closed, to make room. */
final class DeletedSegmentTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:value:i64,rest:bytes");
    private static final int SEGMENT_BYTES = 256 << 10;
    private static final int RECORDS = 20_000;
    private static final int LENGTH = 64;

    @TempDir
    Path temp;

    private Path store;

    @BeforeEach
    void write() {
        store = temp.resolve("store");
        UnsafeBuffer payload = new UnsafeBuffer(new byte[LENGTH]);
        try (Loom loom = open()) {
            int source = loom.defineSource("source", FORMAT);
            loom.defineIndex(source, "value", IndexFunction.field(FORMAT, "value"), Bins.logLinear());
            for (int i = 0; i < RECORDS; i++) {
                payload.putLong(0, i);
                loom.push(source, payload, 0, LENGTH);
            }
        }
    }

    private Loom open() {
        return Loom.open(LoomConfig.at(store)
                .segmentBytes(SEGMENT_BYTES)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .build());
    }

    private void delete(String folder, int files) throws IOException {
        try (Stream<Path> all = Files.list(store.resolve(folder))) {
            for (Path file : all.sorted().limit(files).toList()) {
                Files.delete(file);
            }
        }
    }

    /** What an index knows of records that can't be read must not keep others from an answer. */
    @Test
    void shouldFindTheSmallestOfWhatADamagedPageLeaves() throws IOException {
        Path first;
        try (Stream<Path> all = Files.list(store.resolve("record"))) {
            first = all.sorted().findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(first);
        bytes[1_000] ^= 1; // within the page of the smallest values
        Files.write(first, bytes);
        List<Long> found = new ArrayList<>();
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (boolean indexed : new boolean[] {false, true}) {
                try (TopRecords.Cursor top = TopRecords.of(
                                snapshot, snapshot.indexes(1).get(0), 1)
                        .smallest()
                        .use(QueryIndex.CHUNK, indexed)
                        .open()) {
                    assertTrue(top.next(), "indexed=" + indexed);
                    found.add(top.value().longValue());
                    assertEquals(1, top.completeness().damagedPages());
                }
            }
        }
        assertEquals(found.get(0), found.get(1));
    }

    /** Nor may other records of the chunks that are read take their places. */
    @Test
    void shouldFindTheSmallestOfOtherChunksBesideADamagedPage() throws IOException {
        store = temp.resolve("sparse");
        UnsafeBuffer payload = new UnsafeBuffer(new byte[LENGTH]);
        try (Loom loom = open()) {
            int source = loom.defineSource("source", FORMAT);
            loom.defineIndex(source, "value", IndexFunction.field(FORMAT, "value"), Bins.logLinear());
            for (int i = 0; i < RECORDS; i++) {
                payload.putLong(0, i % 1_000 == 0 ? i : 1_000_000);
                loom.push(source, payload, 0, LENGTH);
            }
        }
        Path first;
        try (Stream<Path> all = Files.list(store.resolve("record"))) {
            first = all.sorted().findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(first);
        bytes[1_000] ^= 1;
        Files.write(first, bytes);
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (boolean indexed : new boolean[] {false, true}) {
                List<Long> found = new ArrayList<>();
                try (TopRecords.Cursor top = TopRecords.of(
                                snapshot, snapshot.indexes(1).get(0), 3)
                        .smallest()
                        .use(QueryIndex.CHUNK, indexed)
                        .open()) {
                    while (top.next()) {
                        found.add(top.value().longValue());
                    }
                }
                assertEquals(List.of(1_000L, 2_000L, 3_000L), found, "indexed=" + indexed);
            }
        }
    }

    private static void check(Store opened, long begin) {
        try (Snapshot snapshot = opened.snapshot()) {
            assertEquals(begin, snapshot.beginAddress());
            long[] scanned = {0};
            try (QueryCursor cursor = RawScan.of(snapshot, 1).open()) {
                cursor.forEach((timeNs, buffer, offset, length) -> scanned[0]++);
                assertTrue(cursor.expired());
                assertEquals(0, cursor.damaged());
            }
            assertTrue(scanned[0] > 0 && scanned[0] < RECORDS);
            List<Index> indexes = snapshot.indexes(1);
            for (boolean indexed : new boolean[] {true, false}) {
                IndexedAggregate.Result aggregate = IndexedAggregate.of(snapshot, indexes.get(0))
                        .use(QueryIndex.CHUNK, indexed)
                        .run();
                assertEquals(scanned[0], aggregate.count(), "indexed=" + indexed);
                assertEquals(RECORDS - scanned[0], aggregate.min().orElseThrow().longValue(), "indexed=" + indexed);
                assertTrue(aggregate.completeness().expired(), "indexed=" + indexed);
            }
        }
    }

    @Test
    void shouldNotCountRecordsWhoseSegmentsWereDeleted() throws Exception {
        delete("record", 2);
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader, 2 * SEGMENT_BYTES);
        }
        for (int i = 0; i < 2; i++) {
            try (Loom loom = open()) {
                check(loom, 2 * SEGMENT_BYTES);
            }
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader, 2 * SEGMENT_BYTES);
        }
    }

    @Test
    void shouldNotCountThemWhenIndexesWentWithThem() throws Exception {
        delete("record", 2);
        delete("time", 1);
        delete("chunk", 1);
        try (LoomReader reader = LoomReader.attach(store)) {
            check(reader, 2 * SEGMENT_BYTES);
        }
        try (Loom loom = open()) {
            check(loom, 2 * SEGMENT_BYTES);
        }
    }

    @Test
    void shouldSayThatRecordsAreMissingWhoseSegmentIsNotTheOldest() throws Exception {
        Path middle = store.resolve("record/%020d.seg".formatted(2 * SEGMENT_BYTES));
        Files.delete(middle);
        try (LoomReader reader = LoomReader.attach(store)) {
            checkMiddle(reader);
        }
        try (Loom loom = open()) {
            checkMiddle(loom);
        }
    }

    @Test
    void shouldSayThatRecordsAreMissingWhoseSegmentGoesBetweenTheRoundsOfACount() throws Exception {
        UnsafeBuffer payload = new UnsafeBuffer(new byte[LENGTH]);
        try (Loom loom = open()) {
            for (int i = 0; i < 3 * RECORDS; i++) { // a sample takes 32 chunks
                loom.push(1, payload, 0, LENGTH);
            }
        }
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            boolean[] deleted = {false};
            ProgressiveCount.Counts counts = ProgressiveCount.of(snapshot, 1)
                    .where(Where.parse("value != 5"))
                    .use(QueryIndex.CHUNK, false)
                    .firstSample(1)
                    .run(round -> {
                        if (!deleted[0]) {
                            deleted[0] = true;
                            deleteUnchecked(2 * SEGMENT_BYTES);
                        }
                        return true;
                    });
            assertTrue(deleted[0]);
            long there = counts.count();
            assertTrue(there < 4 * RECORDS - 1 && there > 3 * RECORDS, "count=" + there);
            assertFalse(counts.completeness().complete());
            assertTrue(counts.completeness().damagedPages() > 0);
        }
    }

    private void deleteUnchecked(long begin) {
        try {
            Files.delete(store.resolve("record/%020d.seg".formatted(begin)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void checkMiddle(Store opened) {
        try (Snapshot snapshot = opened.snapshot()) {
            long[] scanned = {0};
            Completeness scan = RawScan.of(snapshot, 1).forEach((timeNs, buffer, offset, length) -> scanned[0]++);
            assertTrue(scanned[0] > 0 && scanned[0] < RECORDS);
            assertTrue(scan.damagedPages() > 0);
            for (boolean indexed : new boolean[] {true, false}) {
                IndexedAggregate.Result aggregate = IndexedAggregate.of(
                                snapshot, snapshot.indexes(1).get(0))
                        .use(QueryIndex.CHUNK, indexed)
                        .percentiles(50)
                        .run();
                assertEquals(scanned[0], aggregate.count(), "indexed=" + indexed);
                assertTrue(aggregate.completeness().damagedPages() > 0, "indexed=" + indexed);
                assertFalse(aggregate.completeness().complete(), "indexed=" + indexed);
            }
        }
    }
}
