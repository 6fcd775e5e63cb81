package dev.loom.otlp.ingest;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of an {@link OtlpIngester}.
 *
 * @param sourceAttribute the resource attribute, such as {@code service.name}, whose every value gets its own source; null
 *     for one source per signal
 * @param sourcesMax the most such sources that are open per signal, also those of earlier starts; records with further values
 *     go to the signal's source
 * @param contextLengthMax the greatest length of resource, scope and metric description together, in bytes; records that
 *     exceed it are rejected
 * @param contextsMax the number of contexts remembered, so that they are not written again; each takes 48 to 96 bytes
 * @param contextBytesMax the bytes of contexts that are written for any request, for a long one up to four times its length;
 *     further records that need one written are rejected
 * @param timeout how long a request may wait for its turn and for room in the store
 * @param retryDelay how long a client should wait then
 * @param concurrency the number of requests processed at once; others wait
 */
public record IngestSettings(
        @Nullable String sourceAttribute,
        int sourcesMax,
        int contextLengthMax,
        int contextsMax,
        int contextBytesMax,
        Duration timeout,
        Duration retryDelay,
        int concurrency) {
    private static final int SOURCES_MAX = 256;
    private static final int CONTEXT_LENGTH_MAX = 64 * 1024;
    private static final int CONTEXTS_MAX = 64 * 1024;
    private static final int CONTEXT_BYTES_MAX = 32 * 1024 * 1024;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    public IngestSettings {
        checkPositive("sourcesMax", sourcesMax);
        checkPositive("contextLengthMax", contextLengthMax);
        checkPositive("contextsMax", contextsMax);
        checkPositive("contextBytesMax", contextBytesMax);
        checkPositive("timeout", timeout.toNanos());
        checkPositive("retryDelay", retryDelay.toNanos());
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
     * One source per signal (at most 256 if there is an attribute); contexts of up to 64 KiB, 65,536 of them in
     * 3 MiB, and 32 MiB of them written for a request; a time-out of 5 s, a retry delay of 1 s; and twice as many requests as
     * processors.
     */
    public static IngestSettings defaults() {
        return new IngestSettings(
                null,
                SOURCES_MAX,
                CONTEXT_LENGTH_MAX,
                CONTEXTS_MAX,
                CONTEXT_BYTES_MAX,
                TIMEOUT,
                RETRY_DELAY,
                2 * Runtime.getRuntime().availableProcessors());
    }

    /** The same with a source per value of a resource attribute. */
    public IngestSettings withSourceAttribute(@Nullable String attribute, int max) {
        return new IngestSettings(
                attribute, max, contextLengthMax, contextsMax, contextBytesMax, timeout, retryDelay, concurrency);
    }

    /** The same with other limits on contexts. */
    public IngestSettings withContexts(int lengthMax, int max, int bytesMax) {
        return new IngestSettings(
                sourceAttribute, sourcesMax, lengthMax, max, bytesMax, timeout, retryDelay, concurrency);
    }

    /** The same with other times. */
    public IngestSettings withTimes(Duration newTimeout, Duration newRetryDelay) {
        return new IngestSettings(
                sourceAttribute,
                sourcesMax,
                contextLengthMax,
                contextsMax,
                contextBytesMax,
                newTimeout,
                newRetryDelay,
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
                timeout,
                retryDelay,
                requests);
    }
}
