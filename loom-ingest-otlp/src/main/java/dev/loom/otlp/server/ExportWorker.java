package dev.loom.otlp.server;

import dev.loom.otlp.ExportHandler;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.ExportOutcome.Status;
import dev.loom.otlp.JsonTranscoder;
import dev.loom.otlp.Signal;
import dev.loom.otlp.server.Refusal.Reason;
import dev.loom.otlp.wire.WireReader;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the bytes of complete requests and passes them to the {@link ExportHandler}. There are few workers, so the memory
 * for decompression does not depend on the number of clients.
 *
 * <p>Not thread-safe.
 */
final class ExportWorker implements AutoCloseable {
    private static final UnsafeBuffer NOTHING = new UnsafeBuffer(new byte[0]);

    private final InFlightBudget budget;
    private final DecodeLimits limits;
    private final ExportHandler handler;
    private final JsonTranscoder transcoder;
    private final GzipDecoder gzip = new GzipDecoder();
    private final ZstdDecoder zstd = new ZstdDecoder();
    private final ExportOutcome outcome = new ExportOutcome();
    private int exportedLength;

    ExportWorker(InFlightBudget budget, DecodeLimits limits, ExportHandler handler, JsonTranscoder transcoder) {
        this.budget = budget;
        this.limits = limits;
        this.handler = handler;
        this.transcoder = transcoder;
    }

    /** The length of the last request as uncompressed protobuf, in bytes. */
    int exportedLength() {
        return exportedLength;
    }

    /**
     * Has a request stored.
     *
     * @param body as received, null if empty; released here, as early as possible
     * @return the outcome, which is accepted; valid until the next call
     * @throws RefusalException if the request is refused
     */
    ExportOutcome export(Signal signal, ContentEncoding encoding, boolean json, @Nullable Region body)
            throws RefusalException {
        Region message = body;
        try {
            if (encoding != ContentEncoding.IDENTITY) {
                message = convert(message, (from, to) -> decompress(encoding, from, to));
            }
            outcome.reset();
            if (json) {
                message = convert(message, (from, to) -> transcode(signal, from, to));
            }
            String warning = outcome.message();
            exportedLength = message == null ? 0 : message.length();
            if (message == null) {
                handler.export(signal, NOTHING, 0, 0, outcome);
            } else {
                handler.export(signal, message.buffer(), message.offset(), message.length(), outcome);
            }
            if (outcome.status() == Status.ACCEPTED && outcome.message().isEmpty()) {
                outcome.accepted(outcome.accepted(), outcome.rejected(), warning);
            }
        } finally {
            if (message != null) {
                message.close();
            }
        }
        if (outcome.status() == Status.MALFORMED) {
            throw new RefusalException(Reason.MALFORMED, ExportResponse.shortened(outcome.message()));
        }
        if (outcome.status() == Status.UNAVAILABLE) {
            throw new RefusalException(
                    new Refusal(Reason.UNAVAILABLE, ExportResponse.shortened(outcome.message()), outcome.retryDelay()));
        }
        return outcome;
    }

    private interface Conversion {
        void convert(Region from, Region to) throws RefusalException;
    }

    /** Returns what a region is converted to; closes the region. */
    private Region convert(@Nullable Region from, Conversion conversion) throws RefusalException {
        if (from == null) {
            throw new RefusalException(Reason.MALFORMED, "request can't be decoded: it is empty");
        }
        try (from) {
            from.trim();
            Region to = budget.reserve(from.length());
            if (to == null) {
                throw new RefusalException(InFlightBudget.NO_ROOM);
            }
            try {
                conversion.convert(from, to);
            } catch (RefusalException | RuntimeException | Error e) {
                to.close();
                throw e;
            }
            to.trim();
            return to;
        }
    }

    private void decompress(ContentEncoding encoding, Region from, Region to) throws RefusalException {
        to.limit(limits.allowed(from.length()) + 1);
        if (encoding == ContentEncoding.GZIP) {
            gzip.decode(from.filled(), to, limits);
        } else {
            zstd.decode(from.filled(), to, limits);
        }
    }

    private void transcode(Signal signal, Region from, Region to) throws RefusalException {
        to.limit(limits.maxLength() + WireReader.VARINT_LENGTH_MAX); // which room is requested for, however short it is
        boolean whole = transcoder.transcode(signal, from.buffer(), from.offset(), from.length(), to, outcome);
        if (outcome.status() == Status.MALFORMED) {
            throw new RefusalException(Reason.MALFORMED, ExportResponse.shortened(outcome.message()));
        }
        if (to.isBeyondLimit() || to.length() > limits.maxLength()) {
            throw new RefusalException(Reason.TOO_LARGE, "request is too large as protobuf: max=" + limits.maxLength());
        }
        if (!whole) {
            throw new RefusalException(InFlightBudget.NO_ROOM);
        }
    }

    @Override
    public void close() {
        gzip.close();
    }
}
