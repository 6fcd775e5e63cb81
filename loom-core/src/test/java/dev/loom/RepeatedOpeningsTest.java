package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.error.LoomException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process that opens and closes stores for as long as it lives, some of them in vain, keeps no descriptor, mapping, thread, or
 * staging of them. {@code -Dloom.openings=N} sets how often.
 */
final class RepeatedOpeningsTest {
    private static final int OPENINGS = Integer.getInteger("loom.openings", 300);
    private static final int OPENINGS_OF_A_STORE = 100;
    private static final int KINDS = 6;
    private static final PayloadFormat FORMAT = Formats.parse("struct:v:i64");

    @TempDir
    Path temp;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private Path staging;
    private int sources;

    /** What a process has of a folder's stores. */
    private record Held(long descriptors, long mappings, List<String> threads, long staged) {}

    @Test
    @EnabledOnOs(OS.LINUX)
    @Timeout(value = 6, unit = TimeUnit.HOURS)
    void shouldHoldNothingWhenStoresAreClosed() throws IOException {
        staging = Files.createDirectory(temp.resolve("staging"));
        Path store = temp.resolve("store0");
        openAndClose(store); // what a JVM opens once
        long openedBefore = openDescriptors();
        int refused = 0;
        for (int i = 1; i <= OPENINGS; i++) {
            if (i % OPENINGS_OF_A_STORE == 0) {
                store = temp.resolve("store" + i);
            }
            refused += openAndClose(store);
            if (i % OPENINGS_OF_A_STORE == 0 || i == OPENINGS) {
                int openings = i;
                assertEquals(new Held(0, 0, List.of(), 0), held(), () -> "seed=" + seed + ", openings=" + openings);
            }
        }
        long opened = openDescriptors() - openedBefore;
        assertTrue(opened < 10, () -> "descriptors=" + opened + ", of=" + OPENINGS);
        System.out.println("row=R23 faults=" + OPENINGS + " checked=" + refused + " seed=" + seed + " of=openings");
    }

    /** @return how many openings were refused, as must be */
    private int openAndClose(Path store) throws IOException {
        switch (random.nextInt(KINDS)) {
            case 0 -> write(store);
            case 1 -> record(store);
            case 2 -> {
                try (Loom loom = open(store)) {
                    loom.push(loom.defineSource("source" + sources++, FORMAT), new byte[8]);
                    assertThrows(LoomException.class, () -> open(store));
                    read(store);
                }
                return 1;
            }
            case 3 -> {
                Path nothing = temp.resolve("nothing");
                assertThrows(LoomException.class, () -> LoomReader.attach(nothing));
                return 1;
            }
            case 4 -> {
                Path foreign = Files.createDirectories(temp.resolve("foreign"));
                byte[] mark = new byte[10_000];
                random.nextBytes(mark);
                Files.write(foreign.resolve("loom.mark"), mark);
                assertThrows(LoomException.class, () -> open(foreign));
                return 1;
            }
            default -> {
                if (Files.exists(store)) {
                    read(store);
                }
            }
        }
        return 0;
    }

    private Loom open(Path store) {
        return Loom.open(LoomConfig.at(store)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .stagingDirectory(staging)
                .build());
    }

    private void record(Path store) {
        try (Recorder recorder = Recorder.on(open(store)).start()) {
            assertEquals(0, recorder.offer(recorder.defineSource("source" + sources++, FORMAT), new byte[8]));
        }
    }

    private void write(Path store) {
        try (Loom loom = open(store)) {
            int source = loom.defineSource("source" + sources++, FORMAT);
            loom.defineIndex(source, "v", IndexFunction.field(FORMAT, "v"), Bins.logLinear());
            for (int i = random.nextInt(3_000); i >= 0; i--) {
                loom.push(source, new byte[8 + random.nextInt(50)]);
            }
            try (Snapshot snapshot = loom.snapshot()) {
                assertTrue(snapshot.statistics(source).records() > 0);
            }
        }
    }

    private static void read(Path store) {
        try (LoomReader reader = LoomReader.attach(store);
                Snapshot snapshot = reader.snapshot()) {
            assertEquals(snapshot.sources().size(), reader.sources().size());
        }
    }

    private Held held() throws IOException {
        String folder = temp.toString();
        long descriptors;
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            descriptors = all.map(RepeatedOpeningsTest::target)
                    .filter(Objects::nonNull)
                    .filter(target -> target.startsWith(folder))
                    .count();
        }
        long mappings;
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            mappings = maps.filter(line -> line.contains(folder)).count();
        }
        List<String> threads = Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("loom-"))
                .toList();
        try (Stream<Path> staged = Files.list(staging)) {
            return new Held(descriptors, mappings, threads, staged.count());
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return null; // closed meanwhile
        }
    }

    private static long openDescriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }
}
