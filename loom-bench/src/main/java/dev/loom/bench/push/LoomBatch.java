package dev.loom.bench.push;

import dev.loom.Loom;
import java.util.Arrays;

/** {@link Loom#pushBatch} of {@link PayloadPool#COUNT} records, with one clock reading. */
final class LoomBatch extends LoomTarget {
    private final int[] lengths = new int[PayloadPool.COUNT];

    LoomBatch(PushSettings settings, PayloadPool pool, TargetFiles files) {
        super(settings, pool, files);
        Arrays.fill(lengths, pool.length());
    }

    @Override
    public void push(int count) {
        for (int i = 0; i < count; i += PayloadPool.COUNT) {
            final int taken = loom.pushBatch(sourceId, pool.buffer(), 0, lengths, PayloadPool.COUNT);
            if (taken != PayloadPool.COUNT) {
                throw new IllegalStateException("batch was not taken whole: taken=" + taken);
            }
        }
        pushed += count;
    }
}
