package dev.loom.bench.lsm;

import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/** What reading a data block takes. */
public final class BlockReads {
    private BlockReads() {}

    /** Nanoseconds a block: the mean of {@code count} random ones of a tree's last level, for each round but the first. */
    public static double[] measure(SstTree tree, int count, int rounds, LongSupplier clock) {
        final double[] means = new double[rounds];
        final SplittableRandom random = new SplittableRandom(count);
        final int last = tree.shape().levels() - 1;
        final int files = tree.shape().files(last);
        final BlockFetch fetch = new BlockFetch();
        for (int round = -1; round < rounds; round++) {
            final long startNs = clock.getAsLong();
            for (int i = 0; i < count; i++) {
                final SstFile file = tree.level(last).file(random.nextInt(files));
                file.read(random.nextInt(file.dataBlocks()), fetch);
            }
            final double mean = (double) (clock.getAsLong() - startNs) / count;
            if (round >= 0) {
                means[round] = mean;
            }
        }
        return means;
    }
}
