package dev.loom.otlp.ingest;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an {@link OtlpIngester}.
 *
 * @param sourceAttribute the resource attribute, such as {@code service.name}, whose every value gets its own source; null
 *     for one source per signal
 * @param sourcesMax the most such sources per signal; records with further values go to the signal's source
 * @param contextLengthMax the greatest length of resource, scope and metric description together, in bytes; records that
 *     exceed it are rejected
 * @param contextsMax the number of contexts remembered, so that they are not written again
 * @param contextBytesMax the bytes of all contexts remembered
 * @param timeoutNs how long a request may wait for its turn and for room in the store, in ns
 * @param retryDelayMs how long a client is then told to wait, in ms
 * @param concurrency the number of requests processed at once; others wait
 */
public record IngestSettings(
        @Nullable String sourceAttribute,
        int sourcesMax,
        int contextLengthMax,
        int contextsMax,
        int contextBytesMax,
        long timeoutNs,
        long retryDelayMs,
        int concurrency) {
    private static final int SOURCES_MAX = 256;
    private static final int CONTEXT_LENGTH_MAX = 64 * 1024;
    private static final int CONTEXTS_MAX = 16 * 1024;
    private static final int CONTEXT_BYTES_MAX = 4 * 1024 * 1024;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long RETRY_DELAY_MS = 1_000;

    public IngestSettings {
        checkPositive("sourcesMax", sourcesMax);
        checkPositive("contextLengthMax", contextLengthMax);
        checkPositive("contextsMax", contextsMax);
        checkPositive("contextBytesMax", contextBytesMax);
        checkPositive("timeoutNs", timeoutNs);
        checkPositive("retryDelayMs", retryDelayMs);
        checkPositive("concurrency", concurrency);
        if (contextLengthMax > contextBytesMax) {
            throw new IllegalArgumentException("contextLengthMax exceeds contextBytesMax: contextLengthMax="
                    + contextLengthMax + ", contextBytesMax=" + contextBytesMax);
        }
    }

    private static void checkPositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException("setting is not positive: " + name + "=" + value);
        }
    }

    /**
     * One source per signal (at most 256 if there is an attribute); contexts of up to 64 KiB, 16,384 of them in 4 MiB; a
     * time-out of 5 s, a retry delay of 1 s; and twice as many requests as processors.
     */
    public static IngestSettings defaults() {
        return new IngestSettings(
                null,
                SOURCES_MAX,
                CONTEXT_LENGTH_MAX,
                CONTEXTS_MAX,
                CONTEXT_BYTES_MAX,
                TIMEOUT_NS,
                RETRY_DELAY_MS,
                2 * Runtime.getRuntime().availableProcessors());
    }

    /** The same with a source per value of a resource attribute. */
    public IngestSettings withSourceAttribute(@Nullable String attribute, int max) {
        return new IngestSettings(
                attribute, max, contextLengthMax, contextsMax, contextBytesMax, timeoutNs, retryDelayMs, concurrency);
    }

    /** The same with other limits on contexts. */
    public IngestSettings withContexts(int lengthMax, int max, int bytesMax) {
        return new IngestSettings(
                sourceAttribute, sourcesMax, lengthMax, max, bytesMax, timeoutNs, retryDelayMs, concurrency);
    }

    /** The same with other times. */
    public IngestSettings withTimes(long newTimeoutNs, long newRetryDelayMs) {
        return new IngestSettings(
                sourceAttribute,
                sourcesMax,
                contextLengthMax,
                contextsMax,
                contextBytesMax,
                newTimeoutNs,
                newRetryDelayMs,
                concurrency);
    }

    /** The same with another number of requests at once. */
    public IngestSettings withConcurrency(int requests) {
        return new IngestSettings(
                sourceAttribute,
                sourcesMax,
                contextLengthMax,
                contextsMax,
                contextBytesMax,
                timeoutNs,
                retryDelayMs,
                requests);
    }
}
