package dev.loom.bench.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The schedule, on a clock that stands still unless somebody waits. */
final class OpenLoopTest {
    private static final long MILLI_NS = 1_000_000;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    private final List<Long> offeredNs = new ArrayList<>();
    private long nowNs = 77;

    private final OpenLoop schedule = new OpenLoop(out, () -> nowNs, ns -> nowNs += Math.max(1, ns / 2));

    private static ReplayBatch batch(int requests, int packets) {
        final ReplayBatch batch = new ReplayBatch(BatchDescriptor.HEADER_LENGTH);
        batch.records(ReplaySource.REDIS_REQUESTS, requests);
        batch.records(ReplaySource.REDIS_PACKETS, packets);
        return batch;
    }

    private boolean take(ReplayBatch batch) {
        offeredNs.add(nowNs - 77);
        return true;
    }

    @Test
    void shouldOfferWhenDue() throws Exception {
        schedule.start();
        for (long i = 1; i <= 3; i++) {
            assertTrue(schedule.offer(batch(1, 0), i * 2 * MILLI_NS, this::take));
        }
        assertEquals(List.of(2 * MILLI_NS, 4 * MILLI_NS, 6 * MILLI_NS), offeredNs);
        final ReplayResult result = schedule.result(5);
        assertEquals(Map.of("requests", 3L), result.offered());
        assertEquals(Map.of("requests", 0L), result.dropped());
        assertEquals(List.of(0L), result.behindMs());
        assertTrue(result.valid());
    }

    @Test
    void shouldCountDropsBySourceWhenTheQueueIsFull() throws Exception {
        schedule.start();
        assertTrue(schedule.offer(batch(2, 5), MILLI_NS, batch -> true));
        assertFalse(schedule.offer(batch(3, 7), 2 * MILLI_NS, batch -> false));
        assertFalse(schedule.offer(batch(1, 0), 3 * MILLI_NS, batch -> false));
        final ReplayResult result = schedule.result(5);
        assertEquals(Map.of("requests", 6L, "packets", 12L), result.offered());
        assertEquals(Map.of("requests", 4L, "packets", 7L), result.dropped());
        assertEquals(11.0 / 18, result.dropShare(), 1e-9);
    }

    @Test
    void shouldPrintEachSecondWhatItDid() throws Exception {
        schedule.start();
        for (long i = 1; i <= 5; i++) {
            final boolean taken = i != 4;
            schedule.offer(batch(1, 2), i * 500 * MILLI_NS, batch -> taken);
        }
        schedule.result(5);
        assertEquals(
                List.of(
                        "0 Batches: 2, records: 6, Behind: 0 ms, dropped: requests 0, packets 0",
                        "1 Batches: 2, records: 6, Behind: 0 ms, dropped: requests 1, packets 2",
                        "2 Batches: 1, records: 3, Behind: 0 ms, dropped: requests 0, packets 0"),
                printed.toString(StandardCharsets.UTF_8).lines().toList());
    }

    @Test
    void shouldBeInvalidWhenItFallsBehindForGood() throws Exception {
        schedule.start();
        for (long i = 1; i <= 8; i++) {
            nowNs += 1_200 * MILLI_NS;
            schedule.offer(batch(1, 0), i * 1_000 * MILLI_NS, batch -> true);
        }
        final ReplayResult result = schedule.result(5);
        assertEquals(List.of(200L, 400L, 600L, 800L, 1_000L, 1_200L, 1_400L, 1_600L), result.behindMs());
        assertFalse(result.valid());
    }

    @Test
    void shouldBeValidWhenItCatchesUp() throws Exception {
        schedule.start();
        nowNs += 3_700 * MILLI_NS;
        for (long i = 1; i <= 12; i++) {
            schedule.offer(batch(1, 0), i * 500 * MILLI_NS, batch -> true);
        }
        final ReplayResult result = schedule.result(5);
        assertTrue(result.behindMs().get(0) > ReplayResult.BEHIND_MAX_MS);
        assertTrue(result.valid());
    }
}
