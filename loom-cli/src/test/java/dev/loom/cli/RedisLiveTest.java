package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A real capture while it is imported, by this process or another, and after that one was killed; the slice that is kept
 * here, or with {@code -Dloom.data=DIR} a whole one.
 *
 * <p>{@code -Dloom.rounds=N} sets the number of kills of each source, {@code -Dloom.test.seed=S} the seed.
 */
class RedisLiveTest {
    private static final int PIECES = 8;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    @TempDir
    Path directory;

    private Path store = Path.of("");
    private Cli cli = new Cli();

    @BeforeEach
    void open() {
        System.out.println("RedisLiveTest: -Dloom.test.seed=" + seed);
        use("store");
    }

    private void use(String name) {
        store = directory.resolve(name);
        cli = Cli.onSmallStore(store);
    }

    @FunctionalInterface
    private interface CommandStart {
        RunningCommand start(Path store, String... arguments) throws IOException;
    }

    @Test
    void shouldShowEachRecordToTheProcessThatImportsIt() throws Exception {
        importWatched(LoomThread::start);
    }

    @Test
    void shouldShowEachRecordToOtherProcessesWhileItIsImported() throws Exception {
        importWatched(LoomProcess::start);
    }

    private void importWatched(CommandStart start) throws Exception {
        for (String source : RedisOracle.SOURCES) {
            RedisOracle oracle = RedisOracle.of(source);
            try (RunningCommand importing = start.start(store, importArguments(oracle))) {
                int seen = feed(importing, oracle, oracle.bytes().length);
                while (seen < oracle.records().size()) {
                    seen = look(oracle, seen);
                }
                importing.in().close();
                assertEquals(0, importing.exitCode());
            }
        }
        cli.run("source", "add", "reopened").ok();
        for (String source : RedisOracle.SOURCES) {
            RedisReading.requireAll(
                    RedisOracle.of(source), cli.run(scanArguments(source)).ok().lines());
        }
    }

    /** Kills an import at a random moment; then imports what is missing. */
    @ParameterizedTest
    @FieldSource("dev.loom.cli.RedisOracle#SOURCES")
    void shouldKeepAPrefixOfAtLeastWhatWasSeenWhenTheImportIsKilled(String source) throws Exception {
        RedisOracle oracle = RedisOracle.of(source);
        int size = oracle.bytes().length;
        int rounds = Integer.getInteger("loom.rounds", 1);
        for (int round = 0; round < rounds; round++) {
            use("killed-" + round);
            int seen;
            try (LoomProcess importing = LoomProcess.start(store, importArguments(oracle))) {
                int looked = size / PIECES + random.nextInt(size / 2);
                int fed = looked + random.nextInt(size - looked);
                seen = feed(importing, oracle, looked);
                while (seen == 0) {
                    seen = look(oracle, seen);
                }
                Thread feeder = new Thread(() -> write(importing, oracle, looked, fed), "feeder");
                feeder.start();
                LockSupport.parkNanos(random.nextInt((int) TimeUnit.MILLISECONDS.toNanos(20)));
                seen = random.nextBoolean() ? look(oracle, seen) : seen;
                importing.kill();
                feeder.join();
            }
            List<String> kept = cli.run(scanArguments(source)).lines();
            RedisReading.requirePrefix(oracle, kept);
            int seenLast = seen;
            assertTrue(
                    kept.size() >= seen && kept.size() < oracle.records().size(),
                    () -> "kept=" + kept.size() + ", seen=" + seenLast);
            System.out.println(source + ": seen=" + seen + ", kept=" + kept.size());
            importRest(oracle, kept.size());
            RedisReading.requireAll(oracle, cli.run(scanArguments(source)).ok().lines());
        }
    }

    private void importRest(RedisOracle oracle, int from) {
        Cli.on(store)
                .input(new ByteArrayInputStream(oracle.bytesFrom(from)))
                .run(importArguments(oracle))
                .ok();
    }

    /** Writes the first bytes in pieces, with a look at the source after each; gives the number of records seen. */
    private int feed(RunningCommand importing, RedisOracle oracle, int length) throws IOException {
        int seen = 0;
        for (int from = 0; from < length; ) {
            int to = Math.min(length, from + 1 + random.nextInt(2 * oracle.bytes().length / PIECES));
            importing.in().write(oracle.bytes(), from, to - from);
            importing.in().flush();
            seen = look(oracle, seen);
            from = to;
        }
        return seen;
    }

    private static void write(RunningCommand importing, RedisOracle oracle, int from, int to) {
        try {
            importing.in().write(oracle.bytes(), from, to - from);
            importing.in().flush();
        } catch (IOException e) {
            // It was killed meanwhile.
        }
    }

    /** Before the first record there may be no store yet, or no such source. */
    private int look(RedisOracle oracle, int seen) {
        Cli.Result result = cli.run(scanArguments(oracle.source()));
        if (seen > 0) {
            result.ok();
        }
        RedisReading.requirePrefix(oracle, result.lines());
        assertTrue(
                result.lines().size() >= seen,
                () -> "seen=" + seen + ", now=" + result.lines().size());
        return result.lines().size();
    }

    private static String[] importArguments(RedisOracle oracle) {
        return Stream.concat(oracle.importArguments().stream(), Stream.of("-")).toArray(String[]::new);
    }

    private static String[] scanArguments(String source) {
        return new String[] {"scan", source, "--asc", "-o", "json"};
    }
}
