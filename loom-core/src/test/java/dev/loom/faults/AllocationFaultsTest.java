package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each allocation of the threads that write finds no memory once: nothing acknowledged is lost, and work goes on. By default
 * every 16th of them, other ones in each run; {@code -Dloom.stride=1} is all of them.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AllocationFaultsTest {
    /** How often in a row, at most: so what is done about a failure may fail too. */
    static final int FAILURES = 3;

    private static final int STRIDE = Integer.getInteger("loom.stride", 16);
    private static final Class<?> SCENARIO = scenario();

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path temp;

    private static Class<?> scenario() {
        try {
            return new AllocationFaultsLoader(AllocationFaultsLoader.STORE)
                    .loadClass(AllocationScenario.class.getName());
        } catch (ClassNotFoundException e) {
            throw new LinkageError("no scenario", e);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "writer,writer",
        "writer,loom-evictor",
        "recorder,loom-recorder",
        "recorder,loom-evictor",
        "definer,definer"
    })
    void shouldLoseNothingAcknowledgedWhenAnAllocationFails(String role, String thread) throws Exception {
        System.out.println("AllocationFaultsTest: -Dloom.test.seed=" + seed);
        AllocationFaults.reset(thread, -1, 0, 0);
        assertEquals(List.of(), run(role), "without a failure");
        int[] hits = AllocationFaults.hits();
        int[] sites =
                IntStream.range(0, hits.length).filter(site -> hits[site] > 0).toArray();
        assertTrue(sites.length > 0);
        List<String> wrong = new ArrayList<>();
        int failed = 0;
        int runs = 0;
        for (int i = random.nextInt(STRIDE); i < sites.length; i += STRIDE) {
            int site = sites[i];
            int hit = random.nextBoolean() ? 1 : 1 + random.nextInt(hits[site]);
            int failures = 1 + random.nextInt(FAILURES);
            AllocationFaults.reset(thread, site, hit, failures);
            String what = AllocationFaults.name(site) + ", hit=" + hit + ", failures=" + failures;
            List<String> found;
            try {
                found = run(role);
            } catch (RuntimeException | Error e) {
                throw new AssertionError("-Dloom.test.seed=" + seed + ", " + what, e);
            }
            runs++;
            failed += AllocationFaults.failed() == null ? 0 : 1;
            if (!found.isEmpty()) {
                wrong.add(what + ": " + found);
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(failed > 0, "no allocation failed: role=" + role + ", thread=" + thread);
        System.out.println("row=R23 faults=" + failed + " checked=" + runs + " seed=" + seed + " places=" + sites.length
                + " role=" + role + " thread=" + thread);
    }

    private List<String> run(String role) throws Exception {
        Path directory = Files.createTempDirectory(temp, "store");
        @SuppressWarnings("unchecked")
        BiFunction<Path, String, List<String>> scenario = (BiFunction<Path, String, List<String>>)
                SCENARIO.getDeclaredConstructor().newInstance();
        try {
            return scenario.apply(directory, role);
        } finally {
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
