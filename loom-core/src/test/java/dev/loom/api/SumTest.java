package dev.loom.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SumTest {
    private static final BigInteger TWO_64 = BigInteger.ONE.shiftLeft(64);

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @BeforeEach
    void printSeed() {
        System.out.println("SumTest: -Dloom.test.seed=" + seed);
    }

    @Test
    void shouldSumIntegersExactly() {
        for (int round = 0; round < 500; round++) {
            LongSum sum = new LongSum();
            LongSum half = new LongSum();
            BigInteger expected = BigInteger.ZERO;
            for (int i = random.nextInt(50); i > 0; i--) {
                long value = random.nextInt(4) == 0 ? end() : random.nextLong() >> random.nextInt(64);
                long times = random.nextLong() >>> (8 + random.nextInt(56)); // the sum stays within 128 bits
                BigInteger exact = BigInteger.valueOf(value);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        sum.addUnsigned(value);
                        exact = unsigned(value);
                    }
                    case 1 -> {
                        half.addProduct(value, times);
                        exact = exact.multiply(BigInteger.valueOf(times));
                    }
                    case 2 -> {
                        sum.subtract(value >> 63, value);
                        exact = exact.negate();
                    }
                    default -> sum.add(value);
                }
                expected = expected.add(exact);
            }
            sum.add(half);
            assertSum(expected, sum);
        }
    }

    private long end() {
        long[] ends = {Long.MIN_VALUE, Long.MAX_VALUE, -1, 0, 1, 1L << 53, (1L << 53) + 1};
        return ends[random.nextInt(ends.length)];
    }

    private static BigInteger unsigned(long value) {
        return BigInteger.valueOf(value).mod(TWO_64);
    }

    private void assertSum(BigInteger expected, LongSum sum) {
        assertEquals(expected, sum.toBigInteger(), () -> "seed=" + seed);
        assertEquals(expected.toString(), sum.toString(), () -> "seed=" + seed);
        assertEquals(expected.doubleValue(), sum.doubleValue(), () -> "seed=" + seed);
        assertEquals(expected.bitLength() < 64, sum.isLong());
    }

    @Test
    void shouldPrintSumInFullWhenItDoesNotFit64Bits() {
        LongSum sum = new LongSum();
        for (int i = 0; i < 3; i++) {
            sum.addUnsigned(-1);
        }
        assertEquals("55340232221128654845", sum.toString());
        sum.clear();
        sum.addProduct(Long.MIN_VALUE, Long.MAX_VALUE);
        assertEquals("-85070591730234615856620279821087277056", sum.toString());
        assertEquals(-0x1p126, sum.doubleValue());
    }

    @Test
    void shouldSumDoublesToWithinAFewRoundings() {
        for (int round = 0; round < 500; round++) {
            DoubleSum[] parts = {new DoubleSum(), new DoubleSum(), new DoubleSum()};
            BigDecimal exact = BigDecimal.ZERO;
            BigDecimal magnitude = BigDecimal.ZERO;
            int count = random.nextInt(2_000);
            for (int i = 0; i < count; i++) {
                double value = random.nextGaussian() * Math.pow(10, random.nextInt(20));
                parts[random.nextInt(parts.length)].add(value);
                exact = exact.add(new BigDecimal(value));
                magnitude = magnitude.add(new BigDecimal(Math.abs(value)));
            }
            DoubleSum sum = new DoubleSum();
            for (DoubleSum part : parts) {
                sum.add(part);
            }
            double error = Math.abs(new BigDecimal(sum.value()).subtract(exact).doubleValue());
            // Neumaier: one rounding of the result, and a rounding squared for each addition
            double bound = Math.ulp(exact.doubleValue()) + magnitude.doubleValue() * (count + 3) * Math.pow(2, -104);
            assertTrue(error <= bound, () -> "seed=" + seed + " error=" + error + " bound=" + bound);
        }
    }

    @Test
    void shouldKeepWhatPlainAdditionLoses() {
        DoubleSum sum = new DoubleSum();
        for (double value : new double[] {1, 1e100, 1, -1e100}) {
            sum.add(value);
        }
        assertEquals(2.0, sum.value());
    }

    @Test
    void shouldBeInfiniteWhenAValueIs() {
        DoubleSum sum = new DoubleSum();
        sum.add(1);
        sum.add(Double.POSITIVE_INFINITY);
        sum.add(2);
        assertEquals(Double.POSITIVE_INFINITY, sum.value());
        DoubleSum merged = new DoubleSum();
        merged.add(3);
        merged.add(sum);
        assertEquals("Infinity", merged.toString());
        merged.add(Double.NEGATIVE_INFINITY);
        assertTrue(Double.isNaN(merged.value()));
        DoubleSum overflowing = new DoubleSum();
        overflowing.add(Double.MAX_VALUE);
        overflowing.add(Double.MAX_VALUE);
        assertEquals(Double.POSITIVE_INFINITY, overflowing.value());
    }
}
