package dev.loom.query.race;

import dev.loom.Loom;
import dev.loom.api.PushStatus;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/** Pushes checked payloads as fast as it can: singly, in batches, by claims, a jumbo and a {@code force} now and then. */
final class RaceWriter {
    /** Fixed sources; the last one is rare. */
    static final int SOURCES = 4;

    private static final int RARE_EVERY = 50_000;
    private static final int BATCH_MAX = 40;

    private final Loom loom;
    private final int[] ids;
    private final SplittableRandom random;
    private final RacePayload payload = new RacePayload();
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1 << 18]);
    private final int[] lengths = new int[BATCH_MAX];
    private final long[] sequences = new long[SOURCES];
    private long pushes;

    RaceWriter(Loom loom, int[] ids, SplittableRandom random) {
        this.loom = loom;
        this.ids = ids;
        this.random = random;
    }

    /** Pushes once. */
    void step() {
        long push = pushes++;
        int source = push % RARE_EVERY == 0 ? SOURCES - 1 : random.nextInt(SOURCES - 1);
        if (push % 200_000 == 100_000) {
            loom.force();
        } else if (push % 64 == 1) {
            batch(source);
        } else if (push % 16 == 2) {
            claim(source);
        } else {
            int length = length();
            payload.put(buffer, 0, length, ids[source], sequences[source]);
            accepted(loom.push(ids[source], buffer, 0, length), source, 1);
        }
    }

    /** Pushes to a source that another thread may close at any moment. */
    void step(int sourceId) {
        payload.put(buffer, 0, 64, sourceId, pushes);
        long address = loom.push(sourceId, buffer, 0, 64);
        if (address < 0 && address != PushStatus.SOURCE_CLOSED) {
            throw new AssertionError("push refused: status=" + PushStatus.name(address));
        }
    }

    private int length() {
        int dice = random.nextInt(8192);
        if (dice == 0) {
            return RacePayload.LENGTH_MIN + random.nextInt(loom.payloadLengthMax() - RacePayload.LENGTH_MIN);
        }
        return RacePayload.LENGTH_MIN + random.nextInt(dice < 8 ? 60_000 : 150);
    }

    private void batch(int source) {
        int count = 1 + random.nextInt(BATCH_MAX);
        int at = 0;
        for (int i = 0; i < count; i++) {
            int length = length();
            length = at + length > buffer.capacity() ? RacePayload.LENGTH_MIN : length;
            if (at + length > buffer.capacity()) {
                count = i;
                break;
            }
            payload.put(buffer, at, length, ids[source], sequences[source] + i);
            lengths[i] = length;
            at += length;
        }
        int taken = loom.pushBatch(ids[source], buffer, 0, lengths, count);
        accepted(taken - count, source, count);
    }

    private void claim(int source) {
        int length = RacePayload.LENGTH_MIN + random.nextInt(300);
        if (loom.claim(ids[source], length) < 0) {
            throw new AssertionError("claim refused");
        }
        payload.put(loom.claimed().buffer(), loom.claimed().offset(), length, ids[source], sequences[source]);
        if (random.nextInt(10) == 0) {
            loom.claimed().abort();
        } else {
            accepted(loom.claimed().commit(), source, 1);
        }
    }

    private void accepted(long status, int source, int count) {
        if (status < 0) {
            throw new AssertionError("push refused: status=" + status);
        }
        sequences[source] += count;
    }

    long sequence(int source) {
        return sequences[source];
    }
}
