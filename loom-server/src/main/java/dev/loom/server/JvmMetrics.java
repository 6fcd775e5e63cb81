package dev.loom.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryUsage;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/** The metrics of the JVM and of its process, named as Prometheus' Java client names them, so that its dashboards work. */
final class JvmMetrics {
    /** Exists on Linux only. */
    private static final Path STATUS = Path.of("/proc/self/status");

    private static final long KIB = 1024;

    private JvmMetrics() {}

    static void tell(MetricsText text) {
        process(text);
        text.gauge("jvm_runtime_info", "JVM runtime info")
                .value(
                        1,
                        "version",
                        System.getProperty("java.runtime.version", "unknown"),
                        "vendor",
                        System.getProperty("java.vm.vendor", "unknown"),
                        "runtime",
                        System.getProperty("java.runtime.name", "unknown"));
        memory(text);
        buffers(text);
        collections(text);
        threads(text);
    }

    private static void memory(MetricsText text) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        text.gauge("jvm_memory_objects_pending_finalization", "The number of objects waiting in the finalizer queue.")
                .value(memory.getObjectPendingFinalizationCount());
        Map<String, MemoryUsage> areas = new LinkedHashMap<>();
        areas.put("heap", memory.getHeapMemoryUsage());
        areas.put("nonheap", memory.getNonHeapMemoryUsage());
        usage(text, "jvm_memory_", "of a given JVM memory area.", "area", areas);
        Map<String, MemoryUsage> pools = new LinkedHashMap<>();
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            MemoryUsage usage = pool.getUsage();
            if (usage != null) { // the pool may have become invalid
                pools.put(pool.getName(), usage);
            }
        }
        usage(text, "jvm_memory_pool_", "of a given JVM memory pool.", "pool", pools);
    }

    private static void usage(
            MetricsText text, String prefix, String what, String label, Map<String, MemoryUsage> usages) {
        bytes(text, prefix + "used_bytes", "Used bytes " + what, label, usages, MemoryUsage::getUsed);
        bytes(text, prefix + "committed_bytes", "Committed (bytes) " + what, label, usages, MemoryUsage::getCommitted);
        bytes(text, prefix + "max_bytes", "Max (bytes) " + what, label, usages, MemoryUsage::getMax);
        bytes(text, prefix + "init_bytes", "Initial bytes " + what, label, usages, MemoryUsage::getInit);
    }

    private static void bytes(
            MetricsText text,
            String name,
            String help,
            String label,
            Map<String, MemoryUsage> usages,
            ToLongFunction<MemoryUsage> value) {
        text.gauge(name, help);
        usages.forEach((key, usage) -> text.value(value.applyAsLong(usage), label, key));
    }

    private static void buffers(MetricsText text) {
        List<BufferPoolMXBean> pools = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class);
        text.gauge("jvm_buffer_pool_used_bytes", "Used bytes of a given JVM buffer pool.");
        pools.forEach(pool -> text.value(pool.getMemoryUsed(), "pool", pool.getName()));
        text.gauge("jvm_buffer_pool_capacity_bytes", "Bytes capacity of a given JVM buffer pool.");
        pools.forEach(pool -> text.value(pool.getTotalCapacity(), "pool", pool.getName()));
        text.gauge("jvm_buffer_pool_used_buffers", "Used buffers of a given JVM buffer pool.");
        pools.forEach(pool -> text.value(pool.getCount(), "pool", pool.getName()));
    }

    private static void collections(MetricsText text) {
        text.summary("jvm_gc_collection_seconds", "Time spent in a given JVM garbage collector in seconds.");
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            text.times(
                    collector.getCollectionCount(),
                    TimeUnit.MILLISECONDS.toNanos(collector.getCollectionTime()),
                    "gc",
                    collector.getName());
        }
    }

    private static void threads(MetricsText text) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        text.gauge("jvm_threads_current", "Current thread count of a JVM").value(threads.getThreadCount());
        text.gauge("jvm_threads_daemon", "Daemon thread count of a JVM").value(threads.getDaemonThreadCount());
        text.gauge("jvm_threads_peak", "Peak thread count of a JVM").value(threads.getPeakThreadCount());
        text.counter("jvm_threads_started_total", "Started thread count of a JVM")
                .value(threads.getTotalStartedThreadCount());
        Map<Thread.State, Integer> states = new EnumMap<>(Thread.State.class);
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (thread != null) { // the thread may have ended
                states.merge(thread.getThreadState(), 1, Integer::sum);
            }
        }
        text.gauge("jvm_threads_state", "Current count of threads by state");
        for (Thread.State state : Thread.State.values()) {
            text.value(states.getOrDefault(state, 0), "state", state.name());
        }
    }

    /** Named as Prometheus' own clients name them. */
    private static void process(MetricsText text) {
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
        processMemory(text);
    }

    private static void processMemory(MetricsText text) {
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
