package dev.loom.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.api.Bins;
import dev.loom.api.DoubleSum;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.IndexKey;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.error.CorruptStoreException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.read.BinListReader;
import dev.loom.value.BinScale;
import dev.loom.value.RecordBatch;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Summaries of random chunks, as added, written and read again, against sorted values and exact sums. */
class ActiveSummaryTest {
    private static final BigInteger TWO_63 = BigInteger.ONE.shiftLeft(63);
    private static final List<ValueType> TYPES = List.of(ValueType.values());
    private static final String[] ANY_BINS = {
        "log-linear", "log-linear:0", "log-linear:6", "linear:0,1000,100", "edges:10,15,20", "match:3", "edges:0"
    };

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[8]);
    private final UnsafeBuffer payloads = new UnsafeBuffer(new byte[1 << 16]);
    private int added;
    private final BinListWriter writer = new BinListWriter();

    @BeforeEach
    void printSeed() {
        System.out.println("ActiveSummaryTest: -Dloom.test.seed=" + seed);
    }

    @Test
    void shouldHoldAndWriteWhatTheValuesAre() {
        for (int round = 0; round < 90; round++) {
            ValueType type = TYPES.get(random.nextInt(TYPES.size()));
            Index index = index(type, Index.Kind.VALUE, ANY_BINS[random.nextInt(ANY_BINS.length)]);
            ActiveSummary summary = summary(index);
            for (int chunk = 0; chunk < 4; chunk++) {
                summary.begin(0, 16, Integer.MAX_VALUE);
                long[] keys = addRandom(summary, type, random.nextInt(12) == 0 ? 2_000 : random.nextInt(60));
                try {
                    assertSummary(keys, summary.index(0), type);
                    assertBins(keys, summary.index(0), type);
                } catch (AssertionError e) {
                    throw new AssertionError("seed=" + seed + ", round=" + round + ", index=" + index, e);
                }
            }
        }
    }

    private static Index index(ValueType type, Index.Kind kind, String bins) {
        IndexFunction function = IndexFunction.field(Formats.parse("struct:v:" + type.text()), "v");
        return new Index(type == ValueType.I64 ? 7 : 70_000, 1, "v", kind, function, Bins.parse(bins), 0, false);
    }

    private ActiveSummary summary(Index... indexes) {
        ActiveSummary summary = new ActiveSummary();
        summary.define(Arrays.stream(indexes)
                .map(index -> new ActiveIndex(index, null))
                .toList());
        summary.begin(0, 16, Integer.MAX_VALUE);
        return summary;
    }

    /** Adds the payload, mostly in the buffer of a ring. */
    private void add(ActiveSummary summary) {
        if (random.nextInt(100) == 0) {
            summary.add(payload, 0, 8, 0);
        } else {
            int offset = added++ % (payloads.capacity() / 8) * 8;
            payloads.putBytes(offset, payload, 0, 8);
            summary.addInPlace(payloads, offset, 8);
        }
    }

    /** Adds values of some distribution; returns their keys in order. */
    private long[] addRandom(ActiveSummary summary, ValueType type, int count) {
        int distribution = random.nextInt(6);
        long base = random.nextLong();
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) {
            long bits = type == ValueType.F64
                    ? Double.doubleToRawLongBits(randomDouble(distribution, base))
                    : randomInteger(distribution, base);
            payload.putLong(0, bits);
            add(summary);
            keys[i] = type.key(bits);
        }
        summary.complete();
        Arrays.sort(keys);
        return keys;
    }

    private long randomInteger(int distribution, long base) {
        return switch (distribution) {
            case 0 -> random.nextLong();
            case 1 -> random.nextLong() >> random.nextInt(64);
            case 2 -> random.nextInt(30);
            case 3 -> ((long) Math.exp(11 + random.nextGaussian())) << 12;
            default -> base + random.nextInt(3);
        };
    }

    private double randomDouble(int distribution, long base) {
        double value = switch (distribution) {
            case 0 -> Double.longBitsToDouble(random.nextLong());
            case 1 -> random.nextGaussian() * 1e3;
            case 2 -> random.nextInt(30) - 5;
            case 3 -> Math.exp(11 + random.nextGaussian());
            case 4 -> Double.MIN_VALUE * (random.nextInt(60) - 20);
            default -> random.nextInt(50) == 0 ? Double.POSITIVE_INFINITY : ((float) base) + random.nextInt(3);
        };
        return Double.isNaN(value) ? -0.0 : value;
    }

    private static BigInteger exact(ValueType type, long key) {
        return type == ValueType.U64 ? BigInteger.valueOf(key).add(TWO_63) : BigInteger.valueOf(key);
    }

    private void assertSummary(long[] keys, ActiveIndex index, ValueType type) {
        IndexSummary summary = new IndexSummary();
        index.summarize(summary);
        summary.binsAddress(random.nextInt(4) == 0 ? IndexSummary.NO_BINS : 1_000 + random.nextInt(1 << 30));
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[IndexSummaryCodec.LENGTH_MAX + 20]);
        int end = IndexSummaryCodec.write(summary, type, 1_000 - 1, buffer, 11);
        assertTrue(end - 11 <= IndexSummaryCodec.LENGTH_MAX);
        int lengths = IndexSummaryCodec.lengths(buffer, 11, end);
        assertEquals(end - 11, IndexSummaryCodec.summaryLength(lengths));
        assertEquals(index.definition().id(), IndexSummaryCodec.indexId(buffer, 11, end, lengths));
        long distance = summary.binsAddress() == IndexSummary.NO_BINS ? 0 : summary.binsAddress() - (1_000 - 1);
        assertEquals(distance, IndexSummaryCodec.binsDistance(buffer, 11, end, lengths));
        IndexSummary read = new IndexSummary();
        IndexSummaryCodec.read(buffer, 11, end, lengths, type, 1_000 - 1, read);
        for (IndexSummary each : List.of(summary, read)) {
            assertEquals(index.definition().id(), each.indexId());
            assertEquals(keys.length, each.count());
            assertEquals(summary.binsAddress(), each.binsAddress());
            if (keys.length > 0) {
                assertEquals(keys[0], each.minKey());
                assertEquals(keys[keys.length - 1], each.maxKey());
            }
            if (type == ValueType.F64) {
                assertDoubleSum(keys, each.doubleSum().value());
            } else {
                LongSum sum = new LongSum();
                each.addValuesTo(sum, type);
                assertEquals(exactSum(keys, type), sum.toBigInteger());
            }
        }
        assertCutIsNoticed(buffer, 11, end, limit -> IndexSummaryCodec.lengths(buffer, 11, limit));
    }

    private static BigInteger exactSum(long[] keys, ValueType type) {
        return Arrays.stream(keys).mapToObj(key -> exact(type, key)).reduce(BigInteger.ZERO, BigInteger::add);
    }

    private static void assertDoubleSum(long[] keys, double actual) {
        double plain = Arrays.stream(keys).mapToDouble(ValueType::doubleOf).sum();
        double magnitude = Arrays.stream(keys)
                .mapToDouble(key -> Math.abs(ValueType.doubleOf(key)))
                .sum();
        if (Double.isInfinite(magnitude)) {
            assertTrue(!Double.isFinite(plain) || !Double.isFinite(actual) || Math.abs(actual) > 1e290);
            return;
        }
        BigDecimal exact = exactSum(keys);
        double error = Math.abs(exact.subtract(new BigDecimal(actual)).doubleValue());
        // the sum of each bin is rounded once
        assertTrue(error <= Math.ulp(exact.doubleValue()) + magnitude * 0x1p-52, () -> "error=" + error);
    }

    private static BigDecimal exactSum(long[] keys) {
        return Arrays.stream(keys)
                .mapToObj(key -> new BigDecimal(ValueType.doubleOf(key)))
                .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    /** Within a bin of finite values, or of one infinity. */
    private static double exactDoubleSum(long[] keys) {
        double least = ValueType.doubleOf(keys[0]);
        return Double.isInfinite(least) ? least : exactSum(keys).doubleValue();
    }

    private interface Reading {
        void readUpTo(int limit);
    }

    private static void assertCutIsNoticed(UnsafeBuffer buffer, int offset, int end, Reading reading) {
        for (int limit = offset; limit < end; limit++) {
            int cut = limit;
            assertThrows(CorruptStoreException.class, () -> reading.readUpTo(cut));
        }
        assertTrue(buffer.capacity() > end);
    }

    private void assertBins(long[] keys, ActiveIndex index, ValueType type) {
        BinScale scale = BinScale.of(index.definition().bins(), type);
        TreeMap<Integer, List<Long>> expected = new TreeMap<>();
        for (long key : keys) {
            expected.computeIfAbsent(scale.bin(key), bin -> new ArrayList<>()).add(key);
        }
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[index.binsLengthMax() + 5]);
        int end = index.encodeBins(writer, buffer, 5);
        BinListReader reader = new BinListReader(scale, type);
        reader.wrap(buffer, 5, end - 5);
        for (Map.Entry<Integer, List<Long>> bin : expected.entrySet()) {
            long[] values = bin.getValue().stream().mapToLong(key -> key).toArray();
            assertTrue(reader.next());
            assertEquals(bin.getKey(), reader.bin());
            assertEquals(values.length, reader.count());
            assertEquals(values[0], reader.minKey());
            assertEquals(values[values.length - 1], reader.maxKey());
            boolean three = values.length == 3 && type != ValueType.F64;
            assertEquals(values.length < 3 || three || values[0] == values[values.length - 1], reader.isComplete());
            for (int i = 0; reader.isComplete() && i < values.length; i++) {
                assertEquals(values[i], reader.key(i));
            }
            if (type == ValueType.F64) {
                DoubleSum sum = new DoubleSum();
                reader.addTo(sum);
                assertDoubleSum(values, sum.value());
                if (index.definition().bins().form() == Bins.Form.LOG_LINEAR && !reader.isComplete()) {
                    assertEquals(exactDoubleSum(values), sum.value());
                }
            } else {
                LongSum sum = new LongSum();
                reader.addKeysTo(sum);
                assertEquals(exactSum(values, ValueType.I64), sum.toBigInteger());
            }
        }
        assertFalse(reader.next());
        assertLimits(keys, expected, reader, scale, type);
    }

    /** From a random key to another, there are just the bins from that of the one to that of the other. */
    private void assertLimits(
            long[] keys,
            NavigableMap<Integer, List<Long>> expected,
            BinListReader reader,
            BinScale scale,
            ValueType type) {
        long a = keys.length == 0 || random.nextInt(4) == 0 ? random.nextLong() : keys[random.nextInt(keys.length)];
        long b = keys.length == 0 || random.nextInt(4) == 0 ? random.nextLong() : keys[random.nextInt(keys.length)];
        int low = scale.bin(Math.max(Math.min(a, b), type.lowestKey()));
        int high = scale.bin(Math.min(Math.max(a, b), type.highestKey()));
        reader.rewind();
        long below = reader.limit(Math.min(a, b), Math.max(a, b));
        assertEquals(
                expected.headMap(low).values().stream().mapToLong(List::size).sum(), below);
        for (int i = 0; i < 2; i++) {
            for (Map.Entry<Integer, List<Long>> bin :
                    expected.subMap(low, true, high, true).entrySet()) {
                boolean keysToo = random.nextBoolean();
                assertTrue(keysToo ? reader.next() : reader.nextCount());
                assertEquals(bin.getKey(), reader.bin());
                assertEquals(bin.getValue().size(), reader.count());
                if (keysToo) {
                    assertEquals(bin.getValue().get(0), reader.minKey());
                }
            }
            assertFalse(reader.nextCount());
            assertFalse(reader.next());
            reader.rewind();
        }
    }

    @Test
    void shouldFailByTypeOrNotAtAllWhenBytesAreDamaged() {
        for (int round = 0; round < 60; round++) {
            ValueType type = TYPES.get(random.nextInt(TYPES.size()));
            Index index = index(type, Index.Kind.VALUE, ANY_BINS[random.nextInt(ANY_BINS.length)]);
            ActiveSummary summary = summary(index);
            addRandom(summary, type, random.nextInt(40));
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[summary.index(0).binsLengthMax()]);
            int length = summary.index(0).encodeBins(writer, buffer, 0);
            BinScale scale = BinScale.of(index.bins(), type);
            for (int i = 0; i < 50; i++) {
                byte[] bytes = Arrays.copyOf(buffer.byteArray(), random.nextInt(length + 1));
                for (int damaged = random.nextInt(4); damaged > 0 && bytes.length > 0; damaged--) {
                    bytes[random.nextInt(bytes.length)] = (byte) (random.nextBoolean() ? -1 : random.nextInt());
                }
                readDamagedBins(bytes, scale, type);
                random.nextBytes(bytes);
                readDamagedSummary(bytes, type);
            }
        }
    }

    /** The array is as long as what may be read, so that reading further would throw something else. */
    private void readDamagedBins(byte[] bytes, BinScale scale, ValueType type) {
        BinListReader reader = new BinListReader(scale, type);
        int bins = 0;
        try {
            reader.wrap(new UnsafeBuffer(bytes), 0, bytes.length);
            if (random.nextInt(3) == 0) {
                reader.limit(scale.lowKey(random.nextInt(scale.count())), Long.MAX_VALUE);
            }
            while (reader.next()) {
                bins++;
                if (reader.isComplete()) {
                    long middle = reader.key(reader.count() / 2);
                    assertTrue(reader.minKey() <= middle && middle <= reader.maxKey(), () -> "seed=" + seed);
                }
                assertTrue(reader.count() > 0);
                assertTrue(scale.lowKey(reader.bin()) <= reader.minKey(), () -> "seed=" + seed);
                assertTrue(reader.minKey() <= reader.maxKey(), () -> "seed=" + seed);
                assertTrue(reader.maxKey() <= scale.highKey(reader.bin()), () -> "seed=" + seed);
            }
        } catch (CorruptStoreException e) {
            assertTrue(e.getMessage().contains("reason="));
        }
        assertTrue(bins <= bytes.length, () -> "seed=" + seed);
    }

    private void readDamagedSummary(byte[] bytes, ValueType type) {
        IndexSummary summary = new IndexSummary();
        try {
            // in a directory, something is in front of it
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[Long.BYTES + bytes.length]);
            buffer.putBytes(Long.BYTES, bytes);
            int lengths = IndexSummaryCodec.lengths(buffer, Long.BYTES, buffer.capacity());
            IndexSummaryCodec.read(buffer, Long.BYTES, buffer.capacity(), lengths, type, 0, summary);
            assertTrue(summary.count() == 0 || summary.minKey() <= summary.maxKey(), () -> "seed=" + seed);
        } catch (CorruptStoreException e) {
            assertTrue(e.getMessage().contains("reason="));
        }
    }

    @Test
    void shouldKeepRangeAloneOfEventTimes() {
        ActiveSummary summary = summary(index(ValueType.I64, Index.Kind.EVENT_TIME, "log-linear"));
        IndexSummary totals = new IndexSummary();
        for (int chunk = 0; chunk < 3; chunk++) {
            summary.begin(0, 16, Integer.MAX_VALUE);
            long[] keys = new long[random.nextInt(5)];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = 1_795_229_193_399_411_123L + random.nextInt();
                payload.putLong(0, keys[i]);
                add(summary);
            }
            summary.complete();
            Arrays.sort(keys);
            summary.index(0).summarize(totals);
            assertEquals(keys.length, totals.count());
            if (keys.length > 0) {
                assertEquals(keys[0], totals.minKey());
                assertEquals(keys[keys.length - 1], totals.maxKey());
            }
        }
    }

    @Test
    void shouldTakeDefinitionsFromTheNextChunkOn() {
        ActiveSummary summary = new ActiveSummary();
        ActiveIndex first = new ActiveIndex(index(ValueType.I64, Index.Kind.VALUE, "log-linear"), null);
        ActiveIndex second = new ActiveIndex(index(ValueType.I64, Index.Kind.VALUE, "match:1"), null);
        IndexSummary totals = new IndexSummary();
        summary.begin(0, 16, Integer.MAX_VALUE);
        summary.define(List.of(first));
        add(summary);
        assertEquals(0, summary.count());
        summary.begin(0, 16, Integer.MAX_VALUE);
        add(summary);
        summary.define(List.of(first, second));
        add(summary);
        assertEquals(1, summary.count());
        summary.complete();
        first.summarize(totals);
        assertEquals(2, totals.count());
        summary.begin(0, 16, Integer.MAX_VALUE);
        add(summary);
        assertEquals(2, summary.count());
        summary.complete();
        for (int i = 0; i < 2; i++) {
            summary.index(i).summarize(totals);
            assertEquals(1, totals.count());
        }
        summary.define(List.of(second));
        summary.begin(0, 16, Integer.MAX_VALUE);
        assertEquals(1, summary.count());
    }

    @Test
    void shouldSayThatItMissedARecordUntilTheNextChunk() {
        IndexFunction function = IndexFunction.of("v", ValueType.I64, ValueUnit.NONE, (b, o, l, v) -> {
            v.setDouble(b.getDouble(o));
        });
        ActiveSummary summary = summary(new Index(1, 1, "v", Index.Kind.VALUE, function, Bins.logLinear(), 0, false));
        for (boolean fits : new boolean[] {true, false, true}) {
            summary.begin(0, 16, Integer.MAX_VALUE);
            for (double value : new double[] {1, Double.NaN, fits ? 2 : 2.5, 3}) {
                payload.putDouble(0, value);
                add(summary);
            }
            summary.complete();
            assertEquals(fits, summary.index(0).isComplete());
        }
    }

    @Test
    void shouldSumInfinitiesToWhatTheirSumIs() {
        double infinity = Double.POSITIVE_INFINITY;
        double[][] chunks = {
            {1, infinity}, {infinity, infinity, 2}, {-infinity, 3}, {-infinity, -infinity}, {infinity, -infinity}
        };
        double[] sums = {infinity, infinity, -infinity, -infinity, Double.NaN};
        for (String bins : new String[] {"log-linear", "linear:0,1000,100"}) {
            ActiveSummary summary = summary(index(ValueType.F64, Index.Kind.VALUE, bins));
            IndexSummary totals = new IndexSummary();
            for (int chunk = 0; chunk < chunks.length; chunk++) {
                summary.begin(0, 16, Integer.MAX_VALUE);
                for (double value : chunks[chunk]) {
                    payload.putLong(0, Double.doubleToRawLongBits(value));
                    add(summary);
                }
                summary.complete();
                summary.index(0).summarize(totals);
                assertEquals(sums[chunk], totals.doubleSum().value(), bins + ", chunk=" + chunk);
            }
        }
    }

    @Test
    void shouldAllocateNothingOnceChunksAreAlike() {
        List<Index> indexes = new ArrayList<>();
        for (ValueType type : ValueType.values()) {
            indexes.add(index(type, Index.Kind.VALUE, "log-linear"));
            indexes.add(index(type, Index.Kind.VALUE, "linear:0,1000,100"));
        }
        ActiveSummary summary = summary(indexes.toArray(new Index[0]));
        IndexSummary totals = new IndexSummary();
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 20]);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = 0;
        long[] values = random.longs(1_000, 0, 1 << 20).toArray();
        for (int chunk = 0; chunk < 200; chunk++) {
            if (chunk == 100) {
                before = threads.getCurrentThreadAllocatedBytes();
            }
            summary.begin(0, 16, Integer.MAX_VALUE);
            for (long value : values) {
                payload.putLong(0, value);
                add(summary);
            }
            summary.complete();
            for (int i = 0; i < summary.count(); i++) {
                summary.index(i).summarize(totals);
                summary.index(i).encodeBins(writer, buffer, 0);
            }
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < 100_000, "allocated bytes: total=" + allocated);
    }

    /** As after a stack that overflowed between the storing of a record and its adding. */
    @Test
    void shouldGoWithoutIndexesWhereARecordWasNotAdded() {
        ActiveSummary summary = new ActiveSummary();
        summary.define(List.of(new ActiveIndex(index(ValueType.I64, Index.Kind.VALUE, "log-linear"), null)));
        for (int lacking = 0; lacking <= 1; lacking++) {
            summary.begin(0, 16, Integer.MAX_VALUE);
            for (int i = 0; i < 1_000; i++) {
                add(summary);
                if (i % 300 == 0) {
                    summary.complete(i + 1); // room for bins may be asked for before the chunk ends
                    assertEquals(1, summary.count());
                }
            }
            summary.complete(1_000 + lacking);
            assertEquals(1 - lacking, summary.count());
        }
        summary.begin(0, 16, Integer.MAX_VALUE);
        assertEquals(1, summary.count());
        assertEquals(0, values(summary, 0), "it begins empty");
    }

    private static long values(ActiveSummary summary, int index) {
        IndexSummary totals = new IndexSummary();
        summary.index(index).summarize(totals);
        return totals.count();
    }

    /** Lets the stack overflow before the call of a function that is the one to come. */
    private static final class Overflowing implements FunctionGuard {
        private int left;

        @Override
        public void enter() {
            if (--left == 0) {
                throw new StackOverflowError();
            }
        }

        @Override
        public void leave() {}
    }

    /** While a batch is processed, in the middle of a chunk or at its end. */
    @Test
    void shouldHaveIndexesAgainInTheChunkAfterAnOverflow() {
        IndexFunction function =
                IndexFunction.of("v", ValueType.I64, ValueUnit.NONE, (b, o, l, v) -> v.setInteger(b.getLong(o)));
        Overflowing guard = new Overflowing();
        List<ActiveIndex> indexes = List.of(
                new ActiveIndex(index(ValueType.I64, Index.Kind.VALUE, "log-linear"), null),
                new ActiveIndex(
                        new Index(2, 1, "own", Index.Kind.VALUE, function, Bins.logLinear(), 0, false), null, guard));
        for (int records : new int[] {RecordBatch.RECORDS_MAX, 5}) {
            ActiveSummary summary = new ActiveSummary();
            summary.define(indexes);
            summary.begin(0, 16, Integer.MAX_VALUE);
            guard.left = 1;
            try {
                for (int i = 0; i < records; i++) {
                    summary.addInPlace(payloads, i * 8, 8);
                }
                summary.complete(records);
                assertEquals(RecordBatch.RECORDS_MAX, records, "only a whole batch is processed before the end");
            } catch (StackOverflowError e) {
                assertEquals(5, records);
            }
            assertEquals(0, summary.count(), "the chunk goes without");
            for (int chunk = 0; chunk < 2; chunk++) {
                summary.begin(0, 16, Integer.MAX_VALUE);
                for (int i = 0; i < 10; i++) {
                    summary.addInPlace(payloads, i * 8, 8);
                }
                summary.complete(10);
                assertEquals(2, summary.count());
                assertEquals(10, values(summary, 0));
                assertEquals(10, values(summary, 1));
            }
        }
    }

    /** A format's reader of a key is the program's own, as a function is. */
    @Test
    void shouldGuardReadersOfKeys() {
        Overflowing guard = new Overflowing();
        PayloadFormat format = Formats.parse("struct:v:i64,k:i64");
        Index byKey = new Index(
                3,
                1,
                "v",
                Index.Kind.VALUE,
                IndexFunction.field(format, "v"),
                Bins.logLinear(),
                0,
                false,
                IndexKey.of(format, List.of("k")));
        ActiveSummary summary = new ActiveSummary();
        summary.define(List.of(new ActiveIndex(byKey, null, guard)));
        summary.begin(0, 16, Integer.MAX_VALUE);
        summary.addInPlace(payloads, 0, 16);
        summary.complete();
        assertEquals(-1, guard.left, "calls of the guard");
    }
}
