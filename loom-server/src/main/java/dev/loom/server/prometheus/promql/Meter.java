package dev.loom.server.prometheus.promql;

/** What an evaluation may take. */
public interface Meter {
    /** Reserves memory, or throws. */
    void reserve(long bytes);

    /** Throws if the evaluation is to end. Called about once a step. */
    void check();
}
