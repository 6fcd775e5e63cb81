package dev.loom.index;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.DoubleSum;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LongSum;
import dev.loom.api.ValueType;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.read.BinListReader;
import dev.loom.value.BinScale;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Runs give back the values of bins that have few, and of all others what they would without. */
class MergedValuesTest {
    private static final StructFormat FORMAT = Formats.struct("i:i64,u:u64,d:f64");

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final RunBinsWriter writer = new RunBinsWriter();

    private static Index index(ValueType type, Bins bins) {
        String field = type == ValueType.I64 ? "i" : type == ValueType.U64 ? "u" : "d";
        return new Index(
                7, 1, "latency", Index.Kind.VALUE, IndexFunction.field(FORMAT, field), bins.withValues(), 0, false);
    }

    private long key(ValueType type, double mean) {
        double value = Math.exp(mean + 2 * random.nextGaussian());
        return type == ValueType.F64 ? ValueType.F64.key(Double.doubleToRawLongBits(value)) : (long) value << 3;
    }

    @Test
    void shouldGiveBackValuesOfTheBinsThatHaveFew() {
        System.out.println("MergedValuesTest: -Dloom.test.seed=" + seed);
        for (int round = 0; round < 400; round++) {
            ValueType type =
                    List.of(ValueType.I64, ValueType.U64, ValueType.F64).get(random.nextInt(3));
            Bins bins = List.of(Bins.logLinear(), Bins.logLinear(1), Bins.linear(0, 100_000, 40))
                    .get(random.nextInt(3));
            BinScale scale = BinScale.of(bins, type);
            MergedIndex merged = new MergedIndex(index(type, bins), scale);
            TreeMap<Integer, List<Long>> all = new TreeMap<>();
            Set<Integer> unknown = new HashSet<>();
            for (int part = random.nextInt(13); part >= 0; part--) { // fewer values than a bin may have
                addPart(type, scale, merged, all, unknown);
            }
            for (int max : new int[] {0, random.nextInt(200), 1 << 20}) {
                check(type, scale, merged, all, unknown, max);
            }
        }
    }

    private void addPart(
            ValueType type, BinScale scale, MergedIndex merged, Map<Integer, List<Long>> all, Set<Integer> unknown) {
        TreeMap<Integer, List<Long>> part = new TreeMap<>();
        for (int i = random.nextInt(300); i >= 0; i--) {
            long key = key(type, 9);
            part.computeIfAbsent(scale.bin(key), bin -> new ArrayList<>()).add(key);
        }
        part.forEach((bin, keys) -> {
            long[] values = keys.stream().mapToLong(Long::longValue).sorted().toArray();
            boolean known = values.length < 3 || random.nextInt(100) > 0;
            if (known) {
                Arrays.stream(values).forEach(key -> merged.addValue(bin, key));
            } else {
                merged.dropValues(bin);
                unknown.add(bin);
            }
            if (type == ValueType.F64) {
                DoubleSum sum = new DoubleSum();
                keys.forEach(key -> sum.add(ValueType.doubleOf(key)));
                merged.addBin(bin, values.length, values[0], values[values.length - 1], sum.value());
            } else {
                LongSum sum = new LongSum();
                keys.forEach(sum::add);
                merged.addBin(bin, values.length, values[0], values[values.length - 1], sum);
            }
            all.computeIfAbsent(bin, any -> new ArrayList<>()).addAll(keys);
        });
    }

