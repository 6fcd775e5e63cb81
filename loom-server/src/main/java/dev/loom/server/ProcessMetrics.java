package dev.loom.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The process's metrics, named as Prometheus' own clients name them. */
final class ProcessMetrics {
    /** Exists on Linux only. */
    private static final Path STATUS = Path.of("/proc/self/status");

    private static final long KIB = 1024;

    private ProcessMetrics() {}

    static void tell(MetricsText text) {
        text.gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.")
                .seconds(TimeUnit.MILLISECONDS.toNanos(
                        ManagementFactory.getRuntimeMXBean().getStartTime()));
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            text.counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.")
                    .seconds(system.getProcessCpuTime());
            text.gauge("process_open_fds", "Number of open file descriptors.")
                    .value(system.getOpenFileDescriptorCount());
            text.gauge("process_max_fds", "Maximum number of open file descriptors.")
                    .value(system.getMaxFileDescriptorCount());
        }
        memory(text);
    }

    private static void memory(MetricsText text) {
        List<String> lines;
        try {
            lines = Files.readAllLines(STATUS);
        } catch (IOException e) {
            return;
        }
        for (String line : lines) {
            if (line.startsWith("VmSize:")) {
                text.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.")
                        .value(bytes(line));
            } else if (line.startsWith("VmRSS:")) {
                text.gauge("process_resident_memory_bytes", "Resident memory size in bytes.")
                        .value(bytes(line));
            }
        }
    }

    /** The size in a line such as {@code VmRSS:  1234 kB}. */
    private static long bytes(String line) {
        return KIB * Long.parseLong(line.replaceAll("\\D", ""));
    }
}
