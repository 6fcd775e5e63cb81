package dev.loom.faults;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.Recorder;
import dev.loom.StoreVerifier;
import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.Eviction;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LongSum;
import dev.loom.api.LossReason;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.read.BinListReader;
import dev.loom.read.ChunkCursor;
import dev.loom.read.ChunkSummary;
import dev.loom.read.SnapshotReader;
import dev.loom.value.BinScale;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A store's writer, or a recorder, some of whose allocations fail, and what must hold all the same. Loaded by {@link
 * AllocationFaultsLoader}, and so known to the test as a function alone: of a folder and {@code writer}, {@code
 * recorder} or {@code definer}; it gives what is wrong.
 */
public final class AllocationScenario implements BiFunction<Path, String, List<String>> {
    private static final PayloadFormat FORMAT = Formats.parse("struct:sequence:i64,value:i64");
    private static final IndexFunction OWN =
            IndexFunction.of("own", ValueType.I64, ValueUnit.NONE, (b, o, l, v) -> v.setInteger(b.getLong(o + 8)));
    private static final int SOURCES = 20;
    private static final int INDEXED = 3;
    private static final int RECORDS = 5_000;
    private static final int LENGTH = 16;
    private static final int JUMBO_LENGTH = 70_000;

    private final List<String> wrong = new ArrayList<>();
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[JUMBO_LENGTH]);
    /** By source, the sequence numbers of what was acknowledged. */
    private final List<List<Long>> acknowledged = new ArrayList<>();

    private final int[] sources = new int[SOURCES];
    private long sequence;
    private int failures;
    private long lost;
    private int summaries;

    /** A record as it is read. */
    private record Stored(long address, long sequence, long value) {}

    @Override
    public List<String> apply(Path directory, String role) {
        LoomConfig config = LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(1 << 18)
                .durabilityInterval(Duration.ofMillis(5))
                .eviction(Eviction.PAGE_CACHE)
                .indexFunction(OWN)
                .build();
        try {
            Loom loom = Loom.open(config);
            define(loom);
            if (role.equals("recorder")) {
                record(loom);
            } else if (role.equals("definer")) {
                defineAgain(loom);
            } else {
                write(loom);
            }
        } finally {
            AllocationFaults.arm(false);
        }
        try (Loom loom = Loom.open(config)) {
            push(loom, 0, LENGTH);
            expect(acknowledged.get(0).contains(sequence - 1), "a record was not taken");
            check(loom, "opened again");
        }
        StoreVerifier.verify(
                directory, (file, offset, message) -> wrong.add(file.getFileName() + ": " + offset + ": " + message));
        return wrong;
    }

    private void expect(boolean holds, String what) {
        if (!holds) {
            wrong.add(what);
        }
    }

    private void define(Loom loom) {
        IndexFunction value = IndexFunction.field(FORMAT, "value");
        for (int i = 0; i < SOURCES; i++) {
            sources[i] = loom.defineSource("source-" + i, FORMAT);
            acknowledged.add(new ArrayList<>());
            if (i < INDEXED) {
                loom.defineIndex(sources[i], "log", value, Bins.logLinear());
                loom.defineIndex(sources[i], "linear", value, Bins.linear(0, 1 << 16, 1 << 16));
                loom.defineIndex(sources[i], "own", OWN, Bins.logLinear(0));
            }
        }
    }

    /** The next value is further from the others in each chunk, so that there are more bins. */
    private void fill(int offset) {
        payload.putLong(offset, sequence, ByteOrder.LITTLE_ENDIAN);
        payload.putLong(offset + 8, (sequence * 7_919) % (8L << (sequence / 500)), ByteOrder.LITTLE_ENDIAN);
        sequence++;
    }

    private void push(Loom loom, int source, int length) {
        fill(0);
        try {
            if (loom.push(sources[source], payload, 0, length) >= 0) {
                acknowledged.get(source).add(sequence - 1);
            }
        } catch (OutOfMemoryError e) {
            failures++;
        }
    }

    private void claim(Loom loom, int source) {
        fill(0);
        try {
            loom.claim(sources[source], LENGTH);
            loom.claimed().buffer().putBytes(loom.claimed().offset(), payload, 0, LENGTH);
            loom.claimed().commit();
            acknowledged.get(source).add(sequence - 1);
        } catch (OutOfMemoryError e) {
            failures++;
        }
    }

    private void offerBatch(Loom loom, int source) {
        fill(0);
        fill(LENGTH);
        try {
            int taken = loom.offerBatch(sources[source], payload, 0, new int[] {LENGTH, LENGTH}, 2);
            for (int i = 0; i < taken; i++) {
                acknowledged.get(source).add(sequence - 2 + i);
            }
        } catch (OutOfMemoryError e) {
            failures++;
        }
    }

    private void force(Loom loom) {
        try {
            loom.force();
        } catch (StoreIoException | OutOfMemoryError e) {
            failures++;
        }
    }

    private void write(Loom loom) {
        Thread writer = Thread.currentThread();
        String name = writer.getName();
        writer.setName("writer");
        AllocationFaults.arm(true);
        while (sequence < RECORDS) {
            int source = (int) (sequence % 7 < 5 ? sequence % INDEXED : sequence % SOURCES);
            if (sequence % 400 == 399) {
                push(loom, source, JUMBO_LENGTH);
            } else if (sequence % 97 == 0) {
                claim(loom, source);
            } else if (sequence % 211 == 0) {
                offerBatch(loom, source);
            } else {
                push(loom, source, LENGTH);
            }
            if (sequence % 2_000 == 1_999) {
                force(loom);
            }
        }
        AllocationFaults.arm(false);
        int before = failures;
        force(loom);
        expect(failures == before, "what is written can't be made durable any more");
        check(loom, "open");
        expect(before <= AllocationFaultsTest.FAILURES, "calls failed: count=" + failures);
        AllocationFaults.arm(true);
        try {
            loom.close();
        } catch (StoreIoException | OutOfMemoryError e) {
            failures++; // what was not written stays in staging
        }
        AllocationFaults.arm(false);
        writer.setName(name);
    }

    private void record(Loom loom) {
        Recorder recorder = Recorder.on(loom).ringBytes(1 << 16).start();
        for (int source : sources) {
            // as those that the recorder has found
            recorder.dropPolicy(source, DropPolicy.waitUpTo(Duration.ofMinutes(1)));
        }
        int refuses = recorder.defineSource("refuses", FORMAT, Map.of(), DropPolicy.refuse());
        AllocationFaults.arm(true);
        while (sequence < RECORDS) {
            int source = (int) (sequence % 7 < 5 ? sequence % INDEXED : sequence % SOURCES);
            fill(0);
            expect(recorder.offer(sources[source], payload, 0, LENGTH) == 0, "not taken");
            if (sequence % 100 < 50) {
                recorder.offer(refuses, payload, 0, 4_000);
            }
        }
        expect(recorder.sync(), "not synced");
        AllocationFaults.arm(false);
        expect(recorder.failure() == null, "failure=" + recorder.failure());
        expect(recorder.force(Duration.ofMinutes(1)), "not forced");
        long failed = recorder.dropped(refuses, LossReason.FAILED);
        try (Snapshot snapshot = recorder.snapshot()) {
            expect(snapshot.statistics(refuses).records() == recorder.published(refuses), "count of the other");
            expect(
                    lost(snapshot, refuses) == failed + recorder.dropped(refuses, LossReason.RECORDER_FULL),
                    "loss of the other is not marked: lost=" + lost(snapshot, refuses) + ", failed=" + failed);
            for (int i = 0; i < SOURCES; i++) {
                long dropped = recorder.dropped(sources[i], LossReason.FAILED);
                failed += dropped;
                expect(lost(snapshot, sources[i]) == dropped, "loss is not marked: failed=" + dropped);
                List<Long> found = sequences(scan(snapshot, sources[i]));
                expect(found.size() == recorder.published(sources[i]), "records: found=" + found.size());
                acknowledged.get(i).addAll(found);
                lost += dropped;
            }
        }
        expect(failed <= AllocationFaultsTest.FAILURES, "records failed: count=" + failed);
        long all = acknowledged.stream().mapToLong(List::size).sum();
        expect(all + lost == RECORDS, "records are missing: stored=" + all + ", lost=" + lost);
        AllocationFaults.arm(true);
        try {
            recorder.close();
        } catch (StoreIoException e) {
            failures++;
        }
        AllocationFaults.arm(false);
    }

    /** Whoever defines and finds no memory does it again, under the same name, and then it is as if nothing had been. */
    private void defineAgain(Loom loom) {
        Recorder recorder = Recorder.on(loom).ringBytes(1 << 16).start();
        Thread definer = Thread.currentThread();
        String name = definer.getName();
        definer.setName("definer");
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < 2 * SOURCES; i++) {
            AllocationFaults.arm(true);
            int tries = 0;
            for (int id = 0; id == 0; tries++) {
                try {
                    id = recorder.defineSource("more-" + i, FORMAT, Map.of("i", "" + i), DropPolicy.refuse());
                    ids.add(id);
                } catch (OutOfMemoryError e) {
                    failures++;
                }
            }
            expect(tries <= 1 + AllocationFaultsTest.FAILURES, "tries=" + tries);
        }
        AllocationFaults.arm(false);
        definer.setName(name);
        expect(ids.stream().distinct().count() == ids.size(), "ids=" + ids);
        for (int id : ids) {
            expect(recorder.offer(id, payload, 0, LENGTH) == 0, "not taken: id=" + id);
        }
        expect(recorder.force(Duration.ofMinutes(1)), "not forced");
        try (Snapshot snapshot = recorder.snapshot()) {
            for (int i = 0; i < ids.size(); i++) {
                expect(snapshot.statistics(ids.get(i)).records() == 1, "not stored: id=" + ids.get(i));
                expect(
                        snapshot.source("more-" + i).orElseThrow().id() == ids.get(i),
                        "another source has the name: id=" + ids.get(i));
            }
        }
        recorder.close();
    }

    private static long lost(Snapshot snapshot, int source) {
        try (SnapshotReader reader = SnapshotReader.of(snapshot)) {
            return reader.lost(source, Long.MIN_VALUE, Long.MAX_VALUE);
        }
    }

    private List<Stored> scan(Snapshot snapshot, int source) {
        List<Stored> found = new ArrayList<>();
        try (RecordCursor cursor = snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
            while (cursor.next()) {
                long number = cursor.buffer().getLong(cursor.offset(), ByteOrder.LITTLE_ENDIAN);
                long value = cursor.buffer().getLong(cursor.offset() + 8, ByteOrder.LITTLE_ENDIAN);
                found.add(new Stored(cursor.address(), number, value));
            }
            expect(cursor.damaged() == 0, "pages are damaged");
        }
        return found;
    }

    private static List<Long> sequences(List<Stored> records) {
        return records.stream().map(Stored::sequence).toList();
    }

    /** All that was acknowledged is there, and nothing else; and what is known of chunks is what their records say. */
    private void check(Loom loom, String when) {
        try (Snapshot snapshot = loom.snapshot()) {
            check(snapshot, when);
        }
    }

    private void check(Snapshot snapshot, String when) {
        summaries = 0;
        for (int i = 0; i < SOURCES; i++) {
            List<Stored> found = scan(snapshot, sources[i]);
            List<Long> expected = acknowledged.get(i);
            expect(
                    sequences(found).equals(expected),
                    when + ": source=" + i + ", found=" + found.size() + ", acknowledged=" + expected.size());
            long counted = snapshot.statistics(sources[i]).records();
            expect(counted == expected.size(), when + ": source=" + i + ", counted=" + counted);
            checkChunks(snapshot, sources[i], found, when + ": source=" + i);
        }
        expect(sequence < RECORDS || summaries > 0, when + ": no index has summed up a chunk");
    }

    private void checkChunks(Snapshot snapshot, int source, List<Stored> records, String where) {
        try (SnapshotReader reader = SnapshotReader.of(snapshot);
                ChunkCursor chunks = reader.newestFirst(source, Long.MAX_VALUE)) {
            ChunkSummary summary = reader.summary();
            while (chunks.next()) {
                long start = chunks.start();
                long end = chunks.end();
                List<Long> values = records.stream()
                        .filter(each -> each.address >= start && each.address < end)
                        .map(Stored::value)
                        .toList();
                expect(
                        !chunks.listed() || chunks.records() == values.size(),
                        where + ": chunk=" + start + ", records=" + chunks.records() + " of " + values.size());
                for (Index index : snapshot.indexes(source)) {
                    if (summary.read(chunks, index)) {
                        checkIndex(summary, index, values, where + ": " + index.name() + ": chunk=" + start);
                        summaries++;
                    }
                }
            }
        }
    }

    /** The totals of an index in a chunk, and its bins, against the values of the chunk's records. */
    private void checkIndex(ChunkSummary summary, Index index, List<Long> values, String where) {
        LongSummaryStatistics all = values.stream().mapToLong(Long::longValue).summaryStatistics();
        LongSum sum = new LongSum();
        summary.addTo(sum);
        expect(
                summary.count() == all.getCount()
                        && summary.minKey() == all.getMin()
                        && summary.maxKey() == all.getMax()
                        && sum.toString().equals(Long.toString(all.getSum())),
                where + ": " + summary.count() + " " + sum + " " + summary.minKey() + " " + summary.maxKey()
                        + " is not " + all);
        BinScale scale = BinScale.of(index.bins(), ValueType.I64);
        Map<Integer, LongSummaryStatistics> expected = new TreeMap<>();
        values.forEach(value -> expected.computeIfAbsent(scale.bin(value), bin -> new LongSummaryStatistics())
                .accept(value));
        List<String> bins = new ArrayList<>();
        expected.forEach((bin, of) -> bins.add(bin + " " + of.getCount() + " " + of.getMin() + " " + of.getMax()));
        List<String> found = new ArrayList<>();
        BinListReader list = new BinListReader(scale, ValueType.I64);
        if (summary.readBins(list)) {
            while (list.next()) {
                found.add(list.bin() + " " + list.count() + " " + list.minKey() + " " + list.maxKey());
            }
            expect(found.equals(bins), where + ": bins=" + found + " are not " + bins);
        }
    }
}
