package dev.loom.bench.query;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** A closed store of a simulated capture, with an index over its system calls' latency. For one thread. */
public final class TelemetryStore extends ClosedStore {
    /** The source of system calls. */
    public static final String CALLS = "syscalls";

    private static final String REQUESTS = "requests";
    private static final String LATENCY = "latency_ns";
    private static final String EXACT = "exact";
    private static final long HOLLOW_EVERY = 1 << 22;

    private final long pushNs;

    /** As {@link #TelemetryStore(Path, Path, SimulatedCapture, Bins, boolean, boolean)}, with log-linear bins. */
    public TelemetryStore(Path directory, Path staging, SimulatedCapture telemetry) {
        this(directory, staging, telemetry, Bins.logLinear(), false, false);
    }

    /**
     * Writes the store below {@code directory} and attaches to it.
     *
     * @param bins of the indexes
     * @param keyed whether there also is an index by threads, with its values
     * @param hollow whether only the newest records stay on the disk
     */
    public TelemetryStore(
            Path directory, Path staging, SimulatedCapture telemetry, Bins bins, boolean keyed, boolean hollow) {
        this(written(directory.resolve("store"), staging, telemetry, bins, null, keyed, hollow));
    }

    /**
     * Writes a store that also has an index whose one bin is the answer to a question.
     *
     * @param exact the bins of that index over the latency of system calls
     */
    public TelemetryStore(Path directory, Path staging, SimulatedCapture telemetry, Bins bins, Bins exact) {
        this(written(directory.resolve("store"), staging, telemetry, bins, exact, false, false));
    }

    private TelemetryStore(Written written) {
        super(written.path());
        pushNs = written.pushNs();
    }

    /** A closed store, and how long its records took to generate and push, until they were on the disk and summed up. */
    private record Written(Path path, long pushNs) {}

    private static Written written(
            Path path,
            Path staging,
            SimulatedCapture telemetry,
            Bins bins,
            @Nullable Bins exact,
            boolean keyed,
            boolean hollow) {
        final long[] nowNs = {telemetry.timeNs(0)};
        final PayloadFormat format = Formats.parse(SimulatedCapture.FORMAT);
        try (Loom loom = Loom.open(LoomConfig.at(path)
                .stagingDirectory(staging)
                .clock(() -> nowNs[0])
                .maxBytes(LoomConfig.UNLIMITED)
                .build())) {
            final int calls = loom.defineSource(CALLS, format);
            final int requests = loom.defineSource(REQUESTS, format);
            for (final int source : new int[] {calls, requests}) {
                loom.defineIndex(source, LATENCY, IndexFunction.field(format, LATENCY), bins);
            }
            if (exact != null) {
                loom.defineIndex(calls, EXACT, IndexFunction.field(format, LATENCY), exact);
            }
            if (keyed) {
                loom.defineIndex(
                        calls,
                        LATENCY + ":thread",
                        IndexFunction.field(format, LATENCY),
                        Bins.logLinear().withValues(),
                        List.of("thread"));
            }
            final long beganNs = System.nanoTime();
            final SegmentHoles holes = new SegmentHoles(path);
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
                if (hollow && number % HOLLOW_EVERY == 0) {
                    holes.punch();
                }
            }
            finish(loom);
            return new Written(path, System.nanoTime() - beganNs);
        }
    }

    /** How long all records took to generate and push, until they were on the disk and summed up, ns. */
    public long pushNs() {
        return pushNs;
    }

    public Source calls() {
        return snapshot().source(CALLS).orElseThrow();
    }

    /** The index over the latency of system calls with bins of the question's own. */
    public Index exact() {
        return snapshot().index(calls().id(), EXACT).orElseThrow();
    }

    /** The index over the latency of system calls. */
    public Index latency() {
        return snapshot().index(calls().id(), LATENCY).orElseThrow();
    }
}
