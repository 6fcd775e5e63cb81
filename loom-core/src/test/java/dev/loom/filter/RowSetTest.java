package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** Sets of rows against arrays of booleans; and the rules of the paper, which lose rows. */
final class RowSetTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int ROWS = 40;

    private final Random random = new Random(SEED);

    private static RowSet set(int open, int... rows) {
        RowSet set = new RowSet();
        for (int row : rows) {
            set.add(row);
        }
        set.openAt(open);
        return set;
    }

    private RowSet random() {
        RowSet set = new RowSet();
        int open = random.nextInt(3) == 0 ? random.nextInt(ROWS) : RowSet.CLOSED;
        for (int row = 0; row < Math.min(ROWS, open); row++) {
            if (random.nextInt(4) == 0) {
                set.add(row);
            }
        }
        if (open != RowSet.CLOSED) {
            set.openAt(open);
        }
        return set;
    }

    private static boolean[] members(RowSet set) {
        boolean[] members = new boolean[ROWS];
        for (int i = 0; i < set.count(); i++) {
            assertTrue(set.row(i) < set.open(), set::toString);
            members[set.row(i)] = true;
        }
        for (int row = 0; row < ROWS; row++) {
            members[row] |= row >= set.open();
            assertEquals(members[row], set.contains(row));
        }
        return members;
    }

    @Test
    void shouldBeACopyWithAllThatIsKnown() {
        assertEquals(5, new RowSet().set(new RowSet().setMost(5)).most(ROWS));
        for (int round = 0; round < 100; round++) {
            RowSet one = random();
            RowSet copy = random().set(one);
            assertArrayEquals(members(one), members(copy), () -> "seed=" + SEED);
            assertEquals(one.most(ROWS), copy.most(ROWS));
        }
    }

    @Test
    void shouldBeWhatBothOrEitherHave() {
        for (int round = 0; round < 20_000; round++) {
            RowSet one = random();
            RowSet other = random();
            boolean[] a = members(one);
            boolean[] b = members(other);
            boolean[] both = members(new RowSet().setAnd(one, other));
            boolean[] either = members(new RowSet().setOr(one, other));
            boolean any = false;
            for (int row = 0; row < ROWS; row++) {
                String where = "seed=" + SEED + ", one=" + one + ", other=" + other + ", row=" + row;
                assertEquals(a[row] && b[row], both[row], where);
                assertEquals(a[row] || b[row], either[row], where);
                any |= a[row];
            }
            assertEquals(!any, one.isEmpty());
            int from = random.nextInt(ROWS);
            int to = from + random.nextInt(ROWS - from + 1);
            boolean meets = false;
            for (int row = from; row < to; row++) {
                meets |= a[row];
            }
            assertEquals(meets, one.meets(from, to), "seed=" + SEED + ", set=" + one + ", from=" + from + ", to=" + to);
        }
    }

    /**
     * 4.3: "If the intersection is empty and at least one of the two inverted lists is not full, discard the block." With k = 3,
     * the first word is in rows 1, 2, 3 and, as its list is full, in row 7 unlisted; the second is in row 7 alone.
     */
    @Test
    void shouldKeepTheRowThatThePaperDiscards() {
        RowSet full = set(4, 1, 2, 3);
        RowSet notFull = set(RowSet.CLOSED, 7);
        assertFalse(new RowSet().setAnd(full, notFull).isEmpty());
        assertTrue(new RowSet().setAnd(full, notFull).contains(7));
    }

    /**
     * 4.3: "If the intersection is not empty and at least one of the inverted lists is not full, the block only needs to consider
     * the rows corresponding to the row numbers in the intersection." Row 2 is in both lists; row 9 has both words as well.
     */
    @Test
    void shouldKeepTheRowThatThePaperPassesOver() {
        RowSet both = new RowSet().setAnd(set(4, 1, 2, 3), set(RowSet.CLOSED, 2, 9));
        assertEquals("[2, 9]", both.toString());
    }

    /**
     * 4.3: "If the intersection is empty but both inverted lists are full, record the maximum value of the row numbers in the two
     * inverted lists [and] start scanning from the next row after that maximum row." The first word is in row 5 too, unlisted.
     */
    @Test
    void shouldKeepTheRowBelowTheLongerListsEnd() {
        RowSet both = new RowSet().setAnd(set(4, 1, 2, 3), set(9, 4, 5, 8));
        assertEquals("[4, 5, 8] and from 9 on", both.toString());
    }

    @Test
    void shouldHoldNothingOrAll() {
        assertTrue(new RowSet().isEmpty());
        assertTrue(new RowSet().setAll().contains(0));
        assertTrue(set(3, 1).clear().isEmpty());
        assertEquals(
                "[1, 2] and from 7 on",
                new RowSet().setAnd(new RowSet().setAll(), set(7, 1, 2)).toString());
        assertEquals(
                "[] and from 0 on",
                new RowSet().setOr(new RowSet().setAll(), set(7, 1, 2)).toString());
        assertFalse(new RowSet().setAll().meets(5, 5));
    }
}
