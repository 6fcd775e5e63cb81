package dev.loom.record;

/**
 * Overflows a stack that is too short for what follows, before that has changed anything. Whoever records does it where it happens to be, and
 * at the end of a recursion that is at the end of its stack. Needs no native code and no flags: it calls itself, at a cost of about a
 * nanosecond a level.
 */
final class StackProbe {
    /** Some 6 KiB of compiled frames, 25 KiB of interpreted ones. */
    private static final int MUCH = 256;

    private static final int SOME = 64;

    private StackProbe() {}

    /** Requires what closing a chunk takes: its directory, bins and a checkpoint. */
    static void requireMuch() {
        descend(MUCH);
    }

    /** Requires what the first record of a source in a chunk takes. */
    static void requireSome() {
        descend(SOME);
    }

    private static int descend(int levels) {
        return levels == 0 ? 0 : descend(levels - 1) + 1;
    }
}
