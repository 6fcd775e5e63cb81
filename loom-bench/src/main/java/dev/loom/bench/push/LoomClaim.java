package dev.loom.bench.push;

import dev.loom.Loom;
import dev.loom.api.RecordClaim;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** {@link Loom#claim}, the payload stored in place word by word, and commit. */
final class LoomClaim extends LoomTarget {
    LoomClaim(PushSettings settings, PayloadPool pool, TargetFiles files) {
        super(settings, pool, files);
    }

    @Override
    public void push(int count) {
        final DirectBuffer payloads = pool.buffer();
        final int length = pool.length();
        for (int i = 0; i < count; i++) {
            check(loom.claim(sourceId, length));
            final RecordClaim claim = loom.claimed();
            final MutableDirectBuffer to = claim.buffer();
            final int at = claim.offset();
            final int from = pool.offset(i);
            for (int j = 0; j < length; j += Long.BYTES) {
                to.putLong(at + j, payloads.getLong(from + j));
            }
            check(claim.commit());
        }
        pushed += count;
    }
}
