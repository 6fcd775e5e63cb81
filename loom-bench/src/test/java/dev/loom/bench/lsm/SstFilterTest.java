package dev.loom.bench.lsm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Filters against equation 1. {@code -Dloom.test.seed=S} gives the seed. */
final class SstFilterTest {
    private static final int KEYS = 4_000;
    private static final int ABSENT = 20_000;
    private static final int FILTERS = 12;
    private static final int BITS_PER_KEY = 10;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);

    @Test
    void shouldBeWrongAsOftenAsEquation1Says() {
        System.out.println("SstFilterTest: -Dloom.test.seed=" + seed);
        for (final FilterKind kind : FilterKind.values()) {
            if (kind != FilterKind.LOG) {
                for (final HashUse use : HashUse.values()) {
                    final List<Double> rates = new ArrayList<>();
                    for (int i = 0; i < FILTERS; i++) {
                        rates.add(rate(kind, use, random.nextInt(5)));
                    }
                    check(rates, kind + ", " + use);
                }
            }
        }
    }

    /** The text index's own test has the rates of its filter at many sizes; this has it at 8 bits a key. */
    @Test
    void shouldFindItsKeysInLogFilters() {
        final double rate = rate(FilterKind.LOG, HashUse.SHARED, 0);
        assertTrue(rate > 0 && rate < 0.1, "rate=" + rate);
    }

    private double rate(FilterKind kind, HashUse use, int level) {
        final SstFilter filter = kind.create(KEYS, BITS_PER_KEY);
        final KeyDigests digests = use.digests();
        final byte[][] keys = KeyFilter.keys(KEYS + ABSENT, 24, random.nextLong());
        for (int i = 0; i < KEYS; i++) {
            digests.start(keys[i]);
            filter.add(digests, level);
        }
        int passed = 0;
        for (int i = 0; i < keys.length; i++) {
            digests.start(keys[i]);
            final boolean may = filter.mayContain(digests, level);
            assertTrue(may || i >= KEYS, "key was added");
            passed += may && i >= KEYS ? 1 : 0;
        }
        return (double) passed / ABSENT;
    }

    @Test
    void shouldBeWrongAsOftenWhenIndexesShareADigest() {
        final int indexes = LookupCost.indexes(BITS_PER_KEY);
        final int bits = KEYS * BITS_PER_KEY;
        for (final boolean inUnits : new boolean[] {false, true}) {
            check(
                    rates(() -> KeyFilter.ofMany(Collections.nCopies(indexes, HashFunction.MM64), bits, inUnits)),
                    "seeded, " + inUnits);
            check(rates(() -> KeyFilter.ofMany(List.of(HashFunction.values()), bits, inUnits)), "all, " + inUnits);
            check(
                    rates(() -> KeyFilter.doubled(HashFunction.MM64, HashFunction.XX, indexes, bits, inUnits)),
                    "doubled, " + inUnits);
            for (final HashFunction hash : HashFunction.values()) {
                check(rates(() -> KeyFilter.rotated(hash, indexes, bits, inUnits)), hash + ", " + inUnits);
            }
        }
    }

    /** Makes a filter. */
    @FunctionalInterface
    private interface Fresh {
        KeyFilter make();
    }

    private List<Double> rates(Fresh fresh) {
        final List<Double> rates = new ArrayList<>();
        for (int i = 0; i < FILTERS; i++) {
            final KeyFilter filter = fresh.make();
            final long first = random.nextLong();
            final byte[][] added = KeyFilter.keys(KEYS, 24, first);
            for (final byte[] key : added) {
                filter.add(key);
            }
            assertEquals(1, filter.passed(added));
            rates.add(filter.passed(KeyFilter.keys(ABSENT, 24, first + KEYS)));
        }
        return rates;
    }

    /** Within 5.5 standard errors, of which one is at least that of a binomial, and 3 %. */
    private static void check(List<Double> rates, String what) {
        final double expected = LookupCost.falsePositives(BITS_PER_KEY);
        final double mean =
                rates.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
        final double squares = rates.stream()
                .mapToDouble(rate -> (rate - mean) * (rate - mean))
                .sum();
        final double error = Math.max(
                Math.sqrt(squares / (rates.size() - 1) / rates.size()), Math.sqrt(expected / ABSENT / rates.size()));
        assertEquals(expected, mean, 5.5 * error + 0.03 * expected, what);
    }

    @Test
    void shouldComputeDigestsAsTheUseSays() {
        final byte[] key = KeyFilter.keys(1, 64, seed)[0];
        final KeyDigests repeated = HashUse.REPEATED.digests();
        final KeyDigests seeded = HashUse.SEEDED.digests();
        final KeyDigests shared = HashUse.SHARED.digests();
        for (final KeyDigests digests : List.of(repeated, seeded, shared)) {
            digests.start(key);
        }
        for (int level = 0; level < TreeShape.LEVELS_MAX; level++) {
            assertEquals(Murmur.hash64(key, 0), shared.of(level));
            assertEquals(shared.of(level), repeated.of(level));
            assertEquals(shared.second(level), repeated.second(level));
            assertNotEquals(shared.of(level), seeded.of(level));
            for (int unit = 0; unit < KeyDigests.UNITS; unit++) {
                assertEquals(shared.ofUnit(level, unit), repeated.ofUnit(level, unit));
            }
        }
        assertNotEquals(seeded.of(0), seeded.of(1));
        assertNotEquals(shared.ofUnit(0, 0), shared.ofUnit(0, 1));
        shared.start(KeyFilter.keys(1, 64, seed + 1)[0]);
        assertNotEquals(repeated.of(0), shared.of(0));
        assertNotEquals(repeated.second(0), shared.second(0));
        assertNotEquals(repeated.ofUnit(0, 3), shared.ofUnit(0, 3));
    }
}
