package dev.loom.query.diff;

import java.util.SplittableRandom;

/**
 * Chooses records at random so that each of those seen so far is in the sample with equal probability (Vitter's algorithm R, with the
 * gaps of Li's algorithm L). The same sequence in each run. For one thread.
 */
final class Reservoir {
    /** The record is not in the sample. */
    static final int NONE = -1;

    private final SplittableRandom random;
    private final int size;
    private long seen;
    private long next;
    private double weight = 1;

    Reservoir(int size, long seed) {
        this.size = size;
        this.next = size;
        random = new SplittableRandom(seed);
    }

    /** The place in the sample that the next record gets, or {@link #NONE}. */
    int place() {
        long record = seen++;
        if (record < size) {
            if (record == size - 1) {
                skip();
            }
            return (int) record;
        } else if (record < next) {
            return NONE;
        }
        skip();
        return random.nextInt(size);
    }

    private void skip() {
        weight *= Math.exp(Math.log(uniform()) / size);
        double gap = Math.floor(Math.log(uniform()) / Math.log1p(-weight));
        next = seen + (long) Math.min(gap, 1L << Integer.SIZE);
    }

    /** Above 0 to 1. */
    private double uniform() {
        return 1 - random.nextDouble();
    }

    /** The number of places that are taken. */
    int filled() {
        return (int) Math.min(seen, size);
    }
}
