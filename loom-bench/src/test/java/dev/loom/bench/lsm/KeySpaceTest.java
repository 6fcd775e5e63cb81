package dev.loom.bench.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Keys of levels. */
final class KeySpaceTest {
    private static final TreeShape SHAPE = new TreeShape(4, 10, 7 << 10, 64 << 10, 64, 1024);

    @Test
    void shouldGiveEachLevelKeysThatAscendOverTheWholeRange() {
        final KeySpace keys = new KeySpace(SHAPE);
        for (int level = 0; level < SHAPE.levels(); level++) {
            final long entries = SHAPE.entries(level);
            assertEquals(7 * (long) Math.pow(10, level), entries);
            byte[] before = {};
            for (long i = 0; i < entries; i++) {
                final long number = keys.number(level, i);
                assertEquals(level, number & 15);
                assertEquals((double) i / entries, number / 0x1p63, 1.001 / entries);
                final byte[] key = new byte[SHAPE.keyLength()];
                KeySpace.write(number, key);
                assertTrue(Arrays.compareUnsigned(before, key) < 0, "level=" + level + ", index=" + i);
                before = key;
            }
        }
    }

    @Test
    void shouldGiveKeysThatNoLevelHas() {
        for (long i = 0; i < 1_000; i++) {
            assertEquals(15, KeySpace.absent(i) & 15);
            assertTrue(KeySpace.absent(i) >= 0);
        }
    }

    /** A hash function that saw only the numbers would make long keys cheap. */
    @Test
    void shouldFillLongKeysWithDifferentBytes() {
        final byte[] one = new byte[1024];
        final byte[] other = new byte[1024];
        KeySpace.write(1 << 4, one);
        KeySpace.write(2 << 4, other);
        for (int i = 8; i < 1024; i += 8) {
            assertNotEquals(-1, Arrays.mismatch(one, i, i + 8, other, i, i + 8), "offset=" + i);
            assertNotEquals(-1, Arrays.mismatch(one, i, i + 8, one, i - 8, i), "offset=" + i);
        }
    }
}
