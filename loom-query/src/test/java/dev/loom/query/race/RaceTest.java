package dev.loom.query.race;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.Eviction;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One writer at full rate through the smallest rings, eight readers in threads and one in a process, and a thread that
 * defines and closes sources. {@code -Dloom.race.seconds=} sets how long, {@code -Dloom.test.seed=} repeats the choices (not
 * the schedule).
 */
class RaceTest {
    private static final int SECONDS = Integer.getInteger("loom.race.seconds", 5);
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int READERS = 8;
    private static final long READER_PAUSE_NS = 1_000_000;
    private static final int RING_BYTES = LoomConfig.RING_BYTES_MIN;
    /** A store is given up for a new one after this number of rounds of its ring, to spare the disk. */
    private static final long ROUNDS_MAX = 4096;

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);

    private volatile boolean stopped;
    private volatile int churned = -1;
    private volatile long tail;

    private long rounds;
    private long scans;
    private long records;
    private long lapped;
    private int stores;

    @TempDir
    Path dir;

    @Test
    void shouldGiveEveryRecordWholeWhenReadersRaceTheWriter() throws Exception {
        System.out.println("RaceTest -Dloom.test.seed=" + SEED + " -Dloom.race.seconds=" + SECONDS);
        Process process = startReaderProcess();
        try (BufferedReader answers =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                BufferedWriter orders =
                        new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8))) {
            while (System.nanoTime() < endNs || stores == 0) {
                Path store = dir.resolve("store-" + stores++);
                race(store, orders);
                String answer = answers.readLine();
                System.out.println("RaceTest other process: " + answer);
                assertTrue(answer != null && answer.startsWith("ok"), "the reader in another process failed");
                delete(store);
            }
        }
        assertEquals(0, process.waitFor());
        System.out.println("RaceTest stores=" + stores + ", scans=" + scans);
        System.out.println("row=R19 faults=" + rounds + " checked=" + records + " seed=" + SEED + " of=laps");
        System.out.println("row=R25 faults=" + lapped + " checked=" + records + " seed=" + SEED + " of=copies lapped");
    }

    private static Process startReaderProcess() throws IOException {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(
                        java,
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                        "-ea",
                        RaceReaderProcess.class.getName(),
                        Long.toString(SEED),
                        Integer.toString(RING_BYTES))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private void race(Path directory, BufferedWriter orders) throws Exception {
        stopped = false;
        churned = -1;
        tail = 0;
        try (Loom loom = Loom.open(LoomConfig.at(directory)
                .recordRingBytes(RING_BYTES)
                .timeRingBytes(RING_BYTES)
                .segmentBytes(64L << 20)
                .eviction(Eviction.PAGE_CACHE)
                .build())) {
            int[] ids = new int[RaceWriter.SOURCES];
            StringBuilder order = new StringBuilder(directory.toString());
            for (int i = 0; i < ids.length; i++) {
                ids[i] = loom.defineSource("source-" + i, Formats.parse("bytes"), Map.of());
                order.append(' ').append(ids[i]);
            }
            orders.append(order).append('\n').flush();
            List<Thread> threads = new ArrayList<>();
            List<RaceReader> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                RaceReader reader = new RaceReader(ids, RING_BYTES, random.split());
                readers.add(reader);
                threads.add(start("race-reader-" + i, () -> read(loom, reader)));
            }
            threads.add(start("race-churner", () -> churn(loom)));
            RaceWriter writer = write(loom, ids);
            stopped = true;
            for (Thread thread : threads) {
                thread.join();
            }
            if (failure.get() != null) {
                throw new AssertionError("a reader failed", failure.get());
            }
            checkEnd(loom, ids, writer);
            for (RaceReader reader : readers) {
                scans += reader.scans();
                records += reader.records();
                lapped += reader.lapped();
            }
            rounds += tail / RING_BYTES;
        }
    }

    private Thread start(String name, Runnable body) {
        Thread thread = new Thread(
                () -> {
                    try {
                        body.run();
                    } catch (Throwable e) {
                        failure.compareAndSet(null, e);
                    }
                },
                name);
        thread.start();
        return thread;
    }

    private void read(Loom loom, RaceReader reader) {
        while (!stopped && failure.get() == null) {
            try (Snapshot snapshot = loom.snapshot()) {
                reader.check(snapshot);
            }
            // leaves the processors to the writer, which must come around many times
            LockSupport.parkNanos(READER_PAUSE_NS);
        }
    }

    /** Defines a source in each round of the ring, for the writer to push to, and closes the one before. */
    private void churn(Loom loom) {
        long round = 0;
        while (!stopped && failure.get() == null) {
            if (tail / RING_BYTES > round) {
                round = tail / RING_BYTES;
                if (churned >= 0) {
                    // the writer goes on pushing to it for a while, and is refused
                    loom.closeSource(churned);
                }
                churned = loom.defineSource("churned", Formats.parse("bytes"), Map.of("round", "" + round));
            } else {
                LockSupport.parkNanos(100_000);
            }
        }
    }

    private RaceWriter write(Loom loom, int[] ids) {
        RaceWriter writer = new RaceWriter(loom, ids, random.split());
        long steps = 0;
        while (tail / RING_BYTES < ROUNDS_MAX && failure.get() == null) {
            writer.step();
            if (steps++ % 256 == 0) {
                if (churned >= 0) {
                    writer.step(churned);
                }
                try (Snapshot snapshot = loom.snapshot()) {
                    tail = snapshot.tailAddress();
                }
                if (System.nanoTime() >= endNs) {
                    break;
                }
            }
        }
        return writer;
    }

    private void checkEnd(Loom loom, int[] ids, RaceWriter writer) {
        RaceReader reader = new RaceReader(ids, RING_BYTES, random.split());
        try (Snapshot snapshot = loom.snapshot()) {
            for (int i = 0; i < ids.length; i++) {
                assertEquals(writer.sequence(i), snapshot.statistics(ids[i]).records());
            }
            reader.checkWhole(snapshot, ids[ids.length - 1]);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
