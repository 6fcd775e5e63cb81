package dev.loom.bench.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The paper's equations, with the costs of its Table 1: 235 ns to hash a key of 1 KB, 10 us or 70 ns to read a block. */
final class LookupCostTest {
    private static final double PCIE_NS = 10_000;
    private static final double NVM_NS = 70;
    private static final double HASH_NS = 235;
    private static final double RATE = 0.00819;

    @Test
    void shouldGiveTheRatesAndIndexesOfEquation1() {
        assertEquals(7, LookupCost.indexes(10)); // 4.1
        assertEquals(6, LookupCost.indexes(8));
        assertEquals(10, LookupCost.indexes(14));
        assertEquals(RATE, LookupCost.falsePositives(10), 0.000_005); // 4.1: 0.819 %
    }

    @Test
    void shouldGiveTheCostsOfAbsentKeys() {
        // 5 x 235 + 5 x 0.00819 x 10,000; 235 + 5 x 0.00819 x 10,000
        final LookupCost cost = new LookupCost(5, 10, 0, HASH_NS, PCIE_NS, RATE);
        assertEquals(1_584.5, cost.digestPerLevel(), 1e-9);
        assertEquals(644.5, cost.sharedDigest(), 1e-9);
        assertEquals(940 / 644.5, cost.gain(), 1e-12);
    }

    @Test
    void shouldGiveTheCostsOfKeysThatAreThere() {
        // 5 - 1/9 levels; 44/9 x 235 + 70 + 44/9 x 0.00819 x 70
        final LookupCost cost = new LookupCost(5, 10, 1, HASH_NS, NVM_NS, RATE);
        assertEquals(1_148.888_889 + 70 + 2.802_8, cost.digestPerLevel(), 1e-6);
        assertEquals(235 + 70 + 2.802_8, cost.sharedDigest(), 1e-6);
    }

    /**
     * Level by level, equation 3: a key is in level i with a probability that grows by the ratio. Equation 4 approximates the
     * levels visited, and counts the level that has the key among those that can be wrong.
     */
    @Test
    void shouldComeNearToTheSumOverLevels() {
        for (final int ratio : new int[] {2, 4, 10}) {
            for (final double hits : new double[] {0, 0.3, 1}) {
                final int levels = 8;
                double all = 0;
                for (int i = 0; i < levels; i++) {
                    all += Math.pow(ratio, i);
                }
                double reach = 1;
                double sum = 0;
                for (int i = 0; i < levels; i++) {
                    final double here = hits * Math.pow(ratio, i) / all;
                    sum += reach * HASH_NS + here * PCIE_NS + (reach - here) * RATE * PCIE_NS;
                    reach -= here;
                }
                final LookupCost cost = new LookupCost(levels, ratio, hits, HASH_NS, PCIE_NS, RATE);
                final double levelsLeftOut = levels / (Math.pow(ratio, levels) - 1);
                assertEquals(
                        sum + hits * RATE * PCIE_NS,
                        cost.digestPerLevel(),
                        hits * levelsLeftOut * (HASH_NS + RATE * PCIE_NS) + 1e-9,
                        "ratio=" + ratio + ", hits=" + hits);
            }
        }
    }
}
