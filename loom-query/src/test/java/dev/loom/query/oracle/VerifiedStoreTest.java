package dev.loom.query.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.StoreVerifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Verification finds nothing wrong with what the store's own code wrote: while it is written, after it was closed, recovered,
 * and its indexes lost and rebuilt. Pages that were damaged on purpose, and their files, are reported as such.
 *
 * <p>{@code -Dloom.rounds=N} sets the number of stores, {@code -Dloom.test.seed=S} the seed of the first.
 */
@Timeout(value = 4, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VerifiedStoreTest {
    private static final List<String> DAMAGE =
            List.of("page is damaged", "segment is missing", "file ends early", "bytes after the end");

    @TempDir
    Path temp;

    @Test
    void shouldFindNothingWrongWithWhatWasWritten() throws Exception {
        long first = Long.getLong("loom.test.seed", System.nanoTime());
        int rounds = Integer.getInteger("loom.rounds", 6);
        System.out.println("VerifiedStoreTest -Dloom.test.seed=" + first + " -Dloom.rounds=" + rounds);
        long entries = 0;
        for (int round = 0; round < rounds; round++) {
            long seed = first + round;
            Random random = new Random(seed);
            Path directory;
            try (RandomStore store = new RandomStore(Files.createDirectory(temp.resolve("" + seed)), random)) {
                for (int step = 0; step < 60; step++) {
                    store.step();
                    if (random.nextInt(4) == 0) {
                        entries += verify(store.directory(), seed, step);
                    }
                }
                directory = store.directory();
            }
            entries += verify(directory, seed, -1);
        }
        System.out.println("  entries=" + entries);
    }

    private static long verify(Path directory, long seed, int step) {
        List<String> wrong = new ArrayList<>();
        StoreVerifier.Report report = StoreVerifier.verify(directory, (file, offset, message) -> {
            if (DAMAGE.stream().noneMatch(message::startsWith)) {
                wrong.add(file + " " + offset + " " + message);
            }
        });
        assertEquals(List.of(), wrong, () -> "seed=" + seed + ", step=" + step);
        return report.entries();
    }
}
