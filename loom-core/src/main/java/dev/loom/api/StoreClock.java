package dev.loom.api;

/** Where arrival times come from. Called by the writer's thread alone. */
@FunctionalInterface
public interface StoreClock {
    /** Epoch nanoseconds. The store raises a value lower than the last one to the last one. */
    long epochNs();
}
