package dev.loom.recorder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DropWindowTest {
    private static final int THREADS = 3;
    private static final int DROPS = Integer.getInteger("loom.drops", 300_000);

    private record Batch(long records, long firstNs, long lastNs) {}

    private final DropWindow window = new DropWindow();
    private final List<Batch> batches = new ArrayList<>();

    private void collect() {
        window.collect((records, firstNs, lastNs) -> batches.add(new Batch(records, firstNs, lastNs)));
    }

    @Test
    void shouldGiveCountAndRangeOfWhatIsNew() {
        window.add(7);
        window.add(3);
        window.add(5);
        assertTrue(window.hasNew());
        collect();
        collect();
        assertFalse(window.hasNew());
        window.add(4);
        collect();
        assertEquals(List.of(new Batch(3, 3, 7), new Batch(1, 4, 4)), batches);
        assertEquals(4, window.count());
    }

    /**
     * Times are 0, 1, 2 and so on, each used once, so of any batch it is known how many drops its range can hold: those that
     * lie wholly below a time can't be more than there are such times.
     */
    @Test
    void shouldHoldEveryDropInTheRangeOfItsBatch() throws InterruptedException {
        AtomicLong clock = new AtomicLong();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(() -> {
                for (int drop = 0; drop < DROPS; drop++) {
                    window.add(clock.getAndIncrement());
                }
            });
            thread.start();
            threads.add(thread);
        }
        while (threads.stream().anyMatch(Thread::isAlive)) {
            collect();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        collect();

        int total = THREADS * DROPS;
        assertEquals(total, batches.stream().mapToLong(Batch::records).sum());
        long[] endingAt = new long[total];
        long[] beginningAt = new long[total];
        for (Batch batch : batches) {
            assertTrue(batch.lastNs - batch.firstNs + 1 >= batch.records, batch::toString);
            endingAt[(int) batch.lastNs] += batch.records;
            beginningAt[(int) batch.firstNs] += batch.records;
        }
        long below = 0;
        long above = 0;
        for (int time = 0; time < total; time++) {
            below += endingAt[time];
            above += beginningAt[total - 1 - time];
            assertTrue(below <= time + 1, "more drops end by a time than there were: time=" + time);
            assertTrue(above <= time + 1, "more drops begin after a time than there were: time=" + (total - 1 - time));
        }
    }
}
