package dev.loom.bench.recording;

import java.util.function.IntToLongFunction;

/** Checks events as they are read back, in any order of the producers. */
final class RecordedEvents {
    private final long[] next;

    RecordedEvents(int producers) {
        next = new long[producers];
    }

    /** @param payload gives the i-th number of the event */
    void check(IntToLongFunction payload) {
        final int producer = (int) payload.applyAsLong(0);
        final long sequence = next[producer]++;
        for (int i = 0; i < RecordingTarget.PAYLOAD_LENGTH / Long.BYTES; i++) {
            if (payload.applyAsLong(i) != RecordingTarget.number(i, producer, sequence)) {
                throw new IllegalStateException("event differs: producer=" + producer + ", sequence="
                        + payload.applyAsLong(1) + ", expected sequence=" + sequence + ", number=" + i);
            }
        }
    }

    void checkEnd(long recordsEach) {
        for (int producer = 0; producer < next.length; producer++) {
            if (next[producer] != recordsEach) {
                throw new IllegalStateException("events missing: producer=" + producer + ", expected=" + recordsEach
                        + ", found=" + next[producer]);
            }
        }
    }
}
