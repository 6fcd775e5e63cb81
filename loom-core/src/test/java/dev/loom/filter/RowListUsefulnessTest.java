package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often lists of rows alone rule out a unit that has two words, but no row with both: as often as a simulation says. */
final class RowListUsefulnessTest {
    private static final int SEED = 20261124;

    /** Lists for every 32 bytes of 1 KiB; the words that are sought have the first two. */
    private static final int SIZE_BITS = 10;

    private static final int LIST_BYTES = 32;
    private static final int LIST_BITS = 5;

    private final Random random = new Random(SEED);

    /** A word of one of the lists. */
    private long word(long list) {
        return list << (Long.SIZE - LIST_BITS) | random.nextLong() >>> LIST_BITS;
    }

    private Set<Integer> rowsWith(int rows, double probability) {
        Set<Integer> with = new TreeSet<>();
        // the distance from one to the next is geometric
        for (double row = gap(probability); row < rows; row += 1 + gap(probability)) {
            with.add((int) row);
        }
        return with;
    }

    private double gap(double probability) {
        return Math.floor(Math.log(1 - random.nextDouble()) / Math.log1p(-probability));
    }

    private int poisson(double mean) {
        int count = -1;
        for (double left = mean; left >= 0; left += Math.log(1 - random.nextDouble())) {
            count++;
        }
        return count;
    }

    /**
     * The shares are those of {@code loom-bench/simulation/row_list_usefulness.py}. Equation 3 of the paper gives 0.16890 for 65,535
     * rows, and 0.99951 or more for all others here: it knows no other words, which share their lists with those that are sought. The
     * rows are the same in each run.
     *
     * @param others the mean number of other words, of one row each, in a list
     */
    @ParameterizedTest
    @CsvSource({
        "65535, 0.0003, 18, 0, 0.17618",
        "24000, 0.0003, 18, 1.648, 0.99505",
        "24576, 0.0003, 18, 3, 0.97795",
        "24576, 0.0003, 18, 8, 0.62819",
        "24576, 0.0001, 18, 8, 0.97194"
    })
    void shouldRuleOutAsManyUnitsAsSimulated(
            int rows, double probability, int listRows, double others, double expected) {
        UnitBuilder unit = new UnitBuilder(new UnitShape(3, SIZE_BITS, 8, LIST_BYTES, listRows, 0, 0));
        int units = 10_000;
        int ruledOut = 0;
        for (int i = 0; i < units; i++) {
            ruledOut += isRuledOut(unit, rows, probability, others) ? 1 : 0;
        }
        double error = 3 * Math.sqrt(expected * (1 - expected) / units);
        assertEquals(expected, (double) ruledOut / units, error, "ruled out=" + ruledOut);
    }

    private boolean isRuledOut(UnitBuilder unit, int rows, double probability, double others) {
        Set<Integer> first = Set.of();
        Set<Integer> second = Set.of();
        while (first.isEmpty() || second.isEmpty() || first.stream().anyMatch(second::contains)) {
            first = rowsWith(rows, probability);
            second = rowsWith(rows, probability);
        }
        long[] sought = {word(0), word(1)};
        TreeMap<Integer, Set<Long>> words = new TreeMap<>();
        first.forEach(
                row -> words.computeIfAbsent(row, unused -> new TreeSet<>()).add(sought[0]));
        second.forEach(
                row -> words.computeIfAbsent(row, unused -> new TreeSet<>()).add(sought[1]));
        for (int list = 0; list < sought.length; list++) {
            for (int other = poisson(others); other > 0; other--) {
                words.computeIfAbsent(random.nextInt(rows), unused -> new TreeSet<>())
                        .add(word(list));
            }
        }
        unit.clear();
        words.forEach((row, of) -> {
            while (unit.rows() <= row) {
                unit.nextRow();
            }
            of.forEach(unit::addRare);
        });
        while (unit.rows() < rows) {
            unit.nextRow();
        }
        RowSet firstRows = new RowSet();
        RowSet secondRows = new RowSet();
        unit.rowsOfRare(sought[0], firstRows);
        unit.rowsOfRare(sought[1], secondRows);
        return new RowSet().setAnd(firstRows, secondRows).isEmpty();
    }
}
