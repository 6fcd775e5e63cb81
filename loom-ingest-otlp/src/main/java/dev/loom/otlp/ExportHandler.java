package dev.loom.otlp;

import org.agrona.DirectBuffer;

/**
 * Takes the requests that a receiver has read as a whole, and has them stored before it returns.
 *
 * <p>Called by many threads at once. It may wait, for a bounded time, and is then to say {@link ExportOutcome#unavailable} rather
 * than to drop anything.
 */
@FunctionalInterface
public interface ExportHandler {
    /**
     * Stores one request.
     *
     * @param signal what the request carries
     * @param message holds the {@code Export<Signal>ServiceRequest}, uncompressed protobuf; valid during this call alone
     * @param offset of the request's first byte in {@code message}
     * @param length of the request in bytes; 0 is a request without records
     * @param outcome what becomes of the request; accepted as a whole unless this method says otherwise
     */
    void export(Signal signal, DirectBuffer message, int offset, int length, ExportOutcome outcome);
}
