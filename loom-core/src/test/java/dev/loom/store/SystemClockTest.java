package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The machine's clocks are the test's. */
final class SystemClockTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long YEARS_100 = TimeUnit.DAYS.toNanos(36_525);
    private static final long START = 1_700_000_000 * SECOND;

    private long wallNs = START;
    private long monotonicNs = -5 * SECOND;
    private long sleptNs = 77 * SECOND;

    private SystemClock clock(long lastTimeNs) {
        return new SystemClock(lastTimeNs, wallNs, monotonicNs, () -> sleptNs);
    }

    private void pass(SystemClock clock, long seconds) {
        for (long i = 0; i < seconds; i++) {
            wallNs += SECOND;
            monotonicNs += SECOND;
            clock.follow(wallNs, monotonicNs);
        }
    }

    private long ahead(SystemClock clock) {
        return monotonicNs + clock.offsetNs() - wallNs;
    }

    @Test
    void shouldGoWithTheWallClock() {
        SystemClock clock = clock(Long.MIN_VALUE);
        pass(clock, 100);
        assertEquals(0, ahead(clock));
        assertEquals(0, clock.aheadNs());
    }

    @Test
    void shouldPassOverAStepThatIsTakenBack() {
        SystemClock clock = clock(Long.MIN_VALUE);
        for (int seconds = 1; seconds <= 9; seconds++) {
            wallNs += YEARS_100;
            pass(clock, seconds);
            assertEquals(-YEARS_100, ahead(clock), "it has not moved");
            wallNs -= YEARS_100;
            pass(clock, 1);
            assertEquals(0, ahead(clock));
        }
    }

    @Test
    void shouldPassOverAClockThatJumpsAbout() {
        SystemClock clock = clock(Long.MIN_VALUE);
        for (int i = 1; i <= 60; i++) {
            wallNs += YEARS_100 / 100;
            pass(clock, 1);
        }
        wallNs -= 60 * (YEARS_100 / 100);
        pass(clock, 1);
        assertEquals(0, ahead(clock));
    }

    @Test
    void shouldFollowAStepThatLasts() {
        SystemClock clock = clock(Long.MIN_VALUE);
        wallNs += 3_600 * SECOND;
        pass(clock, 12);
        assertEquals(0, ahead(clock));
    }

    @Test
    void shouldFollowAtOnceWhenTheMachineHasSlept() {
        SystemClock clock = clock(Long.MIN_VALUE);
        for (int i = 0; i < 2; i++) {
            wallNs += 3_600 * SECOND;
            sleptNs += 3_600 * SECOND;
            pass(clock, 1);
            assertEquals(0, ahead(clock));
        }
        wallNs += 3_600 * SECOND;
        pass(clock, 1);
        assertEquals(-3_600 * SECOND, ahead(clock), "this time it has not");
    }

    @Test
    void shouldSayHowFarItLeadsAndGiveWay() {
        SystemClock clock = clock(Long.MIN_VALUE);
        wallNs -= 3 * SECOND;
        pass(clock, 1);
        long ahead = ahead(clock);
        assertTrue(ahead <= 3 * SECOND && ahead > 2 * SECOND, "ahead=" + ahead);
        assertEquals(ahead, clock.aheadNs());
        pass(clock, 1_000);
        long later = ahead(clock);
        assertTrue(later < ahead - SECOND / 2, "ahead=" + later);
        pass(clock, 2_000);
        assertTrue(ahead(clock) <= SECOND, "ahead=" + ahead(clock));
        assertEquals(0, clock.aheadNs());
    }

    private long trustedAhead(SystemClock clock) {
        return monotonicNs + clock.trustedOffsetNs() - wallNs;
    }

    /** As after a boot, until the clock is set. */
    @Test
    void shouldNotAgeByAWallClockThatIsFarAheadUntilItHasBeenForLong() {
        SystemClock clock = clock(START - YEARS_100);
        assertEquals(0, ahead(clock));
        pass(clock, 599);
        assertEquals(1 - YEARS_100, trustedAhead(clock));
        pass(clock, 1);
        assertEquals(0, trustedAhead(clock));

        clock = clock(wallNs - YEARS_100);
        pass(clock, 300);
        wallNs -= YEARS_100;
        pass(clock, 1_000);
        assertEquals(0, trustedAhead(clock), "the wall clock was set");
        assertTrue(ahead(clock) > YEARS_100 / 2, "which times of records don't follow");
    }

    @Test
    void shouldNotAgeByAStepUntilItHasLastedForLong() {
        SystemClock clock = clock(Long.MIN_VALUE);
        assertEquals(0, trustedAhead(clock));
        pass(clock, 1_000);
        wallNs += 3_600 * SECOND;
        pass(clock, 12);
        assertEquals(0, ahead(clock));
        assertEquals(-3_600 * SECOND, trustedAhead(clock));
        pass(clock, 588);
        assertEquals(-3_600 * SECOND, trustedAhead(clock));
        pass(clock, 20);
        assertEquals(0, trustedAhead(clock));
    }

    @Test
    void shouldAgeThroughSleepAndBackwardsSteps() {
        SystemClock clock = clock(Long.MIN_VALUE);
        wallNs += 3_600 * SECOND;
        sleptNs += 3_600 * SECOND;
        pass(clock, 1);
        assertEquals(0, trustedAhead(clock));
        wallNs -= 3 * SECOND;
        pass(clock, 100);
        assertTrue(ahead(clock) > SECOND);
        assertEquals(0, trustedAhead(clock));
    }

    @Test
    void shouldGoOnFromTheLastTimeWhenThatIsAhead() {
        SystemClock clock = clock(START + YEARS_100);
        assertEquals(YEARS_100 + 1, clock.aheadNs());
        assertEquals(YEARS_100 + 1, ahead(clock));
        pass(clock, 10);
        long ahead = ahead(clock);
        assertEquals(ahead, clock.aheadNs());
        assertTrue(YEARS_100 - ahead < SECOND, "it goes on nearly as fast as time");
    }
}
