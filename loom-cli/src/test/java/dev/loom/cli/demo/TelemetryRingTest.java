package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.PushStatus;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
final class TelemetryRingTest {
    private static final int CAPACITY = 64 * 1024;
    private static final int RECORDS_EACH = 20_000;

    @Test
    void shouldLoseNothingAndKeepEachThreadsOrderWhenTheRingIsFull() throws InterruptedException {
        CountDownLatch full = new CountDownLatch(1);
        Map<DemoSource, List<Long>> received = new EnumMap<>(DemoSource.class);
        TelemetryRing ring = new TelemetryRing(
                (source, payload, offset, length) -> {
                    awaitUninterruptibly(full);
                    received.computeIfAbsent(source, s -> new ArrayList<>())
                            .add(payload.getLong(offset + length - Long.BYTES));
                    return 0;
                },
                CAPACITY);
        ring.start();
        List<Thread> producers = new ArrayList<>();
        for (DemoSource source : DemoSource.values()) {
            Thread producer = new Thread(() -> produce(ring, source));
            producers.add(producer);
            producer.start();
        }
        // More than the ring can hold is under way, and nothing leaves it before it has been filled.
        while (ring.recorded().values().stream().mapToLong(Long::longValue).sum() < CAPACITY / 128) {
            Thread.onSpinWait();
        }
        full.countDown();
        for (Thread producer : producers) {
            producer.join();
        }
        ring.close();

        assertEquals(DemoSource.values().length, received.size());
        for (List<Long> sequence : received.values()) {
            assertEquals(RECORDS_EACH, sequence.size());
            for (int i = 0; i < RECORDS_EACH; i++) {
                assertEquals(i, sequence.get(i));
            }
        }
        assertEquals(ring.recorded(), ring.appended());
    }

    @Test
    void shouldFailWhenTheStoreRefusesARecord() {
        TelemetryRing ring = new TelemetryRing((source, payload, offset, length) -> PushStatus.DROPPED, CAPACITY);
        ring.start();
        ring.record(DemoSource.PACKETS, new UnsafeBuffer(new byte[8]), 0, 8);
        IllegalStateException failure = assertThrows(IllegalStateException.class, ring::close);
        assertTrue(failure.getCause().getMessage().contains("PACKETS"), failure.getCause()::getMessage);
    }

    @Test
    void shouldTellProducersWhenTheWriterHasFailed() {
        RuntimeException cause = new RuntimeException("disk is gone");
        TelemetryRing ring = new TelemetryRing(
                (source, payload, offset, length) -> {
                    throw cause;
                },
                CAPACITY);
        ring.start();
        IllegalStateException failure =
                assertThrows(IllegalStateException.class, () -> produce(ring, DemoSource.REQUESTS));
        assertSame(cause, failure.getCause());
        assertThrows(IllegalStateException.class, ring::close);
    }

    private static void produce(TelemetryRing ring, DemoSource source) {
        UnsafeBuffer payload = new UnsafeBuffer(new byte[48]);
        for (long i = 0; i < RECORDS_EACH; i++) {
            payload.putLong(40, i);
            ring.record(source, payload, 0, 48);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
