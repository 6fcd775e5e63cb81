package dev.loom.query.diff;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.error.ExpiredException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.Difference;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.model.QueryMemory;
import dev.loom.query.where.Where;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Comparisons beside a writer, and while records are deleted. */
final class DiffReadingTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:ms:i64,op:i64,z:i64");
    private static final long SEGMENT = 256 << 10;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final QueryMemory memory = new QueryMemory(1 << 26);

    @TempDir
    Path directory;

    private long nowNs = 1;

    private Loom open(long bytesMax) {
        System.out.println("DiffReadingTest: -Dloom.test.seed=" + seed);
        return Loom.open(LoomConfig.at(directory.resolve("store"))
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(SEGMENT)
                .maxBytes(bytesMax)
                .minFreeBytes(0)
                // what a background thread adds would let retention delete more behind a snapshot
                .rollupShare(0)
                .clock(() -> nowNs)
                .build());
    }

    private void push(Loom loom, int source, int records) {
        UnsafeBuffer payload = new UnsafeBuffer(new byte[200]);
        for (int i = 0; i < records; i++) {
            nowNs += random.nextInt(100);
            boolean slow = random.nextInt(20) == 0;
            payload.putLong(0, slow ? 100 : 1, ByteOrder.LITTLE_ENDIAN);
            payload.putLong(8, slow ? 1 : random.nextInt(10), ByteOrder.LITTLE_ENDIAN);
            payload.putLong(16, slow && random.nextInt(3) > 0 ? 1 : random.nextInt(10), ByteOrder.LITTLE_ENDIAN);
            loom.push(source, payload, 0, 60 + random.nextInt(100));
        }
    }

    /** The number of records, of slow ones, and of those of operation 1, in both sets, by a scan without indexes. */
    private static long[] counts(Snapshot snapshot, int source) {
        long[] counts = new long[4];
        try (QueryCursor record = RawScan.of(snapshot, source)
                .use(QueryIndex.TIME, false)
                .use(QueryIndex.CHUNK, false)
                .open()) {
            while (record.next()) {
                boolean slow = record.buffer().getLong(record.offset(), ByteOrder.LITTLE_ENDIAN) > 10;
                boolean one = record.buffer().getLong(record.offset() + 8, ByteOrder.LITTLE_ENDIAN) == 1;
                counts[slow ? 0 : 1]++;
                counts[slow ? 2 : 3] += one ? 1 : 0;
            }
        }
        return counts;
    }

    private static void check(long[] counts, Difference.Result found) {
        // a combination with it may tell more in some of the data
        Difference.Finding first = found.findings().stream()
                .filter(finding ->
                        finding.where().map(Where::toString).orElse("").equals("op == 1"))
                .findFirst()
                .orElseThrow();
        assertEquals(counts[0], first.selectedOf());
        assertEquals(counts[1], first.againstOf());
        assertEquals(counts[2], first.selected());
        assertEquals(counts[3], first.against());
        assertTrue(found.isCombined());
    }

    private Difference query(Snapshot snapshot, int source, BooleanSupplier meanwhile) {
        return Difference.of(snapshot, source)
                .selected(Where.parse("ms > 10"))
                .memory(memory)
                .cancelWhen(meanwhile);
    }

    @Test
    void shouldSeeOneSnapshotInAllPasses() {
        try (Loom loom = open(1L << 30)) {
            int source = loom.defineSource("a", FORMAT);
            push(loom, source, 20_000);
            try (Snapshot snapshot = loom.snapshot()) {
                long[] counts = counts(snapshot, source);
                int[] calls = {0};
                Difference.Result found = query(snapshot, source, () -> {
                            calls[0]++;
                            push(loom, source, 50);
                            return false;
                        })
                        .run();
                assertTrue(calls[0] > 60, () -> "calls=" + calls[0]);
                check(counts, found);
                assertTrue(found.completeness().complete());
            }
            try (Snapshot snapshot = loom.snapshot()) {
                check(
                        counts(snapshot, source),
                        query(snapshot, source, () -> false).run());
            }
        }
    }

    @Test
    void shouldBeginAgainWhenRecordsAreDeletedBetweenPasses() {
        try (Loom loom = open(32 * SEGMENT)) {
            int source = loom.defineSource("a", FORMAT);
            push(loom, source, 30_000);
            loom.force();
            try (Snapshot snapshot = loom.snapshot()) {
                long before = snapshot.beginAddress();
                int[] calls = {0};
                Difference.Result found = query(snapshot, source, () -> {
                            // in the second pass
                            if (++calls[0] == 90) {
                                push(loom, source, 45_000);
                                loom.force();
                            }
                            return false;
                        })
                        .run();
                assertTrue(snapshot.beginAddress() > before, "deleted something meanwhile");
                long[] left = counts(snapshot, source);
                assertTrue(left[0] > 0 && left[0] + left[1] < 30_000, () -> "left=" + left[1]);
                check(left, found);
                assertTrue(found.completeness().expired());
                assertEquals(0, memory.reserved());
            }
        }
    }

    @Test
    void shouldGiveUpWhenEachPassLosesRecords() {
        try (Loom loom = open(32 * SEGMENT)) {
            int source = loom.defineSource("a", FORMAT);
            push(loom, source, 60_000);
            loom.force();
            try (Snapshot snapshot = loom.snapshot()) {
                int[] calls = {0};
                Difference query = query(snapshot, source, () -> {
                    if (++calls[0] % 60 == 0) {
                        push(loom, source, 3_000);
                        loom.force();
                    }
                    return false;
                });
                assertThrows(ExpiredException.class, query::run);
                assertEquals(0, memory.reserved());
                assertFalse(calls[0] == 0);
            }
        }
    }
}
