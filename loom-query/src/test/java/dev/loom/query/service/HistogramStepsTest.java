package dev.loom.query.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.query.Histogram;
import dev.loom.query.histogram.TimeSteps;
import dev.loom.query.model.TimeRange;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Steps over ranges near both ends of a long, compared with arithmetic that does not overflow. */
final class HistogramStepsTest {
    private static final int ROUNDS = 200_000;
    private static final int COUNT_MIN = 8;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void shouldHaveOneStepForTheGreatestTime() {
        TimeRange greatest = new TimeRange(Long.MAX_VALUE, Long.MAX_VALUE);
        TimeRange held = TimeRange.closed(5, Long.MAX_VALUE);
        for (Duration length : new Duration[] {null, Duration.ofNanos(1), Duration.ofNanos(Long.MAX_VALUE)}) {
            HistogramRequest.Steps asked = new HistogramRequest.Steps(length, 30);
            HistogramSteps steps = Objects.requireNonNull(HistogramSteps.of(greatest, held, asked));
            assertEquals(greatest, steps.range());
            assertEquals(1, steps.count());
            assertEquals(greatest, steps.whole(greatest).range());
        }
    }

    @Test
    void shouldAgreeWithArithmeticThatDoesNotOverflow() {
        System.out.println("HistogramStepsTest: -Dloom.test.seed=" + seed);
        for (int i = 0; i < ROUNDS; i++) {
            TimeRange wanted = range();
            TimeRange held = range();
            Duration length = random.nextInt(3) == 0 ? null : Duration.ofNanos(1 + (magnitude() & Long.MAX_VALUE - 1));
            HistogramRequest.Steps asked = new HistogramRequest.Steps(length, random.nextInt(200), time());
            String shown = "seed=" + seed + ", wanted=" + wanted + ", held=" + held + ", asked=" + asked;
            // event times are never the least long, which says that there is none
            if (held.fromNs() > Long.MIN_VALUE && !held.isEmpty()) {
                check(wanted, held, asked, shown);
            }
        }
    }

    private void check(TimeRange wanted, TimeRange held, HistogramRequest.Steps asked, String shown) {
        BigInteger firstNs = big(wanted.fromNs()).max(big(held.fromNs()));
        BigInteger lastNs = last(wanted).min(last(held));
        HistogramSteps steps;
        try {
            steps = HistogramSteps.of(wanted, held, asked);
        } catch (RequestException e) {
            BigInteger length =
                    big(Objects.requireNonNull(asked.length(), shown).toNanos());
            assertTrue(
                    lastNs.subtract(firstNs).divide(length).add(BigInteger.TWO).compareTo(big(Histogram.CELLS_MAX)) > 0,
                    shown);
            return;
        }
        if (firstNs.compareTo(lastNs) > 0) {
            assertNull(steps, shown);
            return;
        }
        assertNotNull(steps, shown);
        BigInteger step = big(steps.step().toNanos());
        BigInteger fromNs = big(steps.range().fromNs());
        BigInteger pastNs = firstNs.subtract(big(asked.originNs())).mod(step);
        BigInteger roundNs = firstNs.subtract(pastNs);
        boolean open = roundNs.compareTo(big(Long.MIN_VALUE)) <= 0;
        BigInteger expectedNs = open ? firstNs : roundNs.max(big(wanted.fromNs()));
        assertEquals(firstNs.equals(big(wanted.fromNs())) ? firstNs : expectedNs, fromNs, shown);
        assertEquals(lastNs, last(steps.range()), shown);
        checkLength(asked, step, lastNs.subtract(firstNs), shown);
        // the greatest time has no step of its own if a step ends with it
        BigInteger lengthNs = big(steps.range().toNs()).subtract(fromNs).max(BigInteger.ONE);
        assertEquals(ceilDiv(lengthNs, step), big(steps.count()), shown);
        BigInteger endNs = fromNs.add(step.multiply(big(steps.count())));
        assertEquals(
                endNs.min(big(wanted.toNs())), big(steps.whole(wanted).range().toNs()), shown);
        assertEquals(steps.count(), steps.whole(wanted).count(), shown);
        checkTimes(new TimeSteps(steps.range(), steps.step().toNanos()), fromNs, lastNs, step, shown);
    }

    private static void checkLength(HistogramRequest.Steps asked, BigInteger step, BigInteger spanNs, String shown) {
        if (asked.length() != null) {
            assertEquals(big(asked.length().toNanos()), step, shown);
        } else {
            BigInteger countMax = big(Math.max(COUNT_MIN, asked.countMax()));
            assertTrue(step.multiply(countMax).compareTo(spanNs) >= 0, shown);
        }
    }

    private void checkTimes(TimeSteps steps, BigInteger fromNs, BigInteger lastNs, BigInteger length, String shown) {
        BigInteger offsetNs =
                new BigInteger(64, random).mod(lastNs.subtract(fromNs).add(BigInteger.ONE));
        for (BigInteger timeNs : new BigInteger[] {fromNs, lastNs, fromNs.add(offsetNs)}) {
            int expected = timeNs.subtract(fromNs)
                    .divide(length)
                    .min(big(steps.count() - 1L))
                    .intValueExact();
            assertEquals(expected, steps.step(timeNs.longValueExact()), shown + ", time=" + timeNs);
            assertTrue(steps.range(expected).contains(timeNs.longValueExact()), shown + ", time=" + timeNs);
        }
    }

    private static BigInteger last(TimeRange range) {
        BigInteger end = big(range.toNs());
        return range.toNs() == Long.MAX_VALUE ? end : end.subtract(BigInteger.ONE);
    }

    private static BigInteger ceilDiv(BigInteger dividend, BigInteger divisor) {
        return dividend.add(divisor).subtract(BigInteger.ONE).divide(divisor);
    }

    private static BigInteger big(long value) {
        return BigInteger.valueOf(value);
    }

    private TimeRange range() {
        long one = time();
        long other = random.nextBoolean() ? time() : near(one);
        return new TimeRange(Math.min(one, other), Math.max(one, other));
    }

    /** Near an end of a long, near 0, or anywhere. */
    private long time() {
        long[] ends = {Long.MIN_VALUE, Long.MAX_VALUE, 0, random.nextLong()};
        return near(ends[random.nextInt(ends.length)]);
    }

    /** Without overflow: what is beyond an end is the end. */
    private long near(long time) {
        return big(time)
                .add(big(magnitude()).multiply(big(random.nextInt(3) - 1)))
                .max(big(Long.MIN_VALUE))
                .min(big(Long.MAX_VALUE))
                .longValueExact();
    }

    private long magnitude() {
        long bits = random.nextLong() >>> (1 + random.nextInt(63));
        return random.nextBoolean() ? bits : Long.highestOneBit(bits);
    }
}
