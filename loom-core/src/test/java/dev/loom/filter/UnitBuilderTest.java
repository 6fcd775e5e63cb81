package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A unit's structures against a map from words to rows: nothing that is there is ever missed. */
final class UnitBuilderTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());

    /** The paper's example: 13, 18, 2, 18 and k = 18. */
    private static final UnitShape PAPER = new UnitShape(13, 18, 2, 18, 18, 16, 8);

    private final Random random = new Random(SEED);

    private UnitShape shape() {
        int frequentBits = 3 + random.nextInt(8);
        int rareBits = 3 + random.nextInt(10);
        return new UnitShape(
                frequentBits,
                rareBits,
                1 + random.nextInt(1 << frequentBits),
                1 + random.nextInt(1 << rareBits),
                1 + random.nextInt(UnitShape.LIST_ROWS_MAX),
                random.nextBoolean() ? 0 : 3 + random.nextInt(8),
                1 + random.nextInt(10));
    }

    /** Words of which few come often, as in logs; those divisible by 5 count as frequent. */
    private long word() {
        long rank = (long) (200 / (random.nextDouble() + 0.01));
        return (rank * 0x9E3779B97F4A7C15L ^ rank << 40) * 5 + (rank % 3 == 0 ? 0 : 1 + rank % 4);
    }

    private static boolean isFrequent(long word) {
        return Long.remainderUnsigned(word, 5) == 0;
    }

    @Test
    void shouldMissNoRow() {
        System.out.println("UnitBuilderTest: -Dloom.test.seed=" + SEED);
        for (int round = 0; round < 60; round++) {
            UnitShape shape = round == 0 ? PAPER : shape();
            UnitBuilder unit = new UnitBuilder(shape);
            unit.nextRow();
            unit.addRare(random.nextLong());
            unit.addFrequent(random.nextLong());
            unit.clear();
            check(unit, fill(unit, 1 + random.nextInt(1_000)), shape);
        }
    }

    private Map<Long, Set<Integer>> fill(UnitBuilder unit, int rows) {
        Map<Long, Set<Integer>> words = new HashMap<>();
        for (int row = 0; row < rows; row++) {
            unit.nextRow();
            for (int i = random.nextInt(12); i > 0; i--) {
                long word = word();
                words.computeIfAbsent(word, unused -> new TreeSet<>()).add(row);
                if (isFrequent(word)) {
                    unit.addFrequent(word);
                } else {
                    unit.addRare(word);
                }
                unit.addPrefix(word);
            }
        }
        assertEquals(rows, unit.rows());
        return words;
    }

    private static void check(UnitBuilder unit, Map<Long, Set<Integer>> words, UnitShape shape) {
        RowSet found = new RowSet();
        words.forEach((word, rows) -> {
            String where = "seed=" + SEED + ", shape=" + shape + ", word=" + word;
            assertTrue(unit.mayContainPrefix(word), where);
            if (isFrequent(word)) {
                int count = unit.countFrequent(word);
                assertTrue(count >= rows.size() && count <= unit.rows(), where + ", count=" + count);
                return;
            }
            unit.rowsOfRare(word, found);
            assertTrue(found.count() <= shape.listRows(), where);
            assertTrue(found.open() == RowSet.CLOSED || found.open() < unit.rows(), where + ", rows=" + found);
            for (int row : rows) {
                assertTrue(found.contains(row), where + ", row=" + row + ", found=" + found);
            }
        });
    }

    /** With room for each word, the answers are exact. */
    @Test
    void shouldSayTheRowsWhenNothingSharesAList() {
        UnitBuilder unit = new UnitBuilder(new UnitShape(13, 18, 1, 1, 3, 0, 0));
        RowSet rows = new RowSet();
        for (int row = 0; row < 10; row++) {
            unit.nextRow();
            if (row % 3 == 1) {
                unit.addRare(77L << 50);
                unit.addRare(77L << 50);
                unit.addFrequent(99L << 50);
                unit.addFrequent(99L << 50);
            }
        }
        unit.rowsOfRare(77L << 50, rows);
        assertEquals("[1, 4, 7] and from 8 on", rows.toString(), "the list is full");
        assertEquals(3, unit.countFrequent(99L << 50), "rows count, not words");
        unit.rowsOfRare(78L << 50, rows);
        assertTrue(rows.isEmpty());
        assertEquals(0, unit.countFrequent(77L << 50));
        assertTrue(unit.mayContainPrefix(5), "without a filter of prefixes all may be there");
        unit.clear();
        unit.rowsOfRare(77L << 50, rows);
        assertTrue(rows.isEmpty());
        assertEquals(0, unit.countFrequent(99L << 50));
    }

    @Test
    void shouldHoldAsManyRowsAsTwoBytesNumber() {
        UnitBuilder unit = new UnitBuilder(PAPER);
        for (int row = 0; row < UnitShape.ROWS_MAX; row++) {
            unit.nextRow();
            unit.addFrequent(99L << 50);
        }
        unit.addRare(77L << 50);
        RowSet rows = new RowSet();
        unit.rowsOfRare(77L << 50, rows);
        assertEquals("[65534]", rows.toString());
        assertEquals(65_535, unit.countFrequent(99L << 50));
        assertEquals(
                "unit is full: rows=65535",
                assertThrows(IllegalStateException.class, unit::nextRow).getMessage());
    }

    @Test
    void shouldRefuseShapesThatNoUnitHas() {
        int[][] bad = {
            {2, 18, 2, 18, 18, 0, 0},
            {13, 31, 2, 18, 18, 0, 0},
            {13, 18, 0, 18, 18, 0, 0},
            {13, 18, 8_193, 18, 18, 0, 0},
            {13, 18, 2, 0, 18, 0, 0},
            {13, 18, 2, 262_145, 18, 0, 0},
            {13, 18, 2, 18, -1, 0, 0},
            {13, 18, 2, 18, 65, 0, 0},
            {13, 18, 2, 18, 18, 2, 8},
            {13, 18, 2, 18, 18, 16, 0},
            {13, 18, 2, 18, 18, 16, 17},
            {13, 27, 2, 18, 18, 16, 8}
        };
        for (int[] of : bad) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> new UnitShape(of[0], of[1], of[2], of[3], of[4], of[5], of[6]));
        }
        assertFalse(PAPER.length() > 1 << 20, "the paper's unit takes less than 1 MiB");
    }
}
