package dev.loom.bench;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.bench.push.CpuTime;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.bench.scan.PageCache;
import io.airlift.compress.lz4.Lz4Compressor;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * Compresses the segments of records that other stores have: how much smaller they get, beside LZ4 of whole pages; the CPU that it
 * takes; and what reading all records takes before and after, out of the page cache and from the disk.
 */
public final class CompressionCost {
    private static final String[] DEFAULTS = {
        "from",
        "",
        "dir",
        "target/loom-bench",
        "allow-tmpfs",
        "false",
        "staging",
        "/dev/shm",
        "bytes",
        "256m",
        "segment",
        "4m",
        "rounds",
        "5"
    };
    private static final int PAGE = 1 << 16;
    private static final double MEGA = 1e6;
    private static final long WAIT_NS = 20_000_000;
    private static final long SETTLED_NS = 10_000_000_000L;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Path store;
    private final Path staging;
    private final long bytes;
    private final long segmentBytes;
    private final int rounds;

    private CompressionCost(Path store, Arguments options) {
        this.store = store;
        this.staging = Path.of(options.text("staging"));
        this.bytes = options.bytes("bytes");
        this.segmentBytes = options.bytes("segment");
        this.rounds = options.number("rounds");
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) {
        run(System.out, arguments);
    }

    static void run(PrintStream out, String... arguments) {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        out.println("CompressionCost " + options);
        try (ScratchDirectory scratch = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"))) {
            Machine.describe(parent).forEach((name, value) -> out.println(name + ": " + value));
            final MarkdownTable table = new MarkdownTable(
                    out,
                    "Compressed segments",
                    "records of",
                    "MB",
                    "LZ4 of pages",
                    "ratio",
                    "compression, MB/s of CPU",
                    "read all, MB/s of CPU before; after",
                    "seconds warm; after",
                    "seconds from disk; after");
            int number = 0;
            for (String from : options.text("from").split(",", -1)) {
                final Path store = scratch.path().resolve("store-" + number++);
                new CompressionCost(store, options).run(table, Path.of(from));
            }
        }
    }

    private LoomConfig.Builder config() {
        return LoomConfig.at(store)
                .stagingDirectory(staging)
                .segmentBytes(segmentBytes)
                .maxBytes(LoomConfig.UNLIMITED)
                .minFreeBytes(0);
    }

    private void run(MarkdownTable table, Path from) {
        fill(from);
        final long plain = segments().stream().mapToLong(CompressionCost::size).sum();
        final double pages = ratioOfPages();
        final Reading before = read();
        final long cpuNs = compress();
        final long compressed =
                segments().stream().mapToLong(CompressionCost::size).sum();
        final Reading after = read();
        if (before.crc != after.crc) {
            throw new IllegalStateException("records have changed: store=" + store);
        }
        table.row(
                from.getFileName().toString(),
                text("%.0f", plain / MEGA),
                text("%.2f", pages),
                text("%.2f", (double) plain / compressed),
                text("%.0f", plain / MEGA / (cpuNs / 1e9)),
                text("%.0f; %.0f", plain / MEGA / before.cpu.median(), plain / MEGA / after.cpu.median()),
                before.warm.text(3) + "; " + after.warm.text(3),
                before.cold.text(3) + "; " + after.cold.text(3));
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /** Pushes the records of another store, source by source in turn, until there are enough. */
    private void fill(Path from) {
        try (LoomReader reader = LoomReader.attach(from);
                Snapshot snapshot = reader.snapshot();
                Loom loom = Loom.open(config().build())) {
            final Map<Integer, Integer> ids = new HashMap<>();
            for (Source source : snapshot.sources()) {
                ids.put(source.id(), loom.defineSource(source.name(), source.format()));
            }
            while (loom.info().records().tail() < bytes) {
                push(snapshot, loom, ids);
            }
        }
    }

    private static void push(Snapshot snapshot, Loom loom, Map<Integer, Integer> ids) {
        final List<RecordCursor> cursors = new ArrayList<>();
        final List<Integer> targets = new ArrayList<>();
        ids.forEach((source, target) -> {
            cursors.add(snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE));
            targets.add(target);
        });
        boolean more = true;
        while (more) {
            more = false;
            for (int i = 0; i < cursors.size(); i++) {
                final RecordCursor cursor = cursors.get(i);
                if (cursor.next()) {
                    loom.push(targets.get(i), cursor.buffer(), cursor.offset(), cursor.length());
                    more = true;
                }
            }
        }
        cursors.forEach(RecordCursor::close);
    }

