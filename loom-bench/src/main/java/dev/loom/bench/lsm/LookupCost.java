package dev.loom.bench.lsm;

/**
 * The paper's model of a lookup's cost, in the unit of the costs that it is given. It leaves out the probing of filters, the
 * search among fence pointers, and whatever a program does besides.
 *
 * @param levels of the tree
 * @param ratio of its levels' sizes
 * @param hits the share of keys that are there (alpha)
 * @param hashCost of one digest (T_H)
 * @param readCost of one block (T_D)
 * @param falsePositives the rate of one filter (f_p)
 */
public record LookupCost(int levels, int ratio, double hits, double hashCost, double readCost, double falsePositives) {
    /** Equation 4: a digest for each level. As printed; its derivation, equation 8, has (digests - alpha) false positives. */
    public double digestPerLevel() {
        return visitedLevels() * hashCost + reads();
    }

    /** Equation 5: one digest. */
    public double sharedDigest() {
        return hashCost + reads();
    }

    /** How much longer lookups take with a digest for each level, as a share of the time with one. */
    public double gain() {
        return digestPerLevel() / sharedDigest() - 1;
    }

    private double visitedLevels() {
        return levels - hits / (ratio - 1);
    }

    private double reads() {
        return hits * readCost + visitedLevels() * falsePositives * readCost;
    }

    /** Equation 1, left: the rate of false positives of a Bloom filter. */
    public static double falsePositives(double bitsPerKey) {
        final int indexes = indexes(bitsPerKey);
        return Math.pow(1 - Math.exp(-indexes / bitsPerKey), indexes);
    }

    /** Equation 1, right: the best number of indexes. */
    public static int indexes(double bitsPerKey) {
        return (int) Math.ceil(bitsPerKey * Math.log(2));
    }
}
