package dev.loom.bench.query;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.StoreInfo;
import dev.loom.bench.scan.PageCache;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** A closed store of a simulated capture, with an index over its system calls' latency. For one thread. */
public final class TelemetryStore implements AutoCloseable {
    /** The source of system calls. */
    public static final String CALLS = "syscalls";

    private static final String REQUESTS = "requests";
    private static final String LATENCY = "latency_ns";

    private final Path path;
    private LoomReader reader;
    private Snapshot snapshot;

    /** As {@link #TelemetryStore(Path, Path, SimulatedCapture, Bins, boolean)}, with log-linear bins. */
    public TelemetryStore(Path directory, Path staging, SimulatedCapture telemetry) {
        this(directory, staging, telemetry, Bins.logLinear(), false);
    }

    /**
     * Writes the store below {@code directory} and attaches to it.
     *
     * @param bins of the indexes
     * @param keyed whether there also is an index by threads, with its values
     */
    public TelemetryStore(Path directory, Path staging, SimulatedCapture telemetry, Bins bins, boolean keyed) {
        this.path = directory.resolve("store");
        write(path, staging, telemetry, bins, keyed);
        reader = LoomReader.attach(path);
        snapshot = reader.snapshot();
    }

    private static void write(Path path, Path staging, SimulatedCapture telemetry, Bins bins, boolean keyed) {
        final long[] nowNs = {telemetry.timeNs(0)};
        final PayloadFormat format = Formats.parse(SimulatedCapture.FORMAT);
        try (Loom loom = Loom.open(LoomConfig.at(path)
                .stagingDirectory(staging)
                .clock(() -> nowNs[0])
                .build())) {
            final int calls = loom.defineSource(CALLS, format);
            final int requests = loom.defineSource(REQUESTS, format);
            for (final int source : new int[] {calls, requests}) {
                loom.defineIndex(source, LATENCY, IndexFunction.field(format, LATENCY), bins);
            }
            if (keyed) {
                loom.defineIndex(
                        calls,
                        LATENCY + ":thread",
                        IndexFunction.field(format, LATENCY),
                        Bins.logLinear().withValues(),
                        List.of("thread"));
            }
            final UnsafeBuffer payload = new UnsafeBuffer(new byte[SimulatedCapture.PAYLOAD_LENGTH]);
            for (long number = 0; number < telemetry.records(); number++) {
                nowNs[0] = telemetry.timeNs(number);
                for (int column = 0; column < SimulatedCapture.COLUMNS; column++) {
                    payload.putLong(column * Long.BYTES, telemetry.value(number, column), ByteOrder.LITTLE_ENDIAN);
                }
                final int source = telemetry.isRequest(number) ? requests : calls;
                final long address = loom.push(source, payload, 0, payload.capacity());
                if (address < 0) {
                    throw new IllegalStateException("push was refused: status=" + address);
                }
            }
            loom.force();
            if (!loom.finishRollups(() -> false)) {
                throw new IllegalStateException("runs of chunks were not summed up");
            }
        }
    }

    /** A snapshot of the whole store. {@link #chill()} replaces it. */
    public Snapshot snapshot() {
        return snapshot;
    }

    public Source calls() {
        return snapshot.source(CALLS).orElseThrow();
    }

    /** The index over the latency of system calls. */
    public Index latency() {
        return snapshot.index(calls().id(), LATENCY).orElseThrow();
    }

    /** Drops all files from the page cache, and attaches again. */
    public void chill() {
        detach();
        PageCache.drop(path);
        reader = LoomReader.attach(path);
        snapshot = reader.snapshot();
    }

    /** The store's info, which includes the ends of its logs. */
    public StoreInfo info() {
        return reader.info();
    }

    private void detach() {
        snapshot.close();
        reader.close();
    }

    @Override
    public void close() {
        detach();
    }
}
