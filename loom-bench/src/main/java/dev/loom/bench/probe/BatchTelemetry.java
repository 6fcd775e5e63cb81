package dev.loom.bench.probe;

import dev.loom.bench.replay.ReplaySource;
import dev.loom.bench.replay.TelemetryBatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Gathers events in batches; what becomes of a full one is the subclass's. */
abstract class BatchTelemetry implements ProbeTelemetry {
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();

    @Override
    public final Probe probe(ReplaySource source, int thread) {
        return new BatchProbe(source, thread);
    }

    @Override
    public final long events() {
        return events.get();
    }

    @Override
    public final long dropped() {
        return dropped.get();
    }

    /**
     * Takes a full batch. Any thread.
     *
     * @return another one, or the same one again; null if there is no room for the full one
     */
    abstract @Nullable TelemetryBatch exchange(TelemetryBatch full);

    /** Fills batches. */
    private final class BatchProbe implements Probe {
        private final ReplaySource source;
        private final int thread;
        private TelemetryBatch batch = new TelemetryBatch();
        private long number;

        private BatchProbe(ReplaySource source, int thread) {
            this.source = source;
            this.thread = thread;
            batch.begin(source);
        }

        @Override
        public void tell(long readingNs, long latencyNs, long operation, long key) {
            if (batch.add(Epoch.timeNs(readingNs), number++, latencyNs, operation, key, thread)) {
                events.addAndGet(TelemetryBatch.RECORDS);
                final TelemetryBatch next = exchange(batch);
                if (next == null) {
                    dropped.addAndGet(TelemetryBatch.RECORDS);
                } else {
                    batch = next;
                }
                batch.begin(source);
            }
        }
    }
}
