package dev.loom.bench.replay;

import java.util.List;
import java.util.Locale;

/** A workload of the paper's Figure 10. Each phase adds a source. */
public enum ReplayWorkload {
    /** An application's slow requests, traced back to system calls, and to packets. */
    REDIS,
    /** Aggregates over ever smaller parts of what arrives. */
    ROCKSDB;

    /** The number of the last phase; the first is 1. */
    public static final int PHASES = 3;

    private List<ReplaySource> sources() {
        return switch (this) {
            case REDIS -> List.of(ReplaySource.REDIS_REQUESTS, ReplaySource.REDIS_CALLS, ReplaySource.REDIS_PACKETS);
            case ROCKSDB ->
                List.of(ReplaySource.ROCKSDB_REQUESTS, ReplaySource.ROCKSDB_CALLS, ReplaySource.ROCKSDB_PAGES);
        };
    }

    /** The sources of a phase. */
    public List<ReplaySource> sources(int phase) {
        return sources().subList(0, phase);
    }

    /** The source that a phase adds. */
    public ReplaySource source(int phase) {
        return sources().get(phase - 1);
    }

    /** Its name in reports. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
