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
 * Turns the bytes of whole requests into what the {@link ExportHandler} takes, and hands them over. There are few of these, so
 * what decompressing needs does not depend on how many clients there are.
 *
 * <p>Not safe for use by several threads at once.
 */
final class ExportWorker implements AutoCloseable {
    private static final UnsafeBuffer NOTHING = new UnsafeBuffer(new byte[0]);
    private static final int JSON_SLACK = 64;

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

    /** Length of the last request, decompressed, as protobuf: bytes. */
    int exportedLength() {
        return exportedLength;
    }

    /**
     * Has a request stored.
     *
     * @param body as received, null when it has no bytes; given back here, as early as possible
     * @return what became of it, valid until the next call: accepted
     * @throws RefusalException when it is refused
     */
    ExportOutcome export(Signal signal, ContentEncoding encoding, boolean json, @Nullable Region body)
            throws RefusalException {
        Region message = body;
        try {
            if (encoding != ContentEncoding.IDENTITY) {
                message = decompress(encoding, body);
            }
            outcome.reset();
            if (json) {
                message = transcode(signal, message);
            }
            exportedLength = message == null ? 0 : message.length();
            if (message == null) {
                handler.export(signal, NOTHING, 0, 0, outcome);
            } else {
                handler.export(signal, message.buffer(), message.offset(), message.length(), outcome);
            }
        } finally {
            if (message != null) {
                message.close();
            }
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

    private Region decompress(ContentEncoding encoding, @Nullable Region body) throws RefusalException {
        if (body == null) {
            throw new RefusalException(Reason.MALFORMED, "request can't be decompressed: it is empty");
        }
        // Most telemetry becomes some four times as long; a wrong guess costs a move at most.
        Region decoded = reserve(Math.min(limits.allowed(body.length()), 4 * (long) body.length()), body);
        try {
            if (encoding == ContentEncoding.GZIP) {
                gzip.decode(body.filled(), decoded, limits);
            } else {
                zstd.decode(body.filled(), decoded, limits);
            }
        } catch (RefusalException e) {
            boolean alone = budget.used() <= decoded.capacity() + body.capacity();
            decoded.close();
            if (e.refusal().equals(InFlightBudget.NO_ROOM) && alone) {
                throw tooLargeForBudget(body);
            }
            throw e;
        }
        body.close();
        return decoded;
    }

    private Region transcode(Signal signal, @Nullable Region json) throws RefusalException {
        if (json == null) {
            throw new RefusalException(Reason.MALFORMED, "request is not JSON: it is empty");
        }
        Region protobuf = reserve((long) json.length() + JSON_SLACK, json);
        try {
            while (true) {
                int length = transcoder.transcode(
                        signal,
                        json.buffer(),
                        json.offset(),
                        json.length(),
                        budget.buffer(),
                        protobuf.offset(),
                        Math.min(protobuf.capacity(), limits.maxLength()),
                        outcome);
                if (outcome.status() == Status.MALFORMED) {
                    throw new RefusalException(Reason.MALFORMED, ExportResponse.shortened(outcome.message()));
                }
                if (length != JsonTranscoder.NO_ROOM) {
                    protobuf.fill(length);
                    json.close();
                    return protobuf;
                }
                if (protobuf.capacity() >= limits.maxLength()) {
                    throw new RefusalException(Reason.TOO_LARGE, "request is too large: max=" + limits.maxLength());
                }
                if (!protobuf.ensure(protobuf.capacity() + 1, limits.maxLength())) {
                    boolean alone = budget.used() <= protobuf.capacity() + json.capacity();
                    throw alone ? tooLargeForBudget(json) : new RefusalException(InFlightBudget.NO_ROOM);
                }
            }
        } catch (RefusalException e) {
            protobuf.close();
            throw e;
        }
    }

    private Region reserve(long length, Region beside) throws RefusalException {
        Region region = budget.reserve((int) Math.min(length, limits.maxLength()));
        if (region == null) {
            throw budget.used() <= beside.capacity()
                    ? tooLargeForBudget(beside)
                    : new RefusalException(InFlightBudget.NO_ROOM);
        }
        return region;
    }

    private RefusalException tooLargeForBudget(Region encoded) {
        return new RefusalException(
                Reason.TOO_LARGE,
                "request, as sent and decoded, is larger than the memory for requests: sent=" + encoded.length()
                        + ", budget=" + budget.capacity());
    }

    @Override
    public void close() {
        gzip.close();
    }
}