    private void check(
            ValueType type,
            BinScale scale,
            MergedIndex merged,
            Map<Integer, List<Long>> all,
            Set<Integer> unknown,
            int max) {
        ExpandableArrayBuffer encoded = new ExpandableArrayBuffer();
        int length = merged.encodeBins(writer, encoded, 0, max);
        BinListReader reader = new BinListReader(scale, type);
        // nothing behind the end may be needed
        reader.wrap(new UnsafeBuffer(Arrays.copyOf(encoded.byteArray(), length)), 0, length);
        int values = 0;
        int most = 0;
        int fewestWithout = Integer.MAX_VALUE;
        for (Map.Entry<Integer, List<Long>> entry : all.entrySet()) {
            assertTrue(reader.next(), "seed=" + seed);
            assertEquals(entry.getKey(), reader.bin());
            assertEquals(entry.getValue().size(), reader.count());
            checkTotals(type, reader, entry.getValue());
            long[] sorted = entry.getValue().stream()
                    .mapToLong(Long::longValue)
                    .sorted()
                    .toArray();
            boolean needsValues = sorted.length > 3 && sorted[0] != sorted[sorted.length - 1];
            if (reader.isComplete()) {
                long[] found = new long[reader.count()];
                Arrays.setAll(found, reader::key);
                Arrays.sort(found);
                assertArrayEquals(sorted, found, "seed=" + seed);
                assertFalse(needsValues && unknown.contains(entry.getKey()));
            }
            if (needsValues && !unknown.contains(entry.getKey())) {
                values += reader.isComplete() ? sorted.length : 0;
                most = Math.max(most, reader.isComplete() ? sorted.length : 0);
                fewestWithout = Math.min(fewestWithout, reader.isComplete() ? Integer.MAX_VALUE : sorted.length);
            }
        }
        assertFalse(reader.next());
        assertTrue(values <= max, "values=" + values + ", max=" + max + ", seed=" + seed);
        assertTrue(most < fewestWithout, "most=" + most + ", fewest without=" + fewestWithout + ", seed=" + seed);
        assertTrue(
                max < 1 << 20 || fewestWithout == Integer.MAX_VALUE,
                "fewest without=" + fewestWithout + ", type=" + type + ", bins=" + scale.count() + ", seed=" + seed);
    }

    private static void checkTotals(ValueType type, BinListReader reader, List<Long> keys) {
        assertEquals(keys.stream().min(Long::compare).orElseThrow(), reader.minKey());
        assertEquals(keys.stream().max(Long::compare).orElseThrow(), reader.maxKey());
        if (type == ValueType.F64) {
            DoubleSum sum = new DoubleSum();
            reader.addTo(sum);
            double right = keys.stream().mapToDouble(ValueType::doubleOf).sum();
            assertEquals(right, sum.value(), Math.abs(right) * 1e-9);
        } else {
            LongSum sum = new LongSum();
            reader.addKeysTo(sum);
            assertEquals(
                    keys.stream().map(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add),
                    sum.toBigInteger());
        }
    }

    @Test
    void shouldTellWhenABinHasLostItsValues() {
        MergedValues values = new MergedValues();
        int kept = 0;
        while (kept < 100_000 && values.add(1, 7)) {
            kept++;
        }
        assertTrue(kept >= 64 && kept < 100_000, "kept=" + kept);
        assertFalse(values.add(1, 7));
        assertTrue(values.add(2, 7));
        values.drop(2);
        assertFalse(values.add(2, 7));
    }

    @Test
    void shouldGoWithoutTheFullestBinsWhenThereIsNoRoom() {
        Bins bins = Bins.linear(0, 1_000_000, 1_000);
        BinScale scale = BinScale.of(bins, ValueType.I64);
        MergedIndex merged = new MergedIndex(index(ValueType.I64, bins), scale);
        TreeMap<Integer, List<Long>> all = new TreeMap<>();
        // as many values in each bin as its number, 45,000 of all
        for (int bin = 1; bin <= 300; bin++) {
            for (int i = 0; i < bin; i++) {
                long key = scale.lowKey(bin) + (i & 1);
                LongSum sum = new LongSum();
                sum.add(key);
                merged.addBin(bin, 1, key, key, sum);
                merged.addValue(bin, key);
                all.computeIfAbsent(bin, any -> new ArrayList<>()).add(key);
            }
        }
        ExpandableArrayBuffer encoded = new ExpandableArrayBuffer();
        int length = merged.encodeBins(writer, encoded, 0, 1 << 20);
        BinListReader reader = new BinListReader(scale, ValueType.I64);
        reader.wrap(encoded, 0, length);
        int complete = 0;
        while (reader.next()) {
            assertEquals(Objects.requireNonNull(all.get(reader.bin())).size(), reader.count());
            assertTrue(!reader.isComplete() || reader.bin() == complete + 1, "bin=" + reader.bin());
            complete += reader.isComplete() ? 1 : 0;
        }
        assertTrue(complete >= 64 && complete < 300, "complete=" + complete);
    }
}
