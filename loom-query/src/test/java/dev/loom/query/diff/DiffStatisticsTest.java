package dev.loom.query.diff;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.value.KeyEncoder;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The parts of a comparison, each beside an independent way to find the same. */
final class DiffStatisticsTest {
    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    /** The example of a textbook table: smokers and others, with and without the disease. */
    @Test
    void shouldFindTheRiskRatioAndItsInterval() {
        // 84 of 3,000 with it, 87 of 5,000 without: 0.028 / 0.0174
        Contingency counts = new Contingency(84, 171, 2_916, 7_829);
        Contingency.Ratio ratio = counts.riskRatio();
        assertEquals(1.609, ratio.value(), 0.001);
        double deviation = Math.sqrt(1 / 84.0 - 1 / 3_000.0 + 1 / 87.0 - 1 / 5_000.0);
        assertEquals(1.609 * Math.exp(-1.96 * deviation), ratio.low(), 0.001);
        assertEquals(1.609 * Math.exp(1.96 * deviation), ratio.high(), 0.001);
    }

    @Test
    void shouldAddAHalfOnlyWhereANumberIsZero() {
        Contingency.Ratio ratio = new Contingency(4, 4, 0, 43_257).riskRatio();
        assertEquals(4.5 / 5 / (0.5 / 43_258), ratio.value(), 1e-6);
        assertTrue(ratio.low() > 1_000 && Double.isFinite(ratio.high()));
        assertEquals(0.5 / 0.25, new Contingency(1, 2, 1, 4).riskRatio().value(), 1e-12);
    }

    @Test
    void shouldFindTheProbabilityOfFishersTest() {
        for (int i = 0; i < 300; i++) {
            int selectedOf = 1 + random.nextInt(i < 200 ? 40 : 400);
            int againstOf = 1 + random.nextInt(i < 200 ? 40 : 3_000);
            int selected = random.nextInt(selectedOf + 1);
            int against = random.nextInt(againstOf + 1);
            Contingency counts = new Contingency(selected, selectedOf, against, againstOf);
            double expected = fisher(selected, selectedOf, against, againstOf);
            boolean more = counts.isMoreFrequent();
            assertEquals((long) selected * againstOf > (long) against * selectedOf, more);
            double found = Math.exp(counts.logProbability());
            if (more && expected > 1e-290) {
                assertEquals(1, found / expected, 1e-8, () -> "seed=" + seed + ", counts=" + counts);
            } else if (!more) {
                assertEquals(1, found);
            }
        }
        assertEquals(-692, new Contingency(1_000_000, 1_000_000, 0, 1_000_000_000L).logProbability() / 10_000, 130);
    }

    /** The probability that at least this number of the chosen have it, by whole numbers. */
    private static double fisher(int selected, int selectedOf, int against, int againstOf) {
        int with = selected + against;
        BigInteger sum = BigInteger.ZERO;
        for (int x = selected; x <= Math.min(with, selectedOf); x++) {
            if (with - x <= againstOf) {
                sum = sum.add(choose(selectedOf, x).multiply(choose(againstOf, with - x)));
            }
        }
        return new BigDecimal(sum)
                .divide(new BigDecimal(choose(selectedOf + againstOf, with)), MathContext.DECIMAL64)
                .doubleValue();
    }

    private static BigInteger choose(int of, int count) {
        BigInteger result = BigInteger.ONE;
        for (int i = 0; i < count; i++) {
            result = result.multiply(BigInteger.valueOf(of - i)).divide(BigInteger.valueOf(i + 1));
        }
        return result;
    }

    @Test
    void shouldTellAllOfTheChoiceOnlyIfItIsTheSame() {
        assertEquals(1, new Contingency(7, 7, 0, 93).information(), 1e-12);
        assertEquals(0, new Contingency(7, 7, 93, 93).information(), 1e-12);
        assertEquals(0, new Contingency(10, 20, 40, 80).information(), 1e-12);
        // by hand: 1 bit of entropy, of which one half with the other left over tells 0.311
        assertEquals(0.3113, new Contingency(50, 100, 0, 100).information(), 0.0001);
        assertTrue(new Contingency(6, 7, 0, 93).information() < 1);
    }

