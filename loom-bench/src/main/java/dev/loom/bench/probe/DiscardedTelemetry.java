package dev.loom.bench.probe;

import dev.loom.bench.replay.TelemetryBatch;

/** Telemetry that is collected and goes nowhere: what all others are compared with. */
final class DiscardedTelemetry extends BatchTelemetry {
    @Override
    TelemetryBatch exchange(TelemetryBatch full) {
        return full;
    }

    @Override
    public void close() {}
}
