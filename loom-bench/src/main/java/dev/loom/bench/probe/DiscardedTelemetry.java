package dev.loom.bench.probe;

/** Telemetry that is collected and goes nowhere: what all others are compared with. */
final class DiscardedTelemetry extends FrameTelemetry {
    @Override
    Frame exchange(Frame full) {
        return full;
    }

    @Override
    public void close() {}
}
