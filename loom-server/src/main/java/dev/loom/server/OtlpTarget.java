package dev.loom.server;

import dev.loom.otlp.ExportHandler;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.ingest.OtlpIngester;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Stores OTLP requests once the store can be written; until then clients are asked to retry. Usable from any thread. */
final class OtlpTarget implements ExportHandler {
    private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

    private final Supplier<String> reason;
    private volatile @Nullable OtlpIngester ingester;

    /** @param reason why there is no ingester */
    OtlpTarget(Supplier<String> reason) {
        this.reason = reason;
    }

    void ingester(OtlpIngester writing) {
        ingester = writing;
    }

    @Override
    public void export(Signal signal, DirectBuffer message, int offset, int length, ExportOutcome outcome) {
        OtlpIngester writing = ingester;
        if (writing == null) {
            outcome.unavailable(RETRY_DELAY, "store is not writable: " + reason.get());
        } else {
            writing.export(signal, message, offset, length, outcome);
        }
    }

    /** Lets requests wait for no longer than this from now on. */
    void endWaits(Duration after) {
        OtlpIngester writing = ingester;
        if (writing != null) {
            writing.endWaits(after);
        }
    }

    /** Whether OTLP requests go to this source. */
    boolean feeds(int sourceId) {
        OtlpIngester writing = ingester;
        return writing != null && writing.feeds(sourceId);
    }

    /** Why no request can be stored although the store can be written. */
    Optional<String> problem() {
        OtlpIngester writing = ingester;
        return writing == null ? Optional.empty() : writing.problem();
    }

    /** Records stored in the signal's own source because the limit on sources was reached. */
    long overflowed(Signal signal) {
        OtlpIngester writing = ingester;
        return writing == null ? 0 : writing.counters(signal).overflowed();
    }
}
