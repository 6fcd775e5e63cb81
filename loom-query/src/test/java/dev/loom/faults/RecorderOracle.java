package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Recorder;
import dev.loom.api.LossReason;
import dev.loom.api.PushStatus;
import dev.loom.api.RecorderClaim;
import dev.loom.api.Snapshot;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.Order;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Producers who know what they offered, when, and what they were told, and compare it with what the store has. Each record
 * says which producer's it is, and its number there; all of one producer are of one source.
 */
final class RecorderOracle {
    private final Recorder recorder;
    private final long seed;
    private final LongSupplier clock;
    private final List<Producer> producers = new ArrayList<>();

    RecorderOracle(Recorder recorder, long seed, LongSupplier clock) {
        this.recorder = recorder;
        this.seed = seed;
        this.clock = clock;
    }

    /** Adds a producer of at most a number of records to a source. */
    Producer producer(int sourceId, int records) {
        Producer producer = new Producer(producers.size(), sourceId, records);
        producers.add(producer);
        return producer;
    }

    /** One thread's records. */
    final class Producer implements Runnable {
        private final int number;
        private final int sourceId;
        private final long[] beforeNs;
        private final long[] afterNs;
        private final long[] statuses;
        private final Random random;
        private final UnsafeBuffer scratch = new UnsafeBuffer(new byte[4096]);
        /** Of claims that would have been aborted anyway, by negative status. */
        private final int[] refusedClaims = new int[7];

        private int offered;

        private Producer(int number, int sourceId, int records) {
            this.number = number;
            this.sourceId = sourceId;
            this.random = new Random(seed + number);
            beforeNs = new long[records];
            afterNs = new long[records];
            statuses = new long[records];
        }

        /** Offers its records, until one is refused as the recorder is closed. */
        @Override
        public void run() {
            try (RecorderClaim claim = recorder.newClaim()) {
                while (offered < statuses.length && offer(claim) != PushStatus.CLOSED) {
                    // the next one
                }
            }
        }

        long offer() {
            try (RecorderClaim claim = recorder.newClaim()) {
                return offer(claim);
            }
        }

        private long offer(RecorderClaim claim) {
            int sequence = offered;
            int length = 28 + random.nextInt(random.nextInt(50) == 0 ? 2_000 : 60);
            byte[] payload = CheckedPayload.make(seed, number, sequence, length);
            beforeNs[sequence] = clock.getAsLong();
            long status = switch (random.nextInt(4)) {
                case 0 -> recorder.offer(sourceId, payload);
                case 1 -> claimed(claim, payload);
                default -> copied(payload);
            };
            afterNs[sequence] = clock.getAsLong();
            statuses[sequence] = status;
            offered++;
            return status;
        }

        private long copied(byte[] payload) {
            int offset = random.nextInt(100);
            scratch.putBytes(offset, payload);
            return recorder.offer(sourceId, scratch, offset, payload.length);
        }

        private long claimed(RecorderClaim claim, byte[] payload) {
            if (random.nextInt(4) == 0) {
                abort(claim.claim(sourceId, random.nextInt(500)), claim);
            }
            long status = claim.claim(sourceId, payload.length);
            if (status < 0) {
                return status;
            }
            assertEquals(payload.length, claim.length());
            claim.buffer().putBytes(claim.offset(), payload);
            return claim.commit();
        }

        private void abort(long status, RecorderClaim claim) {
            if (status == 0 && random.nextBoolean()) {
                claim.abort(); // else the next claim does
            } else {
                refusedClaims[(int) -status]++;
            }
        }

        long told(long status) {
            long records = Arrays.stream(statuses, 0, offered)
                    .filter(given -> given == status)
                    .count();
            return records + (status == 0 ? 0 : refusedClaims[(int) -status]);
        }
    }

    long told(int sourceId, long status) {
        return producers.stream()
                .filter(producer -> producer.sourceId == sourceId)
                .mapToLong(producer -> producer.told(status))
                .sum();
    }

    /**
     * Checks that a source's records are just those taken, in each producer's order, at times between the two that its producer
     * has read around the offer.
     *
     * @return how many there are
     */
    long checkRecords(Snapshot snapshot, int sourceId) {
        long records = 0;
        long lastNs = Long.MIN_VALUE;
        int[] next = new int[producers.size()];
        try (QueryCursor cursor =
                RawScan.of(snapshot, sourceId).order(Order.OLDEST_FIRST).open()) {
            while (cursor.next()) {
                assertTrue(cursor.timeNs() >= lastNs, "time decreases");
                lastNs = cursor.timeNs();
                Producer producer =
                        producers.get(cursor.buffer().getInt(cursor.offset() + 8, java.nio.ByteOrder.BIG_ENDIAN));
                assertEquals(sourceId, producer.sourceId);
                int sequence = (int)
                        CheckedPayload.check(seed, producer.number, cursor.buffer(), cursor.offset(), cursor.length());
                int expected = nextTaken(producer, next[producer.number]);
                assertEquals(expected, sequence, "a producer's order: number=" + producer.number);
                next[producer.number] = sequence + 1;
                assertTrue(producer.beforeNs[sequence] <= lastNs, "earlier than it was offered");
                assertTrue(lastNs <= producer.afterNs[sequence], "later than it was taken");
                records++;
            }
        }
        for (Producer producer : producers) {
            if (producer.sourceId == sourceId) {
                assertEquals(producer.offered, nextTaken(producer, next[producer.number]), "taken, and not there");
            }
        }
        return records;
    }

    private static int nextTaken(Producer producer, int from) {
        int next = from;
        while (next < producer.offered && producer.statuses[next] < 0) {
            next++;
        }
        return next;
    }

    /**
     * Checks the recorder's counts of a source against what its producers were told, and what queries say of them.
     *
     * @param late drops that may have come too late for the log, as it was being closed
     */
    void checkCounts(Snapshot snapshot, int sourceId, int late) {
        long taken = told(sourceId, 0);
        long full = told(sourceId, PushStatus.DROPPED);
        long sampled = told(sourceId, PushStatus.SAMPLED);
        assertEquals(taken, recorder.published(sourceId));
        assertEquals(full, recorder.dropped(sourceId, LossReason.RECORDER_FULL));
        assertEquals(sampled, recorder.dropped(sourceId, LossReason.SAMPLED));
        long lost = lost(snapshot, sourceId);
        assertTrue(
                lost <= full + sampled && lost >= full + sampled - late,
                () -> "lost=" + lost + ", told=" + full + '+' + sampled);
    }

    static long lost(Snapshot snapshot, int sourceId) {
        try (QueryCursor cursor = RawScan.of(snapshot, sourceId).open()) {
            while (cursor.next()) {
                // to the end
            }
            Completeness completeness = cursor.completeness();
            return completeness.lost();
        }
    }
}