    @Test
    void shouldKeepEveryFrequentKey() {
        for (int run = 0; run < 20; run++) {
            HeavyHitters sketch = new HeavyHitters();
            Map<Integer, Long> counts = new HashMap<>();
            int records = 1 + random.nextInt(20_000);
            int distinct = 1 + random.nextInt(5_000);
            for (int i = 0; i < records; i++) {
                int key = (int) (distinct * Math.pow(random.nextDouble(), 3));
                counts.merge(key, 1L, Long::sum);
                byte[] bytes = Integer.toString(key).getBytes(StandardCharsets.UTF_8);
                sketch.add(key * 0x9E3779B97F4A7C15L + 1, new UnsafeBuffer(bytes), bytes.length);
            }
            assertTrue(sketch.error() * HeavyHitters.CAPACITY <= records, () -> "seed=" + seed);
            long frequent = sketch.error() + 1;
            List<String> kept = Arrays.stream(sketch.keys(frequent))
                    .map(key -> new String(key, StandardCharsets.UTF_8))
                    .toList();
            counts.forEach((key, count) -> assertTrue(
                    count < frequent || kept.contains(key.toString()), () -> "seed=" + seed + ", key=" + key));
            if (counts.size() <= HeavyHitters.CAPACITY) {
                assertEquals(0, sketch.error());
            }
        }
    }

    @Test
    void shouldSampleEachRecordWithEqualProbability() {
        int size = 64;
        int records = 1_000;
        int runs = 4_000;
        int[] hits = new int[records];
        for (int run = 0; run < runs; run++) {
            Reservoir reservoir = new Reservoir(size, seed + run);
            int[] sample = new int[size];
            for (int record = 0; record < records; record++) {
                int place = reservoir.place();
                if (place != Reservoir.NONE) {
                    sample[place] = record;
                }
                assertEquals(Math.min(record + 1, size), reservoir.filled());
            }
            Arrays.stream(sample).forEach(record -> hits[record]++);
        }
        double expected = (double) runs * size / records;
        double squares = 0;
        for (int hit : hits) {
            squares += (hit - expected) * (hit - expected) / expected;
        }
        // chi-square of 999 degrees of freedom; six deviations
        assertEquals(records, squares, 6 * Math.sqrt(2.0 * records), () -> "seed=" + seed);
    }

    @Test
    void shouldPutEveryNumberInTheBinOfItsValue() {
        for (int run = 0; run < 50; run++) {
            double[] left = sorted(1 + random.nextInt(300));
            double[] right = sorted(random.nextInt(300));
            NumberEdges edges = NumberEdges.of(left, right, false);
            for (int bin = 0; bin + 1 < edges.bins(); bin++) {
                assertTrue(edges.high(bin) < edges.high(bin + 1) && edges.high(bin) == edges.low(bin + 1));
            }
            for (int i = 0; i < 300; i++) {
                boolean integer = random.nextBoolean();
                long bits = random.nextLong() >> random.nextInt(64);
                double number = i % 3 == 0 ? left[random.nextInt(left.length)] : number();
                if (integer) {
                    require(edges, bits < 0 && i % 2 == 0 ? KeyEncoder.UNSIGNED : KeyEncoder.INTEGER, bits);
                } else {
                    require(edges, KeyEncoder.DOUBLE, Double.doubleToRawLongBits(number));
                }
            }
        }
    }

    private void require(NumberEdges edges, byte kind, long bits) {
        int bin = edges.bin(kind, bits);
        if (kind == KeyEncoder.DOUBLE && Double.isInfinite(Double.longBitsToDouble(bits))) {
            assertEquals(bits > 0 ? edges.bins() - 1 : 0, bin);
            return;
        }
        BigDecimal exact = kind == KeyEncoder.DOUBLE
                ? new BigDecimal(Double.longBitsToDouble(bits))
                : new BigDecimal(kind == KeyEncoder.INTEGER ? Long.toString(bits) : Long.toUnsignedString(bits));
        int expected = 0;
        while (expected + 1 < edges.bins() && new BigDecimal(edges.high(expected)).compareTo(exact) <= 0) {
            expected++;
        }
        assertEquals(expected, bin, () -> "seed=" + seed + ", number=" + exact);
    }

