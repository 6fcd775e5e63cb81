package dev.loom.query.group;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How much a part may add before it has to be read. */
final class NotedValuesTest {
    private static final int COUNT_MAX = 1 << 15;

    private final NotedValues noted = new NotedValues();

    private void fill() {
        for (int i = 0; i < COUNT_MAX; i++) {
            assertTrue(i % 2 == 0 ? noted.addCount(i, 1) : noted.addKey(i, i), "noted=" + i);
        }
    }

    @Test
    void shouldTakeNoMoreThanThereIsRoomFor() {
        fill();
        assertFalse(noted.addCount(COUNT_MAX, 1));
        assertFalse(noted.addKey(COUNT_MAX, 1));
        noted.clear();
        fill();
    }

    @Test
    void shouldTakeAnyNumberOfCountsOfOneCell() {
        for (int i = 0; i <= 2 * COUNT_MAX; i++) {
            assertTrue(noted.addCount(7, 1));
        }
    }
}
