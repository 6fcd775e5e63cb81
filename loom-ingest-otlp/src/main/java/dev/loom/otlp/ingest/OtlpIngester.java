package dev.loom.otlp.ingest;

import dev.loom.Loom;
import dev.loom.SharedWriter;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.otlp.ExportHandler;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Stores OTLP requests: each log record, span or data point as one record, which starts with the address of the context that
 * it shares with others (docs/format-payloads.md).
 *
 * <p>A request is taken exactly if the official generated classes would parse it, were all its text UTF-8; then each of its
 * records is stored or rejected on its own. Accepted means that every record not rejected is published: visible to queries,
 * and safe if the process is killed. Part of an {@linkplain ExportOutcome#unavailable unavailable} request may be stored;
 * sending it again stores that part twice, which OTLP allows.
 *
 * <p>If a source was closed, the next request for it defines it again. If the store refuses that, requests are unavailable,
 * and {@link #problem} says why.
 *
 * <p>Thread-safe. Memory: four times the longest context per request processed at once, and for contexts what the settings
 * say. Records take no memory, and once warm nothing is allocated except for messages to clients.
 */
public final class OtlpIngester implements ExportHandler {
    private static final String PROFILES_WARNING =
            "key_strindex and string_value_strindex are ignored outside profiles";

    private final IngestSettings settings;
    private final LongSupplier nanoTime;
    private final SourceDefinitions definitions;
    private final ArrayBlockingQueue<RequestWriter> idle;
    private final Map<Signal, SignalCounters> counters = new EnumMap<>(Signal.class);
    /** When requests may wait no longer; null while nothing closes. */
    private volatile @Nullable Long closeNs;

    /** Why a signal's requests can't be stored until somebody acts. */
    private final Map<Signal, String> noSource = new ConcurrentHashMap<>();

    /**
     * Defines the sources that the store lacks.
     *
     * @throws IllegalArgumentException if the store uses their names for something else
     */
    public OtlpIngester(SharedWriter writer, IngestSettings settings) {
        this(writer, settings, System::nanoTime);
    }

    /** With a clock of the caller's. */
    OtlpIngester(SharedWriter writer, IngestSettings settings, LongSupplier nanoTime) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        Loom loom = writer.loom();
        definitions = new SourceDefinitions(loom);
        ContextLog contexts = new ContextLog(loom, definitions, loom.info().segmentBytes(), settings.contextsMax());
        Map<Signal, SourceRoutes> routes = new EnumMap<>(Signal.class);
        for (Signal signal : Signal.values()) {
            routes.put(
                    signal, new SourceRoutes(definitions, signal, settings.sourceAttribute(), settings.sourcesMax()));
            counters.put(signal, new SignalCounters());
        }
        TurnState turn = new TurnState(new RecordAppender(loom, contexts), contexts, routes);
        int contextLengthMax = Math.min(settings.contextLengthMax(), loom.payloadLengthMax());
        idle = new ArrayBlockingQueue<>(settings.concurrency());
        for (int i = 0; i < settings.concurrency(); i++) {
            idle.add(new RequestWriter(
                    writer, turn, contextLengthMax, settings.contextBytesMax(), nanoTime, this::isClosing));
        }
    }

    @Override
    public void export(Signal signal, DirectBuffer message, int offset, int length, ExportOutcome outcome) {
        SignalCounters counter = counters(signal);
        counter.addRequest();
        long deadlineNs = nanoTime.getAsLong() + settings.timeout().toNanos();
        RequestWriter request = takeWriter();
        if (request == null) {
            unavailable(counter, outcome, "too many requests at once");
            return;
        }
        try {
            if (request.check(signal, message, offset, length)) {
                write(request, signal, deadlineNs, outcome);
            } else {
                counter.addMalformed();
                outcome.malformed(request.complaint());
            }
        } finally {
            idle.add(request);
        }
    }

    private void write(RequestWriter request, Signal signal, long deadlineNs, ExportOutcome outcome) {
        SignalCounters counter = counters(signal);
        boolean written;
        String reason = "the store is busy";
        try {
            written = request.write(deadlineNs);
            if (written && request.accepted() > 0 && !noSource.isEmpty()) {
                noSource.remove(signal);
            }
        } catch (IllegalArgumentException e) {
            written = false;
            reason = "a source was closed and can't be defined again: " + e.getMessage();
            noSource.put(signal, reason);
        } catch (StoreIoException | StoreReopenedException e) {
            written = false;
            reason = "the store is not writable: " + e.getMessage();
        } finally {
            counter.addRecords(request.accepted(), request.rejections().total(), request.overflowed());
        }
        if (!written) {
            unavailable(counter, outcome, reason);
        } else if (request.rejections().total() > 0) {
            outcome.accepted(
                    request.accepted(),
                    request.rejections().total(),
                    request.rejections().text(signal));
        } else if (request.profilesFields()) {
            outcome.accepted(request.accepted(), 0, PROFILES_WARNING);
        } else {
            outcome.accepted(request.accepted());
        }
    }

    private void unavailable(SignalCounters counter, ExportOutcome outcome, String reason) {
        counter.addUnavailable();
        outcome.unavailable(settings.retryDelay(), reason);
    }

    /**
     * Lets requests wait for no longer than this from now on; what is not written by then is unavailable. For a server that closes, which
     * can then answer them.
     */
    public void endWaits(Duration after) {
        closeNs = nanoTime.getAsLong() + after.toNanos();
    }

    private boolean isClosing() {
        Long endNs = closeNs;
        return endNs != null && nanoTime.getAsLong() - endNs >= 0;
    }

    private @Nullable RequestWriter takeWriter() {
        RequestWriter request = idle.poll();
        if (request != null) {
            return request;
        }
        try {
            return idle.poll(settings.timeout().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Whether requests go to this source; if it is closed, the next request for it defines it again. */
    public boolean feeds(int sourceId) {
        return definitions.has(sourceId);
    }

    /** Why no request can be stored until somebody acts; empty if there is no known problem. */
    public Optional<String> problem() {
        return noSource.values().stream().findFirst();
    }

    /** The counters of a signal's requests and records. */
    public SignalCounters counters(Signal signal) {
        return Objects.requireNonNull(counters.get(signal));
    }
}
