package dev.loom.otlp.ingest;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What became of one signal's requests and records since the ingester was opened. Usable from any thread; each count is
 * right by itself, not together with others.
 */
public final class SignalCounters {
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong rejected = new AtomicLong();
    private final AtomicLong overflowed = new AtomicLong();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong malformed = new AtomicLong();
    private final AtomicLong unavailable = new AtomicLong();

    SignalCounters() {}

    /** Log records, spans or data points that were stored, also those of requests that later were {@link #unavailable()}. */
    public long accepted() {
        return accepted.get();
    }

    /** Log records, spans or data points of taken requests that were not stored and never could be. */
    public long rejected() {
        return rejected.get();
    }

    /** Of those stored, how many went to the signal's source because there are too many sources of their own. */
    public long overflowed() {
        return overflowed.get();
    }

    /** Requests, whatever became of them. */
    public long requests() {
        return requests.get();
    }

    /** Requests that can't be read. */
    public long malformed() {
        return malformed.get();
    }

    /** Requests that were to be sent again, as the store was busy, full, failing or closed. */
    public long unavailable() {
        return unavailable.get();
    }

    void addRecords(long acceptedCount, long rejectedCount, long overflowedCount) {
        add(accepted, acceptedCount);
        add(rejected, rejectedCount);
        add(overflowed, overflowedCount);
    }

    private static void add(AtomicLong counter, long count) {
        if (count != 0) {
            counter.addAndGet(count);
        }
    }

    void addRequest() {
        requests.incrementAndGet();
    }

    void addMalformed() {
        malformed.incrementAndGet();
    }

    void addUnavailable() {
        unavailable.incrementAndGet();
    }
}
