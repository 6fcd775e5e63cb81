package dev.loom.bench.recording;

import java.util.function.IntToLongFunction;

/** Checks events as they are read back, with the producers interleaved in any way. */
final class RecordedEvents {
    private final long[] next;
    private long found;

    RecordedEvents(int producers) {
        next = new long[producers];
    }

    /** @param payload returns the i-th number of the event */
    void check(IntToLongFunction payload) {
        final int producer = (int) payload.applyAsLong(0);
        final long sequence = payload.applyAsLong(1);
        boolean equal = sequence >= next[producer];
        for (int i = 0; i < RecordingTarget.PAYLOAD_LENGTH / Long.BYTES; i++) {
            equal &= payload.applyAsLong(i) == RecordingTarget.number(i, producer, sequence);
        }
        if (!equal) {
            throw new IllegalStateException("event differs, or is not in order: producer=" + producer + ", sequence="
                    + sequence + ", expected sequence=" + next[producer] + " or more");
        }
        next[producer] = sequence + 1;
        found++;
    }

    long found() {
        return found;
    }
}
