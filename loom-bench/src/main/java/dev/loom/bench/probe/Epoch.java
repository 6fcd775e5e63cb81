package dev.loom.bench.probe;

/** Puts readings of {@link System#nanoTime()}, which on Linux is the kernel's monotonic clock, on the time line of all telemetry. */
final class Epoch {
    private static final long OFFSET_NS = System.currentTimeMillis() * 1_000_000 - System.nanoTime();

    private Epoch() {}

    /** Epoch nanoseconds of a reading. */
    static long timeNs(long readingNs) {
        return OFFSET_NS + readingNs;
    }
}
