package dev.loom.bench;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Snapshot;
import dev.loom.api.StoreInfo;
import dev.loom.bench.push.ScratchDirectory;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Opens a store with default settings, pushes to many sources, holds many queries open at once, and prints what each step adds to
 * heap, direct and mapped memory, next to what is promised: the rings and 16 MiB for the store, 1 MiB per query.
 *
 * <p>Exits with 1 if a promise is broken. Each query has read the newest pages and, across the whole log, the oldest.
 */
public final class MemoryUse {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "payload", "48",
        "records", "20000000",
        "sources", "1000",
        "queries", "64"
    };
    private static final long MIB = 1 << 20;
    private static final long STORE_BYTES_MAX = 16 * MIB;
    private static final long QUERY_BYTES_MAX = MIB;
    private static final int RECORDS_READ = 100_000;

    private final Arguments arguments;
    private final Path staging;
    private final List<QueryCursor> open = new ArrayList<>();
    private boolean kept = true;

    private MemoryUse(Arguments arguments, Path staging) {
        this.arguments = arguments;
        this.staging = staging;
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) {
        final Arguments options = Arguments.parse(arguments, DEFAULTS);
        final Path parent = Path.of(options.text("dir"));
        System.out.println("MemoryUse " + options);
        final boolean kept;
        try (ScratchDirectory disk = ScratchDirectory.onDisk(parent, options.flag("allow-tmpfs"));
                ScratchDirectory memory = ScratchDirectory.in(Path.of(options.text("staging")))) {
            Machine.describe(parent).forEach((name, value) -> System.out.println(name + ": " + value));
            kept = new MemoryUse(options, memory.path()).run(disk.path());
        }
        if (!kept) {
            System.exit(1);
        }
    }

    private boolean run(Path disk) {
        print("", "heap", "direct", "mapped", "staging", "resident");
        final ProcessMemory before = ProcessMemory.now(staging);
        try (Loom loom = Loom.open(
                LoomConfig.at(disk.resolve("store")).stagingDirectory(staging).build())) {
            print("opened", ProcessMemory.now(staging).since(before));
            final int[] sources = push(loom);
            final ProcessMemory pushed = ProcessMemory.now(staging);
            print("pushed", pushed.since(before));
            final long rings = rings(loom.info());
            judge("store beside its rings", pushed.since(before).total() - rings, STORE_BYTES_MAX);

            final int queries = arguments.number("queries");
            try (Snapshot snapshot = loom.snapshot()) {
                query(snapshot, sources, queries);
                final ProcessMemory queried = ProcessMemory.now(staging).since(pushed);
                print(queries + " queries", queried);
                judge("query, each", queried.total() / queries, QUERY_BYTES_MAX);
                closeQueries();
            }
            print("queries closed", ProcessMemory.now(staging).since(before));
        }
        return kept;
    }

    private int[] push(Loom loom) {
        final int[] sources = new int[arguments.number("sources")];
        for (int i = 0; i < sources.length; i++) {
            sources[i] = loom.defineSource("source-" + i, Formats.parse("bytes"));
        }
        final UnsafeBuffer payload = new UnsafeBuffer(new byte[arguments.number("payload")]);
        for (int i = 0; i < arguments.number("records"); i++) {
            final long address = loom.push(sources[i % sources.length], payload, 0, payload.capacity());
            if (address < 0) {
                throw new IllegalStateException("push was refused: status=" + address);
            }
        }
        return sources;
    }

    private void query(Snapshot snapshot, int[] sources, int queries) {
        for (int i = 0; i < queries; i++) {
            final Order order = i % 2 == 0 ? Order.NEWEST_FIRST : Order.OLDEST_FIRST;
            final var source = snapshot.source("source-" + i % sources.length).orElseThrow();
            final QueryCursor cursor = RawScan.of(snapshot, source).order(order).open();
            open.add(cursor);
            int read = 0;
            while (read < RECORDS_READ && cursor.next()) {
                read++;
            }
            if (read == 0) {
                throw new IllegalStateException("query gave no record: source=" + source.name());
            }
        }
    }

    private void closeQueries() {
        open.forEach(QueryCursor::close);
        open.clear();
    }

    private static long rings(StoreInfo info) {
        return (long) info.records().ringBytes() + info.times().ringBytes();
    }

    private void judge(String what, long bytes, long max) {
        final boolean within = bytes <= max;
        kept &= within;
        System.out.printf(
                Locale.ROOT,
                "%s: %.2f MiB, promised %d MiB: %s%n",
                what,
                (double) bytes / MIB,
                max / MIB,
                within ? "kept" : "broken");
    }

    private static void print(String step, ProcessMemory memory) {
        print(
                step,
                mebibytes(memory.heap()),
                mebibytes(memory.direct()),
                mebibytes(memory.mapped()),
                mebibytes(memory.staging()),
                mebibytes(memory.resident()));
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.2f", (double) bytes / MIB);
    }

    private static void print(String step, String... columns) {
        final StringBuilder line = new StringBuilder(String.format("%-16s", step));
        for (final String column : columns) {
            line.append(String.format(" %10s", column));
        }
        System.out.println(line.append(step.isEmpty() ? "   MiB, added" : ""));
    }
}
