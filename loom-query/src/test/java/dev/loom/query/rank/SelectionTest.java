package dev.loom.query.rank;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Selection by rank against sorting. */
class SelectionTest {
    @Test
    void shouldSelectWhatSortingPutsThere() {
        Random random = new Random(1);
        for (int round = 0; round < 2_000; round++) {
            int from = random.nextInt(3);
            int to = from + 1 + random.nextInt(200);
            int spread = 1 + random.nextInt(round % 2 == 0 ? 5 : 1_000_000);
            long[] values = random.longs(to + 2, -spread, spread).toArray();
            if (round % 7 == 0) {
                Arrays.sort(values);
            }
            long[] sorted = values.clone();
            Arrays.sort(sorted, from, to);
            int rank = random.nextInt(to - from);
            assertEquals(sorted[from + rank], Selection.select(values, from, to, rank));
            Arrays.sort(values, from, to);
            assertEquals(Arrays.toString(sorted), Arrays.toString(values), "the same values");
        }
    }
}
