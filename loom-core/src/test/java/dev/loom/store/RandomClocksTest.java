package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Random schedules of the machine's clocks: steps and jumps of the wall clock of up to ten years either way, steps that are
 * taken back, drift, sleeps, a thread that is frozen, and boots after which the monotonic clock starts again.
 *
 * <p>{@code -Dloom.rounds=N} sets the number of schedules, {@code -Dloom.test.seed=S} the seed of the first.
 */
final class RandomClocksTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long YEARS_10 = TimeUnit.DAYS.toNanos(3_653);
    private static final long START = 1_700_000_000 * SECOND;
    private static final long WALL_MAX = 6_917_529_027L * SECOND;
    private static final long DAY = TimeUnit.DAYS.toSeconds(1);

    private Random random = new Random(0);
    private long wallNs;
    private long monotonicNs;
    private long sleptNs;
    /** Between steps, so much faster than the monotonic clock, in millionths. */
    private long drift;

    private long lastNs;
    private SystemClock clock;

    @BeforeEach
    void boot() {
        begin(1);
    }

    private void begin(long seed) {
        random = new Random(seed);
        wallNs = START;
        drift = 0;
        lastNs = Long.MIN_VALUE;
        restart();
    }

    private void restart() {
        long before = lastNs;
        monotonicNs = random.nextBoolean() ? random.nextLong() >> 4 : -random.nextInt(100) * SECOND;
        sleptNs = random.nextInt(1_000) * SECOND;
        clock = new SystemClock(lastNs, wallNs, monotonicNs, () -> sleptNs);
        note(0);
        assertTrue(recordNs() > before, "behind the last record");
        assertEquals(
                Math.max(0, recordNs() - wallNs) > SystemClock.LEAD_MAX_NS, clock.aheadNs() > 0, "its lead is told");
    }

    private long recordNs() {
        return monotonicNs + clock.offsetNs();
    }

    /** A record is pushed. The log keeps its time from going back where the clock has given way. */
    private void note(long giveWayNs) {
        assertTrue(recordNs() >= lastNs - giveWayNs, () -> "goes back: last=" + lastNs + ", now=" + recordNs());
        lastNs = Math.max(lastNs, recordNs());
    }

    /** Time passes, and the evictor ticks or, while it is frozen, does not. */
    private void pass(long seconds, boolean frozen) {
        long followedNs = monotonicNs;
        for (long i = 0; i < seconds; i++) {
            long ns = SECOND / 2 + random.nextInt((int) SECOND);
            monotonicNs += ns;
            setWall(wallNs + ns + ns / 1_000_000 * drift);
            note(0);
            if (!frozen || i + 1 == seconds) {
                long givenWayNs = (monotonicNs - followedNs) / SystemClock.GIVE_WAY + 1;
                followedNs = monotonicNs;
                clock.follow(wallNs, monotonicNs);
                note(givenWayNs);
            }
        }
    }

    /** The wall clock is read as a time from 1970 to 2189. */
    private void setWall(long ns) {
        wallNs = Math.max(0, Math.min(ns, WALL_MAX));
    }

    private long step() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(2_000) * (SECOND / 1_000);
            case 1 -> random.nextInt(3_600) * SECOND;
            case 2 -> random.nextInt(400) * DAY * SECOND;
            default -> (long) (random.nextDouble() * YEARS_10);
        };
    }

    private void disturb() {
        long step = random.nextBoolean() ? step() : -step();
        switch (random.nextInt(6)) {
            case 0 -> setWall(wallNs + step);
            case 1 -> { // and is taken back
                long before = wallNs;
                setWall(wallNs + step);
                long shift = wallNs - before;
                pass(random.nextInt(9), false);
                setWall(wallNs - shift);
            }
            case 2 -> { // the machine sleeps
                setWall(wallNs + Math.abs(step));
                sleptNs += Math.abs(step);
            }
            case 3 -> pass(random.nextInt(100), true);
            case 4 -> drift = random.nextInt(1_001) - 500L;
            default -> {
                setWall(wallNs + (random.nextInt(3) == 0 ? step : random.nextInt(100) * SECOND));
                restart();
            }
        }
    }

    /** Once the wall clock is right for long enough, so are the times, except while a lead gives way. */
    private void settle() {
        drift = 0;
        pass(30, false);
        long ahead = recordNs() - wallNs;
        assertTrue(ahead > -SystemClock.LEAD_MAX_NS - SECOND, () -> "stays behind: ns=" + ahead);
        assertEquals(ahead > SystemClock.LEAD_MAX_NS ? ahead : 0, clock.aheadNs(), "its lead is told");
        if (ahead > SystemClock.LEAD_MAX_NS) {
            pass(1_000, false);
            long later = recordNs() - wallNs;
            assertTrue(
                    later < ahead - SECOND / 2 || later <= SystemClock.LEAD_MAX_NS,
                    () -> "does not give way: " + later);
        }
    }

    @Test
    void shouldNeverGoBackAndComeToTheRightTime() {
        long first = Long.getLong("loom.test.seed", System.nanoTime());
        int rounds = Integer.getInteger("loom.rounds", 300);
        long disturbances = 0;
        for (int round = 0; round < rounds; round++) {
            begin(first + round);
            try {
                for (int i = 1 + random.nextInt(20); i > 0; i--) {
                    pass(random.nextInt(40), false);
                    disturb();
                    disturbances++;
                }
                settle();
            } catch (AssertionError e) {
                throw new AssertionError("-Dloom.test.seed=" + (first + round), e);
            }
        }
        System.out.println("row=R20 faults=" + disturbances + " checked=" + rounds + " seed=" + first);
    }
}
