package dev.loom.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class RatioTest {
    private static final double CONFIDENCE = 0.999;

    /** Student's t from a printed table: two-sided 99.9 %, 4 degrees of freedom. */
    private static final double T_4 = 8.610;

    @Test
    void shouldGiveStudentsIntervalOfAMean() {
        // mean 14, variance 10, standard error sqrt(10 / 5)
        final Interval interval = Measurement.of(10, 12, 14, 16, 18).interval(CONFIDENCE);

        assertEquals(14 - T_4 * Math.sqrt(2), interval.low(), 0.001);
        assertEquals(14 + T_4 * Math.sqrt(2), interval.high(), 0.001);
    }

    @Test
    void shouldTellNoDifferenceWhenTheSpreadIsWiderThanIt() {
        final Ratio ratio =
                Ratio.of(Measurement.of(10, 12, 14, 16, 18), Measurement.of(11, 13, 15, 17, 19), CONFIDENCE);

        assertEquals(15.0 / 14, ratio.value(), 1e-12);
        assertTrue(ratio.interval().contains(1));
        assertEquals(Ratio.Verdict.SAME, ratio.verdict(true));
    }

    @Test
    void shouldTellBetterFromWorseByTheUnit() {
        final Ratio ratio = Ratio.of(
                Measurement.of(100, 100.1, 99.9, 100, 100), Measurement.of(110, 110.1, 109.9, 110, 110), CONFIDENCE);

        assertEquals(Ratio.Verdict.BETTER, ratio.verdict(true));
        assertEquals(Ratio.Verdict.WORSE, ratio.verdict(false));
    }

    @Test
    void shouldGiveTheReciprocalWhenSwapped() {
        final Measurement first = Measurement.of(9, 10, 11);
        final Measurement second = Measurement.of(19, 20, 22);
        final Ratio ratio = Ratio.of(first, second, CONFIDENCE);
        final Ratio swapped = Ratio.of(second, first, CONFIDENCE);

        assertEquals(1 / swapped.value(), ratio.value(), 1e-12);
        assertEquals(1 / swapped.interval().high(), ratio.interval().low(), 1e-9);
        assertEquals(1 / swapped.interval().low(), ratio.interval().high(), 1e-9);
    }

    /** Equal counts and relative errors: Welch's degrees of freedom are those of both together, 8; t is 5.041. */
    @Test
    void shouldWidenTheIntervalByBothErrors() {
        final Ratio ratio =
                Ratio.of(Measurement.of(10, 12, 14, 16, 18), Measurement.of(20, 24, 28, 32, 36), CONFIDENCE);

        final double relativeError = Math.sqrt(2 * 2 / (14.0 * 14));
        assertEquals(2 * Math.exp(-5.041 * relativeError), ratio.interval().low(), 0.001);
        assertEquals(2 * Math.exp(5.041 * relativeError), ratio.interval().high(), 0.01);
    }

    @Test
    void shouldGiveNoVerdictOnSingleSamples() {
        final Ratio ratio = Ratio.of(Measurement.of(10), Measurement.of(20), CONFIDENCE);

        assertEquals(2, ratio.value());
        assertFalse(ratio.interval().contains(2));
        assertEquals(Ratio.Verdict.UNKNOWN, ratio.verdict(true));
    }
}
