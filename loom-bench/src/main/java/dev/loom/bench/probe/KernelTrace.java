package dev.loom.bench.probe;

import dev.loom.bench.replay.ReplaySource;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * System calls and page-cache events of a process, by {@code bpftrace}, which needs root. Its lines become records as they come; what
 * it says to have lost is counted.
 */
final class KernelTrace implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/bin/bpftrace");
    private static final String BUFFER_PAGES = "1024";
    private static final Pattern LOST = Pattern.compile("Lost (\\d+) events");
    private static final String TRIAL =
            "tracepoint:raw_syscalls:sys_enter { exit(); } tracepoint:filemap:mm_filemap_add_to_page_cache { exit(); }";
    private static final long TRIAL_SECONDS = 30;
    private static final String SCRIPT = """
            BEGIN { printf("ready\\n"); }
            tracepoint:raw_syscalls:sys_enter /pid == %1$d && comm != "bench-trace" && comm != "bench-telemetry"/ {
              @at[tid] = nsecs; @call[tid] = args->id; }
            tracepoint:raw_syscalls:sys_exit /pid == %1$d && @at[tid]/ {
              printf("s %%lu %%lu %%lu\\n", @at[tid], nsecs - @at[tid], @call[tid]); delete(@at[tid]); }
            tracepoint:filemap:mm_filemap_add_to_page_cache /pid == %1$d/ {
              printf("p %%lu 0 %%lu\\n", nsecs, args->index); }
            """;

    private final Process process;
    private final InputStream lines;
    private final ProbeTelemetry telemetry;
    private final AtomicLong events = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();
    private final CountDownLatch ready = new CountDownLatch(1);
    private volatile boolean begun;
    private final Thread reader = new Thread(this::read, "bench-trace");
    private final Thread complaints = new Thread(this::readComplaints, "bench-trace-lost");

    private KernelTrace(ProbeTelemetry telemetry, long pid) throws IOException {
        this.telemetry = telemetry;
        final ProcessBuilder builder = new ProcessBuilder(PROGRAM.toString(), "-e", SCRIPT.formatted(pid));
        builder.environment().put("BPFTRACE_PERF_RB_PAGES", BUFFER_PAGES);
        process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "bench-trace-end"));
        lines = new BufferedInputStream(process.getInputStream(), 1 << 16);
    }

    /** Whether this process may trace others, and itself: tries it. */
    static boolean isAvailable() {
        if (!Files.isExecutable(PROGRAM)) {
            return false;
        }
        try {
            final Process trial = new ProcessBuilder(PROGRAM.toString(), "-e", TRIAL)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                return trial.waitFor(TRIAL_SECONDS, TimeUnit.SECONDS) && trial.exitValue() == 0;
            } finally {
                trial.destroyForcibly();
            }
        } catch (final IOException e) {
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Begins to trace a process, and returns once events come. */
    static KernelTrace start(ProbeTelemetry telemetry, long pid) throws InterruptedException {
        try {
            final KernelTrace trace = new KernelTrace(telemetry, pid);
            trace.reader.start();
            trace.complaints.start();
            trace.ready.await();
            if (!trace.begun) {
                trace.close();
                throw new IllegalStateException("tracer has ended: exit code=" + trace.process.exitValue());
            }
            return trace;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Events that came. */
    long events() {
        return events.get();
    }

    /** Events that the tracer says it lost. */
    long lost() {
        return lost.get();
    }

    private void read() {
        final ProbeTelemetry.Probe calls = telemetry.probe(ReplaySource.ROCKSDB_CALLS, 0);
        final ProbeTelemetry.Probe pages = telemetry.probe(ReplaySource.ROCKSDB_PAGES, 0);
        try {
            for (int kind = lines.read(); kind >= 0; kind = lines.read()) {
                if (kind != 's' && kind != 'p') {
                    if (kind == 'r') {
                        begun = true;
                        ready.countDown();
                    }
                    skipLine(kind);
                    continue;
                }
                lines.read();
                final long readingNs = number();
                final long latencyNs = number();
                (kind == 's' ? calls : pages).tell(readingNs, latencyNs, number(), 0);
                events.lazySet(events.get() + 1);
            }
        } catch (final IOException e) {
            // the tracer has ended
        } finally {
            ready.countDown();
        }
    }

    private void skipLine(int first) throws IOException {
        int next = first;
        while (next >= 0 && next != '\n') {
            next = lines.read();
        }
    }

    /** Reads digits and the one character after them. */
    private long number() throws IOException {
        long value = 0;
        for (int next = lines.read(); next >= '0' && next <= '9'; next = lines.read()) {
            value = value * 10 + next - '0';
        }
        return value;
    }

    private void readComplaints() {
        try (BufferedReader errors = process.errorReader()) {
            for (@Nullable String line = errors.readLine(); line != null; line = errors.readLine()) {
                final Matcher matcher = LOST.matcher(line);
                if (matcher.find()) {
                    lost.addAndGet(Long.parseLong(matcher.group(1)));
                } else {
                    System.err.println("bpftrace: " + line);
                }
            }
        } catch (final IOException e) {
            // the tracer has ended
        }
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor();
            reader.join();
            complaints.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
