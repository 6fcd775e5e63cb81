package dev.loom.bench.scaling;

/**
 * What one run measured.
 *
 * @param records pushed while measured
 * @param elapsedNs while they were pushed
 * @param settledNs from the first push until everything was on the disk
 * @param cpuNs of the process, until everything was on the disk
 */
public record ScalingRun(long records, long elapsedNs, long settledNs, long cpuNs) {
    /** Millions of records a second while they were pushed. */
    public double millionPerSecond() {
        return records * 1e3 / elapsedNs;
    }

    /** Millions of records a second until they were on the disk. */
    public double millionSettledPerSecond() {
        return records * 1e3 / settledNs;
    }

    public double cpuNsPerRecord() {
        return (double) cpuNs / records;
    }
}
