package dev.loom.otlp;

import org.agrona.DirectBuffer;

/**
 * Handles whole requests that a receiver has read, and stores them before it returns.
 *
 * <p>Called by many threads at once. It may wait for a bounded time; then it must report {@link ExportOutcome#unavailable}
 * rather than drop anything.
 */
@FunctionalInterface
public interface ExportHandler {
    /**
     * Stores one request.
     *
     * @param signal what the request carries
     * @param message holds the {@code Export<Signal>ServiceRequest} as uncompressed protobuf; valid only during this call
     * @param offset of the request's first byte in {@code message}
     * @param length of the request in bytes; 0 is a request without records
     * @param outcome receives the outcome; accepted in full unless this method says otherwise
     */
    void export(Signal signal, DirectBuffer message, int offset, int length, ExportOutcome outcome);
}
