package dev.loom.bench.scaling;

import java.util.Arrays;

/** Numbers of records by thread. */
final class Counts {
    private Counts() {}

    static void check(long[] expected, long[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new IllegalStateException("store has another number of records: expected=" + Arrays.toString(expected)
                    + ", actual=" + Arrays.toString(actual));
        }
    }
}
