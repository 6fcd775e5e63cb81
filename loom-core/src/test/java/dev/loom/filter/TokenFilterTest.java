package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.text.TokenDigest;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The filter of one unit: never wrong about what was added, and as often about the rest as a simulation says. */
final class TokenFilterTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());

    private static long digest(String token) {
        long state = TokenDigest.EMPTY;
        for (int i = 0; i < token.length(); i++) {
            state = TokenDigest.add(state, token.charAt(i));
        }
        return TokenDigest.finish(state);
    }

    @Test
    void shouldContainWhatWasAdded() {
        System.out.println("TokenFilterTest: -Dloom.test.seed=" + SEED);
        Random random = new Random(SEED);
        for (int sizeBits = TokenField.SIZE_BITS_MIN; sizeBits <= 20; sizeBits++) {
            TokenFilter filter = new TokenFilter(sizeBits);
            long[] digests = random.longs(1 + random.nextInt(1 << sizeBits)).toArray();
            for (long digest : digests) {
                filter.add(digest);
            }
            for (long digest : digests) {
                assertTrue(filter.mayContain(digest), "seed=" + SEED + ", sizeBits=" + sizeBits);
            }
        }
    }

    @Test
    void shouldContainNothingWhenCleared() {
        TokenFilter filter = new TokenFilter(10);
        assertFalse(filter.mayContain(0));
        assertFalse(filter.mayContain(-1));
        filter.add(0);
        filter.add(-1);
        filter.clear();
        assertFalse(filter.mayContain(0));
        assertFalse(filter.mayContain(-1));
    }

    @Test
    void shouldReachTheFirstAndTheLastByte() {
        TokenFilter filter = new TokenFilter(3);
        assertEquals(16, filter.fields().capacity());
        // the first field's upper half ends at byte 7, the last field's begins at byte 11
        filter.add(0);
        assertEquals(0x0000_0003_0000_0003L, filter.fields().getLong(0));
        filter.add(-1);
        // the last entry of the table is the pair of bits 15 and 31
        assertEquals(0x8000_8000_8000_8000L, filter.fields().getLong(7));
    }

    /** Two numbers of five bits would coincide once in 32 times. */
    @Test
    void shouldHaveFourBitsForEachDigest() {
        Random random = new Random(SEED);
        int[] used = new int[Long.SIZE];
        for (int i = 0; i < 512 * 512; i++) {
            long digest = ((long) random.nextInt(1 << 10) << 54) | (long) i << 36 | random.nextInt(1 << 30);
            long mask = TokenField.mask(digest, 10);
            assertEquals(2, Long.bitCount(mask >>> 32));
            assertEquals(2, Long.bitCount(mask & 0xFFFF_FFFFL));
            for (int bit = 0; bit < Long.SIZE; bit++) {
                used[bit] += (int) (mask >>> bit & 1);
            }
        }
        for (int bit = 0; bit < Long.SIZE; bit++) {
            assertEquals(512 * 32, used[bit], "each bit comes up as often as the others: bit=" + bit);
        }
    }

    @Test
    void shouldRefuseSizesThatNoFilterHas() {
        for (int sizeBits : new int[] {-1, 0, 2, 31, 64}) {
            IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> new TokenFilter(sizeBits));
            assertEquals("bad size of a filter: sizeBits=" + sizeBits + ", expected=3 to 30", e.getMessage());
        }
    }

    /**
     * The rates are those of a simulation in Python, with random fields and random pairs of bits instead of digests, known to 1
     * or 2 %. Equation 2 of the paper gives 9.9e-4, 7.8e-4 and 8.8e-3: it takes the four bits for independent, though
     * they share a field. The tokens are the same in each run.
     */
    @ParameterizedTest
    @CsvSource({"10, 400, 1.7393e-3, 200", "13, 3000, 1.4349e-3, 40", "13, 6000, 1.1702e-2, 10"})
    void shouldBeWrongAsOftenAsSimulated(int sizeBits, int tokens, double expected, int filters) {
        Random random = new Random(20261124);
        long probes = 0;
        long wrong = 0;
        for (int i = 0; i < filters; i++) {
            TokenFilter filter = new TokenFilter(sizeBits);
            Set<Long> added = new HashSet<>();
            while (added.size() < tokens) {
                long digest = digest("worker-" + random.nextInt(1 << 28));
                added.add(digest);
                filter.add(digest);
            }
            for (int probe = 0; probe < 40_000; probe++) {
                long digest = digest("task_" + random.nextInt(1 << 28));
                if (!added.contains(digest)) {
                    probes++;
                    wrong += filter.mayContain(digest) ? 1 : 0;
                }
            }
        }
        assertEquals(1, wrong / (double) probes / expected, 0.05, "wrong=" + wrong + ", of=" + probes);
    }
}
