package dev.loom.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The bins of runs, which come back as they were, and of which damaged ones are found or are at least possible. */
class RunBinsTest {
    private static final int GUARD = 16;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final RunBinsWriter writer = new RunBinsWriter();

    /** Bins, and all their keys. */
    private static final class Case {
        final ValueType type;
        final BinScale scale;
        final BinTable table;
        final TreeMap<Integer, List<Long>> keys = new TreeMap<>();
        /** The exact bits of the sums that were given. */
        final Map<Integer, Double> sums = new HashMap<>();

        Case(ValueType type, Bins bins) {
            this.type = type;
            this.scale = BinScale.of(bins, type);
            this.table = new BinTable(type == ValueType.F64);
        }

        void add(long key) {
            keys.computeIfAbsent(scale.bin(key), bin -> new ArrayList<>()).add(key);
        }

        void fillTable() {
            keys.forEach((bin, all) -> {
                long min = all.stream().min(Long::compare).orElseThrow();
                long max = all.stream().max(Long::compare).orElseThrow();
                if (type == ValueType.F64) {
                    DoubleSum sum = new DoubleSum();
                    all.forEach(key -> sum.add(ValueType.doubleOf(key)));
                    sums.put(bin, sum.value());
                    table.merge(bin, all.size(), min, max, sum.value());
                } else {
                    LongSum sum = new LongSum();
                    all.forEach(sum::add);
                    table.merge(bin, all.size(), min, max, sum);
                }
            });
        }
    }

    private Case randomCase() {
        List<ValueType> types = List.of(ValueType.values());
        ValueType type = types.get(random.nextInt(types.size()));
        Bins bins = List.of(Bins.logLinear(), Bins.logLinear(0), Bins.linear(0, 100_000, 40), Bins.linear(0, 1, 1))
                .get(random.nextInt(4));
        Case made = new Case(type, bins);
        int shape = random.nextInt(6);
        int shift = random.nextInt(4) == 0 ? random.nextInt(40) : 0;
        long constant = random.nextLong();
        for (int i = random.nextInt(random.nextBoolean() ? 10 : 3_000); i >= 0; i--) {
            long value = switch (shape) {
                case 0 -> (long) Math.exp(11 + random.nextGaussian());
                case 1 -> random.nextLong();
                case 2 -> constant;
                case 3 -> random.nextInt(200);
                case 4 -> List.of(0L, Long.MIN_VALUE, Long.MAX_VALUE, -1L).get(random.nextInt(4));
                default -> random.nextLong() >> random.nextInt(Long.SIZE);
            };
            made.add(type == ValueType.F64 ? doubleKey(value, shape) : value >> shift << shift);
        }
        made.fillTable();
        return made;
    }

    private long doubleKey(long value, int shape) {
        double number = shape == 1 ? Double.longBitsToDouble(value) : shape == 5 ? value / 1_000.0 : value;
        return ValueType.F64.key(Double.doubleToRawLongBits(Double.isNaN(number) ? 1 : number));
    }

