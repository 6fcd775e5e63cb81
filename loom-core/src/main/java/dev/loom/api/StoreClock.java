package dev.loom.api;

/**
 * The clock that gives arrival times. The writer's thread calls it; under a {@link dev.loom.Recorder}, many threads do.
 */
@FunctionalInterface
public interface StoreClock {
    /** Epoch nanoseconds. If the clock goes back, the store uses the last value again. */
    long epochNs();
}
