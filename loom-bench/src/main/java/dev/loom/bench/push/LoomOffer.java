package dev.loom.bench.push;

import dev.loom.Loom;
import dev.loom.api.PushStatus;
import java.util.concurrent.locks.LockSupport;
import org.agrona.DirectBuffer;

/** {@link Loom#offer}, again and again while the ring is full. */
final class LoomOffer extends LoomTarget {
    private static final long WAIT_NS = 50_000;

    LoomOffer(PushSettings settings, PayloadPool pool, TargetFiles files) {
        super(settings, pool, files);
    }

    @Override
    public void push(int count) {
        final DirectBuffer payloads = pool.buffer();
        final int length = pool.length();
        for (int i = 0; i < count; i++) {
            long status = loom.offer(sourceId, payloads, pool.offset(i), length);
            while (status == PushStatus.BACK_PRESSURED) {
                LockSupport.parkNanos(this, WAIT_NS);
                status = loom.offer(sourceId, payloads, pool.offset(i), length);
            }
            check(status);
        }
        pushed += count;
    }
}
