package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each allocation of a grouped aggregate finds no memory once, by default every fourth of them: all that it had is free again. {@code
 * -Dloom.stride=1} for all of them.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class GroupFaultsTest {
    private static final int STRIDE = Integer.getInteger("loom.stride", 4);

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    @Test
    void shouldHoldNothingWhenAnAllocationFails() throws Exception {
        System.out.println("GroupFaultsTest: -Dloom.test.seed=" + seed);
        Class<?> loaded = new AllocationFaultsLoader(Set.of("query")).loadClass(GroupScenario.class.getName());
        AllocationFaults.reset(GroupScenario.THREAD, -1, 0, 0);
        assertEquals(List.of(), run(loaded, "fill"));
        // classes and caches of the first time are nobody's query
        assertEquals(List.of(), run(loaded, "query"), "without a failure");
        AllocationFaults.reset(GroupScenario.THREAD, -1, 0, 0);
        assertEquals(List.of(), run(loaded, "query"), "without a failure");
        int[] hits = AllocationFaults.hits();
        int[] sites =
                IntStream.range(0, hits.length).filter(site -> hits[site] > 0).toArray();
        List<String> wrong = new ArrayList<>();
        int failed = 0;
        for (int i = random.nextInt(STRIDE); i < sites.length; i += STRIDE) {
            int hit = random.nextBoolean() ? 1 : 1 + random.nextInt(hits[sites[i]]);
            AllocationFaults.reset(GroupScenario.THREAD, sites[i], hit, 1);
            String what = AllocationFaults.name(sites[i]) + ", hit=" + hit;
            List<String> found = run(loaded, "query");
            failed += AllocationFaults.failed() == null ? 0 : 1;
            if (!found.isEmpty()) {
                wrong.add(what + ": " + found);
            }
        }
        assertEquals(List.of(), wrong, () -> "-Dloom.test.seed=" + seed);
        System.out.println("row=R23 faults=" + failed + " checked=" + failed + " seed=" + seed + " places="
                + sites.length + " role=grouper thread=" + GroupScenario.THREAD);
        assertTrue(failed > 0);
    }

    private List<String> run(Class<?> loaded, String role) throws ReflectiveOperationException {
        @SuppressWarnings("unchecked")
        BiFunction<Path, String, List<String>> scenario = (BiFunction<Path, String, List<String>>)
                loaded.getDeclaredConstructor().newInstance();
        return scenario.apply(directory.resolve("store"), role);
    }
}