    private double number() {
        return switch (random.nextInt(5)) {
            case 0 -> random.nextInt(100);
            case 1 -> (double) random.nextLong();
            case 2 -> 0x1p63 * (1 + random.nextDouble());
            case 3 -> random.nextInt(20) == 0 ? Double.POSITIVE_INFINITY : random.nextGaussian() * 1e20;
            default -> random.nextGaussian();
        };
    }

    private double[] sorted(int count) {
        return random.doubles()
                .map(any -> number())
                .filter(Double::isFinite)
                .limit(count)
                .sorted()
                .toArray();
    }

    @Test
    void shouldGiveEdgesFewDigits() {
        assertEquals(97_300, NumberEdges.between(97_214, 97_312.5, false));
        assertEquals(100_000, NumberEdges.between(97_214, 131_312.5, false));
        assertEquals(-98_000, NumberEdges.between(-98_100, -97_999, false));
        assertEquals(0, NumberEdges.between(-5, 0, false));
        assertEquals(
                (double) 1795229193399411200L, NumberEdges.between(1795229193399410944L, 1795229193399411200L, false));
        assertEquals((double) 0.7f, NumberEdges.between(0.65, 0.7100000381469727, true));
        NumberEdges floats = NumberEdges.of(new double[] {0.65f, 0.71f}, new double[] {}, true);
        assertEquals(new BigDecimal("0.7"), floats.decimal(floats.low(1)));
        assertNull(floats.decimal(floats.low(0)));
    }

    @Test
    void shouldFindTheNamesOfMembers() {
        List<String> names = new ArrayList<>();
        MemberNames members = new MemberNames("p.", new UnsafeBuffer(new byte[0]), names::add);
        read(members, " {\"a\" : 1, \"b\":{\"c\": [1,{\"no\":2}], \"d.e\":\"}\\\"\"} , \"\\u0061\\n\":null,\"e\":{}}");
        assertEquals(List.of("p.a", "p.b.c", "p.b.d.e", "p.a\n", "p.e"), names);
        read(members, "{\"a\":{\"f\":true},\"x\":{\"x\":{\"x\":{\"x\":{\"x\":1}}}}}");
        assertEquals(List.of("p.a.f", "p.x.x.x.x"), names.subList(5, names.size()));
        read(members, "[{\"z\":1}]");
        read(members, "{\"h\\ud83d\":1}");
        assertEquals("p.h\ufffd", names.get(7), "as the name is decoded");
        read(
                members,
                "{\"" + "n".repeat(MemberNames.LENGTH_MAX) + "\":1,\"" + "n".repeat(MemberNames.LENGTH_MAX - 2)
                        + "\":2}");
        assertEquals(9, names.size());
        assertEquals(MemberNames.LENGTH_MAX, names.get(8).length());
        byte[] bytes = "{\"a\":{\"b\":[\"c\\\"\",{}],\"d\":\"\\u00e4\"},\"e\":-1.5e3}".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 2_000; i++) {
            byte[] damaged = bytes.clone();
            damaged[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            // malformed text has some names, or none; it never fails, and never goes on for ever
            members.read(new UnsafeBuffer(damaged), 0, random.nextInt(bytes.length + 1));
        }
    }

    @Test
    void shouldAskAgainForANameThatFoundNoRoom() {
        TreeSet<String> asked = new TreeSet<>();
        int[] calls = {0};
        MemberNames members = new MemberNames("", new UnsafeBuffer(new byte[0]), name -> {
            calls[0]++;
            return !asked.add(name);
        });
        read(members, "{\"a\":1}");
        read(members, "{\"a\":1}");
        read(members, "{\"a\":1}");
        assertEquals(2, calls[0]);
        assertFalse(asked.isEmpty());
    }

    private static void read(MemberNames members, String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        members.read(new UnsafeBuffer(bytes), 0, bytes.length);
    }
}
