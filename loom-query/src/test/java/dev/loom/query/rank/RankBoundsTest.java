package dev.loom.query.rank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.ValueType;
import dev.loom.value.BinScale;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Random groups of values, against the values themselves. {@code -Dloom.test.seed=S} sets the seed. */
class RankBoundsTest {
    private static final int ROUNDS = 300;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @Test
    void shouldEncloseTheValueOfEachRank() {
        System.out.println("RankBoundsTest: -Dloom.test.seed=" + seed);
        for (int round = 0; round < ROUNDS; round++) {
            BinScale scale = BinScale.of(Bins.logLinear(random.nextInt(6)), ValueType.I64);
            // from one cell for each bin to two in all
            int cells = 2 << random.nextInt(13);
            RankBounds bounds = new RankBounds(scale, new long[cells]);
            long[] values = addGroups(bounds);
            Arrays.sort(values);
            long lowBefore = Long.MIN_VALUE;
            for (int rank = 1; rank <= values.length; rank++) {
                long low = bounds.lowKey(rank);
                long high = bounds.highKey(rank);
                long value = values[rank - 1];
                String message = "seed=" + seed + ", round=" + round + ", rank=" + rank;
                assertTrue(low <= value && value <= high, message);
                assertTrue(low >= lowBefore, message);
                lowBefore = low;
            }
        }
    }

    private long[] addGroups(RankBounds bounds) {
        int groups = 1 + random.nextInt(40);
        boolean wide = random.nextBoolean();
        long[] values = {};
        for (int i = 0; i < groups; i++) {
            long base = random.nextLong(-300_000, 700_000);
            long[] group = random.longs(1 + random.nextInt(20), base, base + (wide ? 1_000_000L : 1_000L))
                    .sorted()
                    .toArray();
            bounds.add(group.length, group[0], group[group.length - 1]);
            int from = values.length;
            values = Arrays.copyOf(values, from + group.length);
            System.arraycopy(group, 0, values, from, group.length);
        }
        return values;
    }

    @Test
    void shouldTellTheBinOfARankWhereTheGroupsAreInOrder() {
        BinScale scale = BinScale.of(Bins.linear(0, 1_000, 100), ValueType.I64);
        RankBounds bounds = new RankBounds(scale, new long[1 << 12]);
        for (int group = 0; group < 100; group++) {
            bounds.add(5, group * 10L, 10L * group + 9);
        }
        for (int rank = 1; rank <= 500; rank++) {
            assertEquals(10L * ((rank - 1) / 5), bounds.lowKey(rank));
            assertEquals(10L * ((rank - 1) / 5) + 9, bounds.highKey(rank));
        }
    }

    @Test
    void shouldTellFromMaximaThatHighRanksAreHigh() {
        BinScale scale = BinScale.of(Bins.linear(0, 1_000, 100), ValueType.I64);
        RankBounds bounds = new RankBounds(scale, new long[1 << 12]);
        for (int group = 0; group < 100; group++) {
            bounds.add(1_000, 0, group * 10L);
        }
        assertEquals(900, bounds.lowKey(100_000 - 9));
        assertEquals(890, bounds.lowKey(100_000 - 10));
        assertEquals(9, bounds.highKey(100));
    }
}
