package dev.loom.filter;

import java.util.Arrays;

/** A table of the words that most rows have, by their digests (ESTELLE, 2.3.2). Immutable, usable from any thread. */
final class FrequentWords {
    /** The most words. */
    static final int COUNT_MAX = 2_048;

    static final FrequentWords NONE = new FrequentWords(new long[0]);

    private final long[] digests;
    /** Open addressing; a digest of 0 is not in it. */
    private final long[] slots;

    /**
     * Makes a table.
     *
     * @param digests ascending, each once, 0 to {@value #COUNT_MAX}
     * @throws IllegalArgumentException otherwise
     */
    FrequentWords(long[] digests) {
        boolean right = digests.length <= COUNT_MAX;
        for (int i = 1; right && i < digests.length; i++) {
            right = digests[i] > digests[i - 1];
        }
        if (!right) {
            throw new IllegalArgumentException(
                    "bad frequent words: count=" + digests.length + ", expected=ascending, at most " + COUNT_MAX);
        }
        this.digests = digests.clone();
        slots = new long[Math.max(2, Integer.highestOneBit(digests.length) * 4)];
        for (long digest : digests) {
            if (digest != 0) {
                int slot = first(digest);
                while (slots[slot] != 0) {
                    slot = slot + 1 & (slots.length - 1);
                }
                slots[slot] = digest;
            }
        }
    }

    private int first(long digest) {
        return (int) digest & (slots.length - 1);
    }

    boolean contains(long digest) {
        int slot = first(digest);
        while (slots[slot] != digest && slots[slot] != 0) {
            slot = slot + 1 & (slots.length - 1);
        }
        return digest != 0 && slots[slot] == digest;
    }

    int count() {
        return digests.length;
    }

    long digest(int i) {
        return digests[i];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FrequentWords words && Arrays.equals(digests, words.digests);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(digests);
    }
}
