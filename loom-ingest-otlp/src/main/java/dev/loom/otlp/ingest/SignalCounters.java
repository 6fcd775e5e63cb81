package dev.loom.otlp.ingest;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the requests and records of one signal since the ingester was opened. Thread-safe; each counter is exact, but they
 * are not read atomically together.
 */
public final class SignalCounters {
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong rejected = new AtomicLong();
    private final AtomicLong overflowed = new AtomicLong();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong malformed = new AtomicLong();
    private final AtomicLong unavailable = new AtomicLong();

    SignalCounters() {}

    /** Log records, spans or data points stored, including those of requests that became {@link #unavailable()}. */
    public long accepted() {
        return accepted.get();
    }

    /** Log records, spans or data points of accepted requests that were not stored and never can be. */
    public long rejected() {
        return rejected.get();
    }

    /**
     * Stored records that went to the signal's source because the limit on sources was reached, or the store refused their
     * own.
     */
    public long overflowed() {
        return overflowed.get();
    }

    /** All requests. */
    public long requests() {
        return requests.get();
    }

    /** Requests that could not be read. */
    public long malformed() {
        return malformed.get();
    }

    /** Requests that clients were asked to send again, as the store was busy, full, failing or closed. */
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
