package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ScheduleTest {
    private static final Duration TIMEOUT = Duration.ofMillis(50);

    @Test
    void shouldMangleTheSameRequestsInTheSameWayWhenTheSeedIsTheSame() {
        assertEquals(mangled(42), mangled(42));
        assertNotEquals(mangled(42), mangled(43));
    }

    @Test
    void shouldMangleAsManyAsPlannedByABitThatNoRequestSets() {
        for (long seed = 0; seed < 200; seed++) {
            Map<Long, Integer> mangled = mangled(seed);
            assertEquals(5, mangled.size(), "seed=" + seed);
            for (int bit : mangled.values()) {
                int change = 1 << bit;
                assertTrue(change > FrameDescriptor.REQUEST_BODY_LENGTH_MAX, "seed=" + seed);
                assertTrue(
                        change + FrameDescriptor.REQUEST_BODY_LENGTH_MAX <= FrameDescriptor.BODY_LENGTH_MAX,
                        "seed=" + seed);
            }
        }
    }

    @Test
    void shouldNotMangleARequestAgainWhenItIsSentAgain() {
        Schedule schedule = new Schedule(WorkloadPlan.counted(1, 1, 3, TIMEOUT, 60));
        long last = 0;
        for (long id = schedule.nextRequestId(); id != Schedule.OVER; id = schedule.nextRequestId()) {
            last = id;
        }
        // The whole run has been handed out, so that all three places are due.
        int times = 0;
        for (int attempt = 0; attempt < 10; attempt++) {
            times += schedule.mangledBit(last) == Schedule.NONE ? 0 : 1;
        }
        assertEquals(1, times);
        assertEquals(Set.of(last), schedule.mangledIds());
        assertNotEquals(Schedule.NONE, schedule.mangledBit(last - 1));
    }

    @Test
    void shouldHandOutEachRequestOnceUntilTheRunIsOver() {
        Schedule schedule = new Schedule(WorkloadPlan.counted(1, 1, 0, TIMEOUT, 3));
        assertEquals(0, schedule.nextRequestId());
        assertEquals(1, schedule.nextRequestId());
        assertEquals(2, schedule.nextRequestId());
        assertEquals(Schedule.OVER, schedule.nextRequestId());
    }

    @Test
    void shouldGoOnAfterItsTimeUntilAllAreMangled() {
        Schedule schedule = new Schedule(WorkloadPlan.timed(1, 1, 2, TIMEOUT, Duration.ofNanos(1)));
        for (int i = 0; i < 2; i++) {
            long id = schedule.nextRequestId();
            assertNotEquals(Schedule.OVER, id);
            assertNotEquals(Schedule.NONE, schedule.mangledBit(id));
        }
        assertEquals(Schedule.OVER, schedule.nextRequestId());
    }

    @Test
    void shouldEndWhenStopped() {
        Schedule schedule = new Schedule(WorkloadPlan.timed(1, 1, 2, TIMEOUT, Duration.ofDays(1)));
        assertEquals(0, schedule.nextRequestId());
        schedule.stop();
        assertEquals(Schedule.OVER, schedule.nextRequestId());
    }

    @Test
    void shouldRefuseAPlanThatManglesTooMany() {
        assertThrows(IllegalArgumentException.class, () -> WorkloadPlan.counted(1, 1, 6, TIMEOUT, 100));
        assertThrows(IllegalArgumentException.class, () -> WorkloadPlan.counted(1, 0, 1, TIMEOUT, 100));
    }

    /** Sends every request of a run once, and gives those that were mangled with their bit. */
    private static Map<Long, Integer> mangled(long seed) {
        Schedule schedule = new Schedule(WorkloadPlan.counted(seed, 1, 5, TIMEOUT, 1000));
        Map<Long, Integer> mangled = new LinkedHashMap<>();
        for (long id = schedule.nextRequestId(); id != Schedule.OVER; id = schedule.nextRequestId()) {
            int bit = schedule.mangledBit(id);
            if (bit != Schedule.NONE) {
                mangled.put(id, bit);
            }
        }
        assertEquals(mangled.keySet(), schedule.mangledIds());
        return mangled;
    }
}