    private byte[] write(Case of) {
        int max = RunBinsWriter.lengthMax(of.table.entryCount());
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[max + GUARD]);
        int end = writer.write(of.table, null, of.scale, of.type, buffer, GUARD);
        assertTrue(end - GUARD <= max, () -> "length=" + (end - GUARD) + ", max=" + max + ", seed=" + seed);
        return Arrays.copyOfRange(buffer.byteArray(), GUARD, end);
    }

    private static BinListReader reader(Case of, byte[] list) {
        BinListReader reader = new BinListReader(of.scale, of.type);
        reader.wrap(new UnsafeBuffer(list), 0, list.length);
        return reader;
    }

    @Test
    void shouldGiveBackBins() {
        System.out.println("RunBinsTest: -Dloom.test.seed=" + seed);
        for (int round = 0; round < 3_000; round++) {
            Case made = randomCase();
            byte[] list = write(made);
            BinListReader reader = reader(made, list);
            for (int pass = 0; pass < 2; pass++, reader.rewind()) {
                for (Map.Entry<Integer, List<Long>> entry : made.keys.entrySet()) {
                    assertTrue(pass == 0 ? reader.next() : reader.nextCount(), "seed=" + seed);
                    reader.read();
                    check(made, reader, entry.getKey(), entry.getValue());
                }
                assertFalse(pass == 0 ? reader.next() : reader.nextCount(), "seed=" + seed);
            }
            checkLimit(made, list);
        }
    }

    private void check(Case made, BinListReader reader, int bin, List<Long> keys) {
        assertEquals(bin, reader.bin(), "seed=" + seed);
        assertEquals(keys.size(), reader.count(), "seed=" + seed);
        long[] sorted = keys.stream().mapToLong(Long::longValue).sorted().toArray();
        assertEquals(sorted[0], reader.minKey(), "seed=" + seed);
        assertEquals(sorted[sorted.length - 1], reader.maxKey(), "seed=" + seed);
        if (reader.isComplete()) {
            long[] found = new long[sorted.length];
            Arrays.setAll(found, reader::key);
            Arrays.sort(found);
            assertArrayEquals(sorted, found, "seed=" + seed);
        }
        if (made.type == ValueType.F64) {
            if (sorted.length > 2 && sorted[0] != sorted[sorted.length - 1]) {
                DoubleSum sum = new DoubleSum();
                reader.addTo(sum);
                DoubleSum right = new DoubleSum();
                right.add(made.sums.get(bin));
                assertEquals(
                        Double.doubleToLongBits(right.value()), Double.doubleToLongBits(sum.value()), "seed=" + seed);
            }
        } else {
            LongSum sum = new LongSum();
            reader.addKeysTo(sum);
            assertEquals(
                    keys.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add),
                    sum.toBigInteger(),
                    "seed=" + seed);
        }
    }

    /** Limits to the bins from one to another, and counts the records below. */
    private void checkLimit(Case made, byte[] list) {
        List<Integer> bins = new ArrayList<>(made.keys.keySet());
        int low = bins.get(random.nextInt(bins.size()));
        int high = bins.get(random.nextInt(bins.size()));
        BinListReader reader = reader(made, list);
        long below = reader.limit(made.keys.get(low).get(0), made.keys.get(high).get(0));
        assertEquals(
                made.keys.headMap(low).values().stream().mapToLong(List::size).sum(), below, "seed=" + seed);
        for (int pass = 0; pass < 2; pass++, reader.rewind()) {
            for (int bin : bins) {
                if (bin >= low && bin <= high) {
                    assertTrue(reader.next(), "seed=" + seed);
                    check(made, reader, bin, made.keys.get(bin));
                }
            }
            assertFalse(reader.next(), "seed=" + seed);
        }
    }

    /** What the format says, bit by bit. */
    @Test
    void shouldWriteTheseBits() {
        Case made = new Case(ValueType.I64, Bins.linear(0, 100, 10)); // bins of 10 from bin 1 on
        for (long key : new long[] {33, 35, 36, 39, 41}) {
            made.add(key);
        }
        made.fillTable();
        String bits = "000000" + "10" // no key shift, and a run's
                + "0001000"
                + "0" // two bins: of 2 bits, 4 less than 6, which is 7 with its sign, as 8; then 2 below its highest
                // bit
                + "0" // no values
                // 33, 35, 36, 39, of the bin from 30 to 39
                + "00111" + "00" // 4 bins before it: 3 bits more than 0, which is 6, as 7
                + "00110" + "1" // 3 records more: 2 bits more than 0, which is 4, as 5
                + "0" // they differ
                + "1" + "1" // 3 from 30: 2 bits, 1 more than the 4 of a range of 9 less the 3 of 4 records
                + "00100" // 0 from 39: 2 bits less
                + "00101" // the sum, 143, is 5 above its least, 1 below the middle of 0 and 12, so 1: 3 bits less than
                // 4
                // 41
                + "1" // the next bin
                + "00100" // 0 records more: 2 bits less than the 2 of 3
                + "00101" // 1 from 40: 3 bits less than 4
                + "00"; // up to a whole byte
        BitReader read = new BitReader();
        byte[] list = write(made);
        read.wrap(new UnsafeBuffer(list), 0, list.length);
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < list.length * Byte.SIZE; i++) {
            all.append(read.next(1));
        }
        assertEquals(bits, all.toString());
    }

    /** A bit that changed is found, or leaves bins that could be. */
    @Test
    void shouldFindDamageOrStayWithinTheBins() {
        System.out.println("RunBinsTest: -Dloom.test.seed=" + seed);
        int found = 0;
        for (int round = 0; round < 4_000; round++) {
            Case made = randomCase();
            byte[] list = write(made);
            if (random.nextInt(4) == 0) {
                list = Arrays.copyOf(list, random.nextInt(list.length));
            }
            for (int i = random.nextInt(4); i >= 0 && list.length > 0; i--) {
                list[random.nextInt(list.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
            }
            try {
                BinListReader reader = reader(made, list);
                while (reader.next()) {
                    int bin = reader.bin();
                    assertTrue(reader.count() > 0);
                    assertTrue(reader.minKey() <= reader.maxKey(), "seed=" + seed);
                    assertEquals(bin, made.scale.bin(reader.minKey()), "seed=" + seed);
                    assertEquals(bin, made.scale.bin(reader.maxKey()), "seed=" + seed);
                    for (int i = 0; reader.isComplete() && i < Math.min(reader.count(), 100); i++) {
                        assertTrue(reader.key(i) >= reader.minKey() && reader.key(i) <= reader.maxKey());
                    }
                }
            } catch (CorruptStoreException e) {
                found++;
            }
        }
        assertTrue(found > 1_000, "found=" + found + ", seed=" + seed);
    }

    /** Values of which there are more bits than there could be bytes. */
    @Test
    void shouldRefuseCountsThatNoBytesHold() {
        BinScale scale = BinScale.of(Bins.linear(0, 1, 1), ValueType.I64);
        for (int count : new int[] {1 << 29, Integer.MAX_VALUE}) {
            UnsafeBuffer list = new UnsafeBuffer(new byte[64]);
            BitWriter bits = new BitWriter();
            bits.wrap(list, 0);
            bits.put(RunBinsDescriptor.FLAG, Byte.SIZE);
            bits.putNumber(1, RunBinsDescriptor.COUNT_BITS);
            bits.put(1, 1); // some values
            bits.putNumber(0, 0);
            bits.putNumber(count - 1, 0);
            bits.put(0, 1); // not equal
            long room = scale.highKey(0) - scale.lowKey(0);
            bits.putNumber(0, RunBinsDescriptor.distanceBits(room, count));
            bits.putNumber(Long.MAX_VALUE, RunBinsDescriptor.distanceBits(room, count)); // of 63 bits
            bits.put(1, 1); // values
            int length = bits.finish() + 8;
            BinListReader reader = new BinListReader(scale, ValueType.I64);
            reader.wrap(list, 0, length);
            assertThrows(CorruptStoreException.class, reader::nextCount, () -> "count=" + count);
        }
    }

    /** Chunks' own bins take more: 64 of them are summed up. */
    @Test
    void shouldTakeFewBytesForLatencies() {
        random.setSeed(7);
        Case made = new Case(ValueType.I64, Bins.logLinear());
        random.longs(64 * 1_300).forEach(any -> made.add((long) Math.exp(11.5 + random.nextGaussian() / 2)));
        made.fillTable();
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 16]);
        int bytes = new BinListWriter().write(made.table, null, 0, made.scale, made.type, buffer, 0);
        int bits = write(made).length;
        assertTrue(bits * 10 < bytes * 7, () -> "bytes=" + bytes + ", as bits=" + bits);
    }
}