    private List<Path> segments() {
        try (Stream<Path> files = Files.list(store.resolve("record"))) {
            return files.filter(file -> file.toString().endsWith(".seg"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long size(Path file) {
        return file.toFile().length();
    }

    /** What LZ4 alone would make of the pages. */
    private double ratioOfPages() {
        final Lz4Compressor lz4 = new Lz4Compressor();
        final byte[] page = new byte[PAGE];
        final byte[] target = new byte[lz4.maxCompressedLength(PAGE)];
        long in = 0;
        long stored = 0;
        for (Path file : segments()) {
            try (InputStream stream = Files.newInputStream(file)) {
                while (stream.readNBytes(page, 0, PAGE) == PAGE) {
                    in += PAGE;
                    stored += Math.min(PAGE, lz4.compress(page, 0, PAGE, target, 0, target.length));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return (double) in / stored;
    }

    /** Compresses all segments but the last. Returns the CPU time that it took. */
    private long compress() {
        try (Loom loom = Loom.open(
                config().compressAfter(Duration.ZERO).compressionShare(1).build())) {
            loom.force();
            long cpuNs = 0;
            long last = -1;
            long sinceNs = System.nanoTime();
            while (plainSegments() > 1 && System.nanoTime() - sinceNs < SETTLED_NS) {
                final long saved = loom.info().records().savedBytes();
                if (saved != last) {
                    last = saved;
                    sinceNs = System.nanoTime();
                }
                cpuNs = Math.max(cpuNs, compressorNs());
                LockSupport.parkNanos(WAIT_NS);
            }
            return Math.max(cpuNs, compressorNs());
        }
    }

    private long plainSegments() {
        return segments().stream().filter(file -> size(file) == segmentBytes).count();
    }

    private static long compressorNs() {
        for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
            if (thread != null && thread.getThreadName().equals("loom-compress")) {
                return THREADS.getThreadCpuTime(thread.getThreadId());
            }
        }
        return 0;
    }

    /** Times of reading all records, s, and a checksum of what was read. */
    private record Reading(Spread cpu, Spread warm, Spread cold, long crc) {}

    private Reading read() {
        final double[] cpu = new double[rounds];
        final double[] warm = new double[rounds];
        final double[] cold = new double[rounds];
        long crc = readAll();
        for (int i = 0; i < rounds; i++) {
            final long cpuNs = CpuTime.threadNs();
            final long beganNs = System.nanoTime();
            crc = readAll();
            warm[i] = (System.nanoTime() - beganNs) / 1e9;
            cpu[i] = (CpuTime.threadNs() - cpuNs) / 1e9;
        }
        for (int i = 0; i < rounds; i++) {
            PageCache.drop(store);
            final long beganNs = System.nanoTime();
            readAll();
            cold[i] = (System.nanoTime() - beganNs) / 1e9;
        }
        return new Reading(Spread.of(cpu), Spread.of(warm), Spread.of(cold), crc);
    }

    private long readAll() {
        final CRC32C crc = new CRC32C();
        final byte[] head = new byte[Long.BYTES];
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            for (Source source : snapshot.sources()) {
                try (RecordCursor cursor = snapshot.oldestFirst(source.id(), Long.MIN_VALUE, Long.MAX_VALUE)) {
                    while (cursor.next()) {
                        final int length = Math.min(head.length, cursor.length());
                        cursor.buffer().getBytes(cursor.offset(), head, 0, length);
                        crc.update(head, 0, length);
                    }
                }
            }
        }
        return crc.getValue();
    }
}
