package dev.loom.otlp.server;

import dev.loom.otlp.Signal;
import dev.loom.otlp.server.Refusal.Reason;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a receiver accepted and refused since it was started. Thread-safe; each value only grows, and values read one
 * after the other may be from different moments.
 */
public final class OtlpCounters {
    private static final class Cell {
        private final LongAdder requests = new LongAdder();
        private final LongAdder acceptedRecords = new LongAdder();
        private final LongAdder rejectedRecords = new LongAdder();
        private final LongAdder bytes = new LongAdder();
        private final Map<Reason, LongAdder> refused = each(Reason.class, LongAdder::new);
    }

    private final Map<Signal, Map<Transport, Cell>> cells = each(Signal.class, () -> each(Transport.class, Cell::new));
    private final Map<Signal, LatencyHistogram> times = each(Signal.class, LatencyHistogram::new);
    private final Map<Transport, Map<Reason, LongAdder>> refusedUnread =
            each(Transport.class, () -> each(Reason.class, LongAdder::new));

    OtlpCounters() {}

    /** Requests accepted, even if with rejected records. */
    public long requests(Signal signal, Transport transport) {
        return cell(signal, transport).requests.sum();
    }

    /** Log records, spans or data points stored. */
    public long acceptedRecords(Signal signal, Transport transport) {
        return cell(signal, transport).acceptedRecords.sum();
    }

    /** Log records, spans or data points of accepted requests that could not be stored. */
    public long rejectedRecords(Signal signal, Transport transport) {
        return cell(signal, transport).rejectedRecords.sum();
    }

    /** Bytes of accepted requests as uncompressed protobuf. */
    public long bytes(Signal signal, Transport transport) {
        return cell(signal, transport).bytes.sum();
    }

    /** A signal's requests refused for a reason. */
    public long refused(Signal signal, Transport transport, Reason reason) {
        return present(cell(signal, transport).refused.get(reason)).sum();
    }

    /** Requests refused before their signal was known: by path, method, content type or encoding. */
    public long refusedUnread(Transport transport, Reason reason) {
        return present(present(refusedUnread.get(transport)).get(reason)).sum();
    }

    /** The time from a complete request, through its wait for a worker, to its answer or refusal. */
    public LatencyHistogram times(Signal signal) {
        return present(times.get(signal));
    }

    void accepted(Signal signal, Transport transport, long accepted, long rejected, long length) {
        Cell cell = cell(signal, transport);
        cell.requests.increment();
        cell.acceptedRecords.add(accepted);
        cell.rejectedRecords.add(rejected);
        cell.bytes.add(length);
    }

    void refuse(Signal signal, Transport transport, Reason reason) {
        present(cell(signal, transport).refused.get(reason)).increment();
    }

    void refuseUnread(Transport transport, Reason reason) {
        present(present(refusedUnread.get(transport)).get(reason)).increment();
    }

    private Cell cell(Signal signal, Transport transport) {
        return present(present(cells.get(signal)).get(transport));
    }

    /** A map with a value for each constant of an enum. */
    private static <K extends Enum<K>, V> Map<K, V> each(Class<K> keys, Supplier<V> values) {
        return Arrays.stream(keys.getEnumConstants())
                .collect(Collectors.toMap(
                        key -> key, key -> values.get(), (one, other) -> one, () -> new EnumMap<>(keys)));
    }

    /** The value; the maps hold all keys from the start. */
    private static <T> T present(@Nullable T value) {
        return Objects.requireNonNull(value);
    }
}
