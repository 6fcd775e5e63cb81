package dev.loom.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.DoubleSum;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.error.CorruptStoreException;
import dev.loom.read.BinListReader;
import dev.loom.value.BinScale;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Bins that keep their values give back each of them. */
class KeptValuesTest {
    private static final int GUARD = 16;

    private final Random random = new Random();
    private final BinListWriter writer = new BinListWriter();

    private static Stream<Bins> bins(ValueType type) {
        Bins more = type == ValueType.F64 ? Bins.edges(-1.5, 0.1, 3) : Bins.edges(1, 1L << 53, Long.MAX_VALUE);
        return Stream.of(
                Bins.logLinear(), Bins.logLinear(0), Bins.logLinear(Bins.SCALE_MAX), Bins.linear(0, 1000, 7), more);
    }

    private long key(ValueType type, int shape) {
        if (type == ValueType.F64) {
            double value = switch (shape) {
                case 0 -> random.nextInt(5);
                case 1 -> random.nextGaussian();
                case 2 -> Math.exp(random.nextGaussian() * 40);
                case 3 -> random.nextInt(20) == 0 ? Double.POSITIVE_INFINITY : -random.nextDouble();
                default -> Double.longBitsToDouble(random.nextLong());
            };
            return Double.isNaN(value) ? 0 : ValueType.F64.key(Double.doubleToRawLongBits(value));
        }
        return switch (shape) {
            case 0 -> random.nextInt(3);
            case 1 -> 100_000 + random.nextInt(50_000);
            case 2 -> (long) Math.exp(11 + random.nextGaussian());
            case 3 -> 64L * random.nextInt(100);
            default -> random.nextLong() >> random.nextInt(64);
        };
    }

    @Test
    void shouldGiveBackEachValue() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("KeptValuesTest: -Dloom.test.seed=" + seed);
        random.setSeed(seed);
        for (int round = 0; round < 3_000; round++) {
            ValueType type =
                    List.of(ValueType.I64, ValueType.U64, ValueType.F64).get(random.nextInt(3));
            Bins of = bins(type).toList().get(random.nextInt(5)).withValues();
            BinScale scale = BinScale.of(of, type);
            BinTable table = new BinTable(type == ValueType.F64 && of.form() != Bins.Form.LOG_LINEAR);
            ChunkValues values = new ChunkValues();
            for (int chunk = 0; chunk < 2; chunk++) { // the second after the first is forgotten
                check(type, scale, table, values);
                table.reset();
                values.clear();
            }
        }
    }

    private void check(ValueType type, BinScale scale, BinTable table, ChunkValues values) {
        int shape = random.nextInt(5);
        TreeMap<Integer, List<Long>> expected = new TreeMap<>();
        for (int batch = random.nextInt(8); batch >= 0; batch--) {
            int count = random.nextInt(64) + 1;
            long[] keys = new long[count];
            int[] bins = new int[count];
            for (int i = 0; i < count; i++) {
                keys[i] = key(type, shape);
            }
            scale.bins(keys, count, bins);
            table.add(bins, keys, count);
            values.add(bins, keys, count);
            for (int i = 0; i < count; i++) {
                expected.computeIfAbsent(bins[i], bin -> new ArrayList<>()).add(keys[i]);
            }
        }
        int max = BinListWriter.lengthMax(table.entryCount(), values.count());
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[max + GUARD]);
        int end = writer.write(table, values.inOrderOf(table), 0, scale, type, buffer, GUARD / 2);
        assertTrue(end - GUARD / 2 <= max, "longer than the most");
        // nothing behind the end may be needed
        UnsafeBuffer exact = new UnsafeBuffer(Arrays.copyOf(buffer.byteArray(), end));
        BinListReader reader = new BinListReader(scale, type);
        reader.wrap(exact, GUARD / 2, end - GUARD / 2);
        for (int pass = 0; pass < 2; pass++) {
            for (var entry : expected.entrySet()) {
                assertTrue(pass == 0 ? reader.next() : reader.nextCount());
                assertEquals(entry.getKey(), reader.bin());
                assertEquals(entry.getValue().size(), reader.count());
                if (pass == 0) {
                    check(type, reader, entry.getValue());
                }
            }
            assertTrue(!(pass == 0 ? reader.next() : reader.nextCount()));
            reader.rewind();
        }
    }

    private static void check(ValueType type, BinListReader reader, List<Long> expected) {
        long[] sorted = expected.stream().mapToLong(Long::longValue).sorted().toArray();
        long[] found = new long[reader.count()];
        assertTrue(reader.isComplete());
        for (int i = 0; i < found.length; i++) {
            found[i] = reader.key(i);
        }
        Arrays.sort(found);
        assertArrayEquals(sorted, found);
        assertEquals(sorted[0], reader.minKey());
        assertEquals(sorted[sorted.length - 1], reader.maxKey());
        if (type == ValueType.F64) {
            DoubleSum sum = new DoubleSum();
            reader.addTo(sum);
            DoubleSum right = new DoubleSum();
            expected.forEach(key -> right.add(ValueType.doubleOf(key)));
            assertEquals(right.value(), sum.value(), Math.abs(right.value()) * 1e-9 + Double.MIN_NORMAL);
        } else {
            LongSum sum = new LongSum();
            reader.addKeysTo(sum);
            assertEquals(
                    expected.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add),
                    sum.toBigInteger());
        }
    }

    /** Values of which there are more bytes than an int can say; of the second count these overflow to four. */
    @Test
    void shouldRefuseCountsThatNoBytesHold() {
        BinScale scale = BinScale.of(Bins.linear(0, 1, 1), ValueType.I64);
        for (int count : new int[] {1 << 29, 545_392_673, Integer.MAX_VALUE}) {
            UnsafeBuffer list = new UnsafeBuffer(new byte[64]);
            list.putByte(0, (byte) BinListDescriptor.VALUES_FLAG);
            int at = Varints.put(list, 1, BinListDescriptor.MORE); // bin 0
            at = Varints.put(list, at, count - BinListDescriptor.MORE_COUNT_MIN);
            at = Varints.put(list, at, 0);
            at = Varints.put(list, at, Long.MAX_VALUE); // the range, of 63 bits
            int length = at + 8;
            BinListReader reader = new BinListReader(scale, ValueType.I64);
            reader.wrap(list, 0, length);
            assertThrows(CorruptStoreException.class, reader::nextCount, () -> "count=" + count);
            reader.wrap(list, 0, length);
            assertThrows(CorruptStoreException.class, reader::next, () -> "count=" + count);
        }
    }

    @Test
    void shouldTakeFewBytesForLatencies() {
        random.setSeed(7);
        BinScale scale = BinScale.of(Bins.logLinear(), ValueType.I64);
        BinTable table = new BinTable(false);
        ChunkValues values = new ChunkValues();
        int count = 1_000;
        long[] keys = random.longs(count)
                .map(any -> (long) Math.exp(11.5 + random.nextGaussian() / 2))
                .toArray();
        int[] bins = new int[count];
        scale.bins(keys, count, bins);
        table.add(bins, keys, count);
        values.add(bins, keys, count);
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 16]);
        int length = writer.write(table, values.inOrderOf(table), 0, scale, ValueType.I64, buffer, 0);
        assertTrue(length < 3 * count, () -> "bytes=" + length + ", values=" + count);
    }
}
