package dev.loom.bench.push;

/**
 * One timed run of a target, after the first lap of its ring.
 *
 * @param target the target's name
 * @param records records pushed in the timed part
 * @param elapsedNs wall time
 * @param cpuNs CPU time of this process, all threads
 * @param writerCpuNs CPU time of the pushing thread only, which a busy machine disturbs least
 * @param othersCpuNs CPU time of the rest of the machine: other processes, and kernel threads that write files back
 * @param allocatedBytes bytes that the pushing thread allocated on the heap
 */
public record PushRun(
        String target,
        long records,
        long elapsedNs,
        long cpuNs,
        long writerCpuNs,
        long othersCpuNs,
        long allocatedBytes) {
    /** Records per call of {@link PushTarget#push}. */
    public static final int BATCH = 256 * PayloadPool.COUNT;

    /** Runs a new target: one lap, then at least {@code records} timed, then a check of all that it has stored. */
    public static PushRun of(PushKind kind, PushSettings settings, PayloadPool pool, long records) {
        return of(kind.text(), kind.open(settings, pool), settings, records, () -> {});
    }

    /**
     * Runs a target like {@link #of(PushKind, PushSettings, PayloadPool, long)}, and closes it.
     *
     * @param atTheEnd called after the check, before the target is closed
     */
    public static PushRun of(String name, PushTarget opened, PushSettings settings, long records, Runnable atTheEnd) {
        try (PushTarget target = opened) {
            pushLap(target, settings);
            final PushRun run = timed(name, target, records);
            target.finish();
            target.verify();
            atTheEnd.run();
            return run;
        }
    }

    /** Pushes until the ring has wrapped once, so that every page of it has been in use. */
    public static void pushLap(PushTarget target, PushSettings settings) {
        final long lap = target.pushed() + settings.ringBytes() / settings.recordLength();
        while (target.pushed() <= lap) {
            target.push(BATCH);
        }
    }

    public double recordsPerSecond() {
        return records * 1e9 / elapsedNs;
    }

    public double cpuNsPerRecord() {
        return (double) cpuNs / records;
    }

    public double writerCpuNsPerRecord() {
        return (double) writerCpuNs / records;
    }

    /** Cores that others kept busy during the run. */
    public double othersCores() {
        return (double) othersCpuNs / elapsedNs;
    }

    private static PushRun timed(String name, PushTarget target, long records) {
        final long before = target.pushed();
        final long machineNs = CpuTime.machineNs();
        final long cpuNs = CpuTime.processNs();
        final long writerCpuNs = CpuTime.threadNs();
        final long allocated = CpuTime.threadAllocatedBytes();
        final long startNs = System.nanoTime();
        while (target.pushed() - before < records) {
            target.push(BATCH);
        }
        final long elapsedNs = System.nanoTime() - startNs;
        final long allocatedBytes = CpuTime.threadAllocatedBytes() - allocated;
        final long writerCpuUsedNs = CpuTime.threadNs() - writerCpuNs;
        final long cpuUsedNs = CpuTime.processNs() - cpuNs;
        final long machineUsedNs = CpuTime.machineNs() - machineNs;
        return new PushRun(
                name,
                target.pushed() - before,
                elapsedNs,
                cpuUsedNs,
                writerCpuUsedNs,
                Math.max(0, machineUsedNs - cpuUsedNs),
                allocatedBytes);
    }
}
