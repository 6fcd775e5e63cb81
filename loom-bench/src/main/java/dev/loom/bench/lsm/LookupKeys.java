package dev.loom.bench.lsm;

import java.util.SplittableRandom;

/**
 * Keys to look up, in memory before the clock runs, and the level of each. Of those that are there each key of the tree is
 * equally likely, so that most are in the last level.
 */
public final class LookupKeys {
    private final byte[][] keys;
    private final int[] levels;

    /**
     * Chooses keys.
     *
     * @param ofLevels of the tree's first levels
     * @param hits the share of keys that are there, 0 to 1
     */
    public LookupKeys(TreeShape shape, int ofLevels, int count, double hits, long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final KeySpace space = new KeySpace(shape);
        keys = new byte[count][shape.keyLength()];
        levels = new int[count];
        final long entries = shape.dataBytes(ofLevels) / shape.entryLength();
        double due = 0; // so that the share is exact, and hits are spread over all keys
        for (int i = 0; i < count; i++) {
            due += hits;
            if (due < 1 - 1e-9) {
                levels[i] = Lookup.NOWHERE;
                KeySpace.write(KeySpace.absent(random.nextLong()), keys[i]);
                continue;
            }
            due--;
            long index = random.nextLong(entries);
            while (index >= shape.entries(levels[i])) {
                index -= shape.entries(levels[i]++);
            }
            KeySpace.write(space.number(levels[i], index), keys[i]);
        }
    }

    int count() {
        return keys.length;
    }

    byte[] key(int i) {
        return keys[i];
    }

    int level(int i) {
        return levels[i];
    }
}
