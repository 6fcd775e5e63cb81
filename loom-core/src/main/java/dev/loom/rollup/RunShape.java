package dev.loom.rollup;

import dev.loom.log.PageDescriptor;

/**
 * How runs lie in the record log. A run of level 1 has the chunks that begin in 64 aligned pages, one of level 2 the
 * chunks of that many runs, and so on. Runs of a level lie one behind the other; they are numbered by their place. A file has as many of
 * them as a run of the next level.
 */
public final class RunShape {
    /** The highest level: the most records that it can have are still counted by an int. */
    public static final int LEVELS = 3;

    private static final int FAN_OUT_SHIFT = 6;

    /** Tests have shorter runs, as no test writes gigabytes; the files say which they are for. */
    private static final int SHIFT = Integer.getInteger("loom.rollup.shift", FAN_OUT_SHIFT);

    private RunShape() {}

    /** The binary logarithm of {@link #fanOut()}. */
    static int shift() {
        return SHIFT;
    }

    /** How many runs, or chunks of a page each, make up one. */
    public static int fanOut() {
        return 1 << SHIFT;
    }

    /** The number of the run of a level whose chunks begin around an address. */
    public static long number(int level, long address) {
        return address >>> addressShift(level);
    }

    /** The address from which on the chunks of a run begin; the last of them may end behind the next one's. */
    public static long begin(int level, long number) {
        return number << addressShift(level);
    }

    private static int addressShift(int level) {
        return PageDescriptor.PAGE_SHIFT + level * SHIFT;
    }

    /** The number of the file that holds a run. */
    static long file(long number) {
        return number >>> SHIFT;
    }

    /** A run's place in its file. */
    static int slot(long number) {
        return (int) number & (fanOut() - 1);
    }
}
