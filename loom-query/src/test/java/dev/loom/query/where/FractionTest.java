package dev.loom.query.where;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Exact numbers. {@code -Dloom.test.seed=S} repeats a run. */
class FractionTest {
    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void shouldFindTheNearestDouble() {
        System.out.println("FractionTest: -Dloom.test.seed=" + seed);
        for (int i = 0; i < 20_000; i++) {
            int exponent = random.nextInt(2_400) - 1_200;
            BigInteger numerator = number().shiftLeft(Math.max(exponent, 0));
            BigInteger denominator = number().shiftLeft(Math.max(-exponent, 0));
            Fraction fraction = new Fraction(numerator, denominator);
            String digits = new BigDecimal(numerator)
                    .divide(new BigDecimal(denominator), new MathContext(900))
                    .toString();
            assertEquals(Double.parseDouble(digits), fraction.nearestDouble(), fraction::toString);
        }
    }

    /** Half way between two doubles, and beside it, also where these are the least that there are. */
    @Test
    void shouldRoundOnce() {
        System.out.println("FractionTest: -Dloom.test.seed=" + seed);
        for (int i = 0; i < 20_000; i++) {
            double value = Math.abs(Double.longBitsToDouble(random.nextLong() >>> random.nextInt(64)));
            if (!Double.isFinite(value) || value == Double.MAX_VALUE) {
                continue;
            }
            BigDecimal half = new BigDecimal(value)
                    .add(new BigDecimal(Math.nextUp(value)))
                    .divide(BigDecimal.valueOf(2));
            BigDecimal beside =
                    half.movePointLeft(40 + random.nextInt(400)).multiply(BigDecimal.valueOf(random.nextInt(3) - 1));
            BigDecimal exact = half.add(beside);
            assertEquals(
                    Double.parseDouble(exact.toString()), Fraction.of(exact).nearestDouble(), exact::toString);
        }
    }

    private BigInteger number() {
        return new BigInteger(1 + random.nextInt(200), random).add(BigInteger.ONE);
    }

    @Test
    void shouldWriteDecimalsThatEnd() {
        for (int fives = 0; fives < 1_800; fives++) {
            BigInteger power = BigInteger.valueOf(5).pow(fives);
            Fraction fraction = new Fraction(BigInteger.valueOf(21), power.multiply(BigInteger.valueOf(12)));
            BigDecimal decimal = fraction.decimal();
            assertEquals(0, Fraction.of(decimal).compareTo(fraction));
            assertEquals(Math.max(2, fives), decimal.scale());
            assertNull(new Fraction(BigInteger.ONE, power.multiply(BigInteger.valueOf(3))).decimal());
            assertNull(new Fraction(BigInteger.ONE, power.add(BigInteger.valueOf(6))).decimal());
        }
    }
}
