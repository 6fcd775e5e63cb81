package dev.loom.bench.push;

import dev.loom.Loom;
import org.agrona.DirectBuffer;

/** {@link Loom#push}, one call and one publication per record. */
final class LoomPush extends LoomTarget {
    LoomPush(PushSettings settings, PayloadPool pool, TargetFiles files) {
        super(settings, pool, files);
    }

    @Override
    public void push(int count) {
        final DirectBuffer payloads = pool.buffer();
        final int length = pool.length();
        for (int i = 0; i < count; i++) {
            check(loom.push(sourceId, payloads, pool.offset(i), length));
        }
        pushed += count;
    }
}
