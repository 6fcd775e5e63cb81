package dev.loom.otlp.server;

import dev.loom.otlp.ExportHandler;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.ExportOutcome.Status;
import dev.loom.otlp.JsonTranscoder;
import dev.loom.otlp.Signal;
import dev.loom.otlp.server.Refusal.Reason;
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

    private final DecodeLimits limits;
    private final ExportHandler handler;
    private final JsonTranscoder transcoder;
    private final GzipDecoder gzip = new GzipDecoder();
    private final ZstdDecoder zstd = new ZstdDecoder();
    private final ExportOutcome outcome = new ExportOutcome();
    private int exportedLength;

    ExportWorker(DecodeLimits limits, ExportHandler handler, JsonTranscoder transcoder) {
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
        try {
            if (encoding != ContentEncoding.IDENTITY) {
                decompress(encoding, body);
            }
            outcome.reset();
            if (json) {
                transcode(signal, body);
            }
            exportedLength = body == null ? 0 : body.length();
            if (body == null) {
                handler.export(signal, NOTHING, 0, 0, outcome);
            } else {
                handler.export(signal, body.buffer(), body.offset(), body.length(), outcome);
            }
        } finally {
            if (body != null) {
                body.close();
            }
        }
        if (outcome.status() == Status.MALFORMED) {
            throw new RefusalException(Reason.MALFORMED, ExportResponse.shortened(outcome.message()));
        }
        if (outcome.status() == Status.UNAVAILABLE) {
            throw new RefusalException(new Refusal(
                    Reason.UNAVAILABLE, ExportResponse.shortened(outcome.message()), outcome.retryDelayMs()));
        }
        return outcome;
    }

    private void decompress(ContentEncoding encoding, @Nullable Region body) throws RefusalException {
        if (body == null) {
            throw new RefusalException(Reason.MALFORMED, "request can't be decompressed: it is empty");
        }
        body.expect(DecodeLimits.roomFor(limits.allowed(body.length())));
        body.turn();
        if (encoding == ContentEncoding.GZIP) {
            gzip.decode(body, limits);
        } else {
            zstd.decode(body, limits);
        }
        body.trim();
    }

    private void transcode(Signal signal, @Nullable Region body) throws RefusalException {
        if (body == null) {
            throw new RefusalException(Reason.MALFORMED, "request is not JSON: it is empty");
        }
        body.expect(limits.maxLength());
        body.turn();
        boolean whole = transcoder.transcode(signal, body, outcome);
        if (outcome.status() == Status.MALFORMED) {
            throw new RefusalException(Reason.MALFORMED, ExportResponse.shortened(outcome.message()));
        }
        if (body.length() > limits.maxLength()) {
            throw new RefusalException(Reason.TOO_LARGE, "request is too large as protobuf: max=" + limits.maxLength());
        }
        if (!whole) {
            throw body.noRoom();
        }
        body.trim();
    }

    @Override
    public void close() {
        gzip.close();
    }
}
