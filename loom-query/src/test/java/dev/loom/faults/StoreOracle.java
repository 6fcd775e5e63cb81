package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.query.IndexedAggregate;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Order;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Knows what a store of {@link CheckedPayload}s must hold: per source the sequences from 0 on, in order, each once. */
final class StoreOracle {
    private final long seed;
    private final int sources;

    /** As {@link CheckedPayload} lays them out, except for the order of the bytes. */
    private static final PayloadFormat FORMAT =
            Formats.parse("struct:seed:i64,source:i32,length:i32,sequence:i64,rest:bytes");

    private static final String INDEX = "sequence";

    StoreOracle(long seed, int sources) {
        this.seed = seed;
        this.sources = sources;
    }

    static String name(int source) {
        return "source-" + source;
    }

    /** The ids of the sources, defining those that are missing, and an index of each. */
    int[] define(Loom loom) {
        return IntStream.range(0, sources).map(source -> define(loom, source)).toArray();
    }

    /** The id of a source; defined, with an index, if it is missing. */
    static int define(Loom loom, int source) {
        String name = name(source);
        int id = loom.source(name).map(Source::id).orElseGet(() -> loom.defineSource(name, FORMAT));
        if (loom.indexes().stream().noneMatch(index -> index.sourceId() == id)) {
            loom.defineIndex(id, INDEX, IndexFunction.field(FORMAT, INDEX), Bins.logLinear());
        }
        return id;
    }

    /** Scans every source in both orders, and returns how many records each has. */
    long[] count(Path directory) {
        try (LoomReader reader = LoomReader.attach(directory)) {
            return count(reader);
        }
    }

    long[] count(Store store) {
        try (Snapshot snapshot = store.snapshot()) {
            return count(snapshot);
        }
    }

    long[] count(Snapshot snapshot) {
        return count(snapshot, new long[sources]);
    }

    /** As above, of a store that says of each source how many records it lost. */
    long[] count(Snapshot snapshot, long[] lost) {
        long[] counts = new long[sources];
        for (int i = 0; i < sources; i++) {
            Optional<Source> source = snapshot.source(name(i));
            counts[i] = source.isPresent() ? count(snapshot, source.get(), i, lost[i]) : 0;
        }
        return counts;
    }

    private long count(Snapshot snapshot, Source source, int number, long lost) {
        long count = 0;
        long lastTimeNs = Long.MIN_VALUE;
        try (QueryCursor cursor =
                RawScan.of(snapshot, source).order(Order.OLDEST_FIRST).open()) {
            while (cursor.next()) {
                assertEquals(count, sequence(cursor, number), "sequence, oldest first");
                assertTrue(cursor.timeNs() >= lastTimeNs, "time decreases");
                lastTimeNs = cursor.timeNs();
                count++;
            }
            Completeness complete = cursor.completeness();
            assertEquals(lost, complete.lost(), "lost by markers");
            assertTrue(lost > 0 || complete.complete(), complete::toString);
            assertEquals(0, complete.damagedPages());
        }
        Optional<Index> index = snapshot.index(source.id(), INDEX);
        if (index.isPresent()) {
            assertIndexed(snapshot, index.get(), count);
        }
        long left = count;
        try (QueryCursor cursor = RawScan.of(snapshot, source).open()) {
            while (cursor.next()) {
                assertEquals(--left, sequence(cursor, number), "sequence, newest first");
            }
        }
        assertEquals(0, left, "records missing newest first");
        assertEquals(count, snapshot.statistics(source.id()).records(), "records by statistics");
        return count;
    }

    /** Sequences begin at 0, without gaps. */
    private static void assertIndexed(Snapshot snapshot, Index index, long count) {
        IndexedAggregate.Result totals = IndexedAggregate.of(snapshot, index).run();
        assertEquals(count, totals.count(), "records by index");
        if (count > 0) {
            LongStream values = LongStream.range(0, count).map(Long::reverseBytes);
            assertEquals(values.min().orElseThrow(), totals.min().orElseThrow().longValue(), "least by index");
            long last = IndexedAggregate.of(snapshot, index)
                    .percentiles(100)
                    .run()
                    .percentile(100)
                    .orElseThrow()
                    .longValue();
            long greatest =
                    LongStream.range(0, count).map(Long::reverseBytes).max().orElseThrow();
            assertEquals(greatest, last, "greatest by bins");
        }
    }

    private long sequence(QueryCursor cursor, int number) {
        long sequence = CheckedPayload.check(seed, number, cursor.buffer(), cursor.offset(), cursor.length());
        assertEquals(CheckedPayload.length(seed, number, sequence), cursor.length());
        return sequence;
    }

    static void assertAtLeast(long[] expected, long[] found, String what) {
        for (int i = 0; i < expected.length; i++) {
            long wanted = expected[i];
            assertFalse(
                    found[i] < wanted,
                    what + ": source=" + name(i) + ", expected at least=" + wanted + ", found=" + found[i]);
        }
    }
}
