package dev.loom.query.correlation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.query.model.QueryMemory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Windows around causes. {@code -Dloom.test.seed=S} repeats a run. */
class CauseBatchTest {
    private static final int MANY = 100_000;

    private record Window(long start, long end, long address) {}

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void shouldFindTheWindowsThatASearchThroughAllFinds() {
        System.out.println("CauseBatchTest: -Dloom.test.seed=" + seed);
        for (int round = 0; round < 300; round++) {
            List<Window> windows = windows(random.nextInt(40));
            try (CauseBatch batch = batch(windows)) {
                assertEquals(windows.isEmpty(), batch.isEmpty());
                windows.sort(Comparator.comparingLong(Window::start).thenComparingLong(Window::address));
                if (!windows.isEmpty()) {
                    assertEquals(windows.get(0).start(), batch.earliestStart());
                    assertEquals(windows.stream().mapToLong(Window::end).max().orElseThrow(), batch.latestEnd());
                }
                for (int query = 0; query < 50; query++) {
                    long from = random.nextLong(120) - 10;
                    check(windows, batch, from, from + random.nextLong(20));
                }
            }
        }
    }

    /** Few are long. */
    private List<Window> windows(int count) {
        List<Window> windows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long start = random.nextLong(100);
            windows.add(new Window(start, start + random.nextLong(random.nextInt(8) == 0 ? 100 : 5), i));
        }
        return windows;
    }

    private static CauseBatch batch(List<Window> windows) {
        CauseBatch batch = new CauseBatch(QueryMemory.UNLIMITED, MANY);
        batch.beginNext();
        windows.forEach(window -> batch.offer(window.start(), window.end(), window.address()));
        batch.sort();
        return batch;
    }

    private static void check(List<Window> sorted, CauseBatch batch, long from, long to) {
        List<Long> expected = sorted.stream()
                .filter(window -> window.start() <= to && window.end() >= from)
                .map(Window::address)
                .toList();
        List<Long> found = new ArrayList<>();
        for (int i = batch.next(0, from, to); i >= 0; i = batch.next(i + 1, from, to)) {
            found.add(batch.address(i));
        }
        assertEquals(expected, found, () -> "from=" + from + ", to=" + to + ", windows=" + sorted);
        assertEquals(!expected.isEmpty(), batch.touches(from, to));
    }

    /** Of all windows but two, each ends before the next one begins. */
    @Test
    void shouldLookAtFewWindowsBesideALongOne() {
        List<Window> windows = new ArrayList<>();
        windows.add(new Window(0, 10L * MANY, 0));
        for (int i = 1; i < MANY; i++) {
            windows.add(new Window(10L * i, 10L * i + 5, i));
        }
        try (CauseBatch batch = batch(windows)) {
            for (long i = 1; i < MANY; i++) {
                long at = 10 * i + 5;
                assertEquals(0, batch.next(0, at, at));
                assertEquals(i, batch.next(1, at, at));
                assertEquals(-1, batch.next((int) i + 1, at, at));
                assertEquals(-1, batch.next(1, at + 1, at + 1));
            }
            long each = batch.steps() / MANY;
            assertTrue(each < 4 * 64, "steps of a record=" + each);
        }
    }
}
