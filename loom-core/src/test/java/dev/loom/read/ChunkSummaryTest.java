package dev.loom.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LongSum;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.value.BinScale;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What directories and the chunk index hold of each chunk, against its records. */
final class ChunkSummaryTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:latency_ns:i64,id:i64");

    @TempDir
    Path directory;

    private final Random random = new Random(7);
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[16]);
    private int summaries;

    private static LoomConfig config(Path directory) {
        return LoomConfig.at(directory)
                .recordRingBytes(4 << 20)
                .timeRingBytes(1 << 20)
                .chunkRingBytes(1 << 20)
                .build();
    }

    private void push(Loom loom, int source, int count) {
        for (int i = 0; i < count; i++) {
            payload.putLong(0, (long) Math.exp(random.nextDouble() * 20), ByteOrder.LITTLE_ENDIAN);
            payload.putLong(8, i, ByteOrder.LITTLE_ENDIAN);
            assertTrue(loom.push(source, payload, 0, 16) >= 0);
        }
    }

    private static IndexFunction scaled(int factor) {
        return IndexFunction.of(
                "times" + factor,
                ValueType.I64,
                ValueUnit.NONE,
                (buffer, offset, length, value) ->
                        value.setInteger(buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN) * factor));
    }

    @Test
    void shouldSummariseEachChunkAlsoAfterReopening() {
        int source;
        try (Loom loom = Loom.open(config(directory))) {
            source = loom.defineSource("requests", FORMAT);
            int other = loom.defineSource("other", FORMAT);
            push(loom, source, 3000);
            loom.defineIndex(source, "latency_ns", IndexFunction.field(FORMAT, "latency_ns"), Bins.logLinear());
            for (int i = 0; i < 30; i++) {
                push(loom, source, 500);
                push(loom, other, 300);
            }
            check(loom, source, 1);
            assertTrue(summaries >= 5, () -> "summaries=" + summaries);
        }
        summaries = 0;
        try (Loom loom = Loom.open(config(directory))) {
            push(loom, source, 5000);
            check(loom, source, 1);
        }
        try (LoomReader reader = LoomReader.attach(directory)) {
            check(reader, source, 1);
        }
    }

    @Test
    void shouldListMoreIndexesThanAPartHolds() {
        int indexes = 1500;
        try (Loom loom = Loom.open(config(directory))) {
            int first = loom.defineSource("first", FORMAT);
            int source = loom.defineSource("requests", FORMAT);
            int last = loom.defineSource("last", FORMAT);
            for (int i = 1; i <= indexes; i++) {
                loom.defineIndex(source, "i" + i, scaled(i), Bins.match(5));
            }
            for (int i = 0; i < 4; i++) {
                push(loom, first, 10);
                push(loom, source, 2500);
                push(loom, last, 10);
            }
            check(loom, source, indexes);
            assertTrue(summaries >= 3 * indexes, () -> "summaries=" + summaries);
            assertEquals(40, loom.snapshot().statistics(last).records());
            assertEquals(10_000, loom.snapshot().statistics(source).records());
        }
    }

    private void check(Store store, int source, int count) {
        try (Snapshot snapshot = store.snapshot()) {
            List<Index> indexes = snapshot.indexes(source);
            assertEquals(count, indexes.size());
            try (SnapshotReader reader = SnapshotReader.of(snapshot);
                    ChunkCursor chunks = reader.newestFirst(source, Long.MAX_VALUE)) {
                ChunkSummary summary = reader.summary();
                while (chunks.next()) {
                    if (!chunks.listed()) {
                        assertFalse(summary.read(chunks, indexes.get(0)));
                        continue;
                    }
                    List<Long> latencies = latencies(snapshot, source, chunks.start(), chunks.end());
                    for (Index index : indexes) {
                        checkChunk(chunks, summary, index, latencies);
                    }
                }
            }
        }
    }

    private static List<Long> latencies(Snapshot snapshot, int source, long from, long to) {
        List<Long> latencies = new ArrayList<>();
        try (RecordCursor records = snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
            while (records.next() && records.address() < to) {
                if (records.address() >= from) {
                    latencies.add(records.buffer().getLong(records.offset(), ByteOrder.LITTLE_ENDIAN));
                }
            }
        }
        return latencies;
    }

    private void checkChunk(ChunkCursor chunks, ChunkSummary summary, Index index, List<Long> latencies) {
        if (!summary.read(chunks, index)) {
            assertTrue(chunks.start() <= index.fromAddress(), () -> "not listed: chunk=" + chunks.start());
            return;
        }
        summaries++;
        long factor = index.function().isLambda() ? index.id() : 1;
        BigInteger sum = BigInteger.ZERO;
        long min = Long.MAX_VALUE;
        long max = Long.MIN_VALUE;
        for (long latency : latencies) {
            long value = latency * factor;
            sum = sum.add(BigInteger.valueOf(value));
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
        assertEquals(latencies.size(), summary.count());
        assertEquals(latencies.size(), chunks.records());
        assertEquals(min, summary.minKey());
        assertEquals(max, summary.maxKey());
        LongSum total = new LongSum();
        summary.addTo(total);
        assertEquals(sum.toString(), total.toString());
        BinListReader list = new BinListReader(BinScale.of(index.bins(), ValueType.I64), ValueType.I64);
        assertTrue(summary.readBins(list));
        long count = 0;
        while (list.next()) {
            count += list.count();
            assertTrue(list.minKey() >= min && list.maxKey() <= max);
        }
        assertEquals(latencies.size(), count);
    }
}
