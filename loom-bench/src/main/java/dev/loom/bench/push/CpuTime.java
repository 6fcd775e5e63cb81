package dev.loom.bench.push;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU time of this process, user and system, all threads; and of the whole machine, which includes kernel threads and other
 * processes. Both advance in steps of 10 ms.
 */
public final class CpuTime {
    private static final Path MACHINE = Path.of("/proc/stat");
    private static final long TICK_NS = 10_000_000;
    private static final int IDLE_FIELD = 4;
    private static final int IO_WAIT_FIELD = 5;
    private static final int STEAL_FIELD = 8;
    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    private CpuTime() {}

    /** Nanoseconds used by this process. */
    public static long processNs() {
        return PROCESS.getProcessCpuTime();
    }

    /** Nanoseconds used by the calling thread, to the nanosecond. */
    public static long threadNs() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Nanoseconds used by the threads of this process that have a name, as far as they live. */
    public static long threadNs(String name) {
        long sum = 0;
        for (final ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().equals(name)) {
                sum += Math.max(0, THREADS.getThreadCpuTime(thread.getThreadId()));
            }
        }
        return sum;
    }

    /** Bytes that the calling thread has allocated on the heap; the call allocates none. */
    public static long threadAllocatedBytes() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /** Nanoseconds used by all processes and the kernel, or 0 if the system does not report them. */
    public static long machineNs() {
        if (!Files.isReadable(MACHINE)) {
            return 0;
        }
        try (var lines = Files.lines(MACHINE)) {
            final String[] fields = lines.findFirst().orElse("cpu").trim().split("\\s+", -1);
            long ticks = 0;
            for (int i = 1; i < fields.length && i <= STEAL_FIELD; i++) {
                if (i != IDLE_FIELD && i != IO_WAIT_FIELD) {
                    ticks += Long.parseLong(fields[i]);
                }
            }
            return ticks * TICK_NS;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
