package dev.loom.bench.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Latencies drawn from a curve. {@code -Dloom.test.seed=S} gives the seed. */
final class LatencyCurveTest {
    private static final int DRAWS = 4_000_000;

    @Test
    void shouldDrawTheCurveWhenBitsAreEven() {
        final long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("LatencyCurveTest: -Dloom.test.seed=" + seed);
        final SplittableRandom random = new SplittableRandom(seed);
        final long[] drawn = new long[DRAWS];
        Arrays.setAll(drawn, i -> RedisCurves.REQUEST.draw(random.nextLong()));
        Arrays.sort(drawn);
        for (final double share : new double[] {0.01, 0.5, 0.9, 0.99, 0.999}) {
            final double expected = (double) RedisCurves.REQUEST.quantile(share);
            assertEquals(expected, (double) drawn[(int) (share * DRAWS)], 0.1 * expected, "share=" + share);
        }
        // 400 of all are above: by their number, since there the curve is steep
        final long tail = RedisCurves.REQUEST.quantile(0.9999);
        final long above = Arrays.stream(drawn).filter(value -> value > tail).count();
        assertEquals(400, (double) above, 150);
        assertTrue(drawn[0] >= RedisCurves.REQUEST.quantile(0));
        assertTrue(drawn[DRAWS - 1] <= RedisCurves.REQUEST.quantile(1));
    }

    @Test
    void shouldGiveWhatWasMeasuredAtItsShares() {
        assertEquals(42_800, RedisCurves.REQUEST.quantile(0));
        assertEquals(86_839, RedisCurves.REQUEST.quantile(0.5));
        assertEquals(3_032_623, RedisCurves.REQUEST.quantile(0.9999));
        assertEquals(4_142_951, RedisCurves.REQUEST.quantile(1));
    }

    @Test
    void shouldRefuseSharesWithoutValues() {
        assertThrows(IllegalArgumentException.class, () -> new LatencyCurve(new double[] {0, 1}, 1));
        assertThrows(IllegalArgumentException.class, () -> new LatencyCurve(new double[] {0, 0.5}, 1, 2));
    }
}
