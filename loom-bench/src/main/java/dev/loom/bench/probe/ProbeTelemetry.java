package dev.loom.bench.probe;

import dev.loom.bench.replay.ReplaySource;

/** Where an application's telemetry goes. */
interface ProbeTelemetry extends AutoCloseable {
    /** A thread's way to tell of one source. For one thread. */
    @FunctionalInterface
    interface Probe {
        /**
         * Records one event; never waits.
         *
         * @param readingNs of {@link System#nanoTime()}, when it began
         */
        void tell(long readingNs, long latencyNs, long operation, long key);
    }

    /** Creates a probe for the thread with this number. */
    Probe probe(ReplaySource source, int thread);

    /** The number of events so far, with those that were dropped; of each probe as of its last batch. */
    long events();

    /** Events that found no room. */
    long dropped();

    /** Sends what is still here, and waits until the sink has it. */
    @Override
    void close();
}
