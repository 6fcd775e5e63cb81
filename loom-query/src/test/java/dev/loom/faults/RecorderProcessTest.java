package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.Recorder;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.MappedByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The recorder in a process that is killed, in one without any flag, and in one with several class loaders. {@code
 * -Dloom.rounds=N} sets the number of kills, {@code -Dloom.test.seed=S} the seed.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecorderProcessTest {
    /** With its overhead, the shortest record of {@link RecordingProcess}. */
    private static final int SLOT_LENGTH_MIN = 16 + 28;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());

    @TempDir
    Path temp;

    @Test
    void shouldLoseAtMostTheRingWhenKilled() throws IOException {
        int rounds = Integer.getInteger("loom.rounds", 3);
        System.out.println("RecorderProcessTest: -Dloom.test.seed=" + seed + " rounds=" + rounds);
        Random random = new Random(seed);
        for (int round = 0; round < rounds; round++) {
            Path store = temp.resolve("store-" + round);
            Path counts = temp.resolve("counts-" + round);
            List<String> synced = new ArrayList<>(List.of("synced 0 0 0"));
            try (ChildProcess process = ChildProcess.start(RecordingProcess.class, store, seed, counts)) {
                for (int lines = 1 + random.nextInt(100); lines > 0; lines--) {
                    synced.add(process.awaitLine("synced"));
                }
                LockSupport.parkNanos(random.nextInt(3_000_000));
                process.kill();
                for (String line = process.line(); line != null; line = process.line()) {
                    synced.add(line);
                }
            }
            check(store, RecordingProcess.counts(counts), lastWhole(synced));
        }
    }

    private static String[] lastWhole(List<String> lines) {
        int last = lines.size() - 1;
        while (lines.get(last).split(" ", -1).length != 1 + RecordingProcess.PRODUCERS) {
            last--;
        }
        return lines.get(last).split(" ", -1);
    }

    private void check(Path store, MappedByteBuffer taken, String[] synced) {
        long lost = 0;
        try (Loom loom = Loom.open(PushingProcess.config(store).build());
                Snapshot snapshot = loom.snapshot()) {
            for (int producer = 0; producer < RecordingProcess.PRODUCERS; producer++) {
                Source source = snapshot.source(StoreOracle.name(producer)).orElseThrow();
                long records = 0;
                try (QueryCursor cursor =
                        RawScan.of(snapshot, source).order(Order.OLDEST_FIRST).open()) {
                    while (cursor.next()) {
                        long sequence =
                                CheckedPayload.check(seed, producer, cursor.buffer(), cursor.offset(), cursor.length());
                        assertEquals(records, sequence, "a hole");
                        records++;
                    }
                }
                assertTrue(records >= Long.parseLong(synced[1 + producer]), "synced, and not there");
                lost += Math.max(0, taken.getLong(64 * producer) - records);
            }
        }
        assertTrue(lost <= RecordingProcess.RING_BYTES / SLOT_LENGTH_MIN, "more than the ring: lost=" + lost);
    }

    @Test
    void shouldNeedNoFlagAndSayNothing() throws IOException, InterruptedException {
        Path errors = temp.resolve("stderr");
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                RecordingProcess.class.getName(),
                temp.resolve("quiet").toString());
        Process process = builder.redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        assertEquals("done", output.strip());
        List<String> said = Files.readAllLines(errors).stream()
                .filter(line -> !line.startsWith("NOTE: Picked up"))
                .filter(line -> !(Runtime.version().feature() >= 24 && line.startsWith("WARNING: ")))
                .toList();
        assertEquals(List.of(), said);
    }

    /** In two class loaders that share nothing but the JDK, as in an application server. */
    @Test
    void shouldWorkInSeveralClassLoaders() throws Exception {
        List<URL> path = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            path.add(new File(entry).toURI().toURL());
        }
        for (int i = 0; i < 2; i++) {
            try (URLClassLoader loader =
                    new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
                assertNotSame(Recorder.class, loader.loadClass(Recorder.class.getName()));
                Runnable scenario = (Runnable) loader.loadClass(Scenario.class.getName())
                        .getDeclaredConstructor(Path.class)
                        .newInstance(temp.resolve("loader-" + i));
                scenario.run();
            }
        }
    }

    /** What is run in each class loader, while this one has a recorder of its own. */
    public static final class Scenario implements Runnable {
        private final Path directory;

        public Scenario(Path directory) {
            this.directory = directory;
        }

        @Override
        public void run() {
            try (Recorder recorder = Recorder.on(
                            Loom.open(PushingProcess.config(directory).build()))
                    .start()) {
                int id = recorder.defineSource("source", dev.loom.format.Formats.parse("bytes"));
                assertEquals(0, recorder.offer(id, new byte[64]));
                assertTrue(recorder.sync());
                assertEquals(1, recorder.published(id));
                ClassLoader ours = Scenario.class.getClassLoader();
                long threads = Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().equals("loom-recorder"))
                        .filter(thread -> thread.isDaemon() && thread.getContextClassLoader() == ours)
                        .count();
                assertEquals(1, threads);
            }
        }
    }
}
