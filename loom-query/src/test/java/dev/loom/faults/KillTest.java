package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.loom.Loom;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a writing process at random moments, at times while it opens, recovers, closes or writes a record over several
 * pages: nothing that it had published may be missing, nothing may be torn, doubled or invented.
 *
 * <p>{@code -Dloom.rounds=N} sets the number of kills, {@code -Dloom.test.seed=S} the seed.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KillTest {
    private static final int SOURCES = 4;
    private static final int KILLS_PER_STORE = 6;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final long[] reported = new long[SOURCES];
    private int run;

    @TempDir
    Path temp;

    @Test
    void shouldKeepAllPublishedWhenKilled() throws IOException {
        int rounds = Integer.getInteger("loom.rounds", 8);
        System.out.println("KillTest: -Dloom.test.seed=" + seed + " rounds=" + rounds);
        for (int done = 0, store = 0; done < rounds; store++) {
            Arrays.fill(reported, 0);
            Path directory = temp.resolve("store-" + store);
            StoreOracle oracle = new StoreOracle(seed + store, SOURCES);
            for (int i = 0; i < KILLS_PER_STORE && done < rounds; i++) {
                int kills = random.nextInt(3) == 0 ? 2 : 1;
                for (int kill = 0; kill < kills; kill++) {
                    pushUntilKilled(directory, seed + store);
                    done++;
                }
                check(directory, oracle, seed + store);
            }
        }
    }

    /** The last report read is what another process has seen; the killed one may have published more. */
    private void pushUntilKilled(Path directory, long payloadSeed) throws IOException {
        String moment = switch (random.nextInt(6)) {
            case 0 -> "opening";
            case 1 -> "closing";
            case 2 -> "forcing";
            default -> "pushed";
        };
        int lines = moment.equals("opening") ? 1 + random.nextInt(2) : 1 + random.nextInt(60);
        long delayNs = random.nextInt(moment.equals("opening") ? 60_000_000 : 4_000_000);
        try (ChildProcess process = ChildProcess.start(PushingProcess.class, directory, payloadSeed, ++run, SOURCES)) {
            String line = process.line();
            for (int read = 0; line != null; line = process.line(), read++) {
                note(line);
                if ((read >= lines && line.startsWith(moment)) || (lines == 1 && moment.equals("opening"))) {
                    break;
                }
            }
            if (line == null) {
                throw new AssertionError("the process ended by itself");
            }
            LockSupport.parkNanos(delayNs);
            process.kill();
            while ((line = process.line()) != null) {
                note(line);
            }
        }
    }

    private void note(String line) {
        String[] words = line.split(" ", -1);
        if (words.length == 1 + SOURCES && words[0].equals("pushed")) {
            for (int i = 0; i < SOURCES; i++) {
                reported[i] = Long.parseLong(words[1 + i]);
            }
        }
    }

    private void check(Path directory, StoreOracle oracle, long payloadSeed) {
        long[] dead = new long[SOURCES];
        if (directory.resolve("loom.mark").toFile().length() > 0) {
            dead = oracle.count(directory);
        }
        StoreOracle.assertAtLeast(reported, dead, "attached to what the killed process left");
        long[] counts;
        try (Loom loom = Loom.open(PushingProcess.config(directory).build())) {
            counts = oracle.count(loom);
            assertArrayEquals(dead, counts, "recovered");
            int[] ids = oracle.define(loom);
            for (int i = random.nextInt(500); i > 0; i--) {
                int source = random.nextInt(SOURCES);
                loom.push(ids[source], CheckedPayload.make(payloadSeed, source, counts[source]++));
            }
            assertArrayEquals(counts, oracle.count(loom), "pushed after recovery");
        }
        assertArrayEquals(counts, oracle.count(directory), "closed");
        System.arraycopy(counts, 0, reported, 0, SOURCES);
    }
}
