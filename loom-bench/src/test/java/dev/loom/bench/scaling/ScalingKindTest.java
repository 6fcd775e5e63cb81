package dev.loom.bench.scaling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.loom.bench.push.PayloadPool;
import dev.loom.bench.push.PushSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Chronicle Queue needs flags that tests run without. */
final class ScalingKindTest {
    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CHRONICLE")
    void shouldKeepWhatItsThreadsPushInSeveralPhases(ScalingKind kind) throws Exception {
        final int threads = kind.takes(3) ? 3 : 1;
        final PayloadPool pool = new PayloadPool(24);
        try (PushTeam team = kind.open(settings(), pool, threads)) {
            final long[] pushed = new long[threads];
            for (int phase = 0; phase < 2; phase++) {
                push(team, pushed);
                team.drain();
            }
            push(team, pushed);
            team.finish();
            team.verify(pushed);

            pushed[threads - 1] += PayloadPool.COUNT;
            assertThrows(IllegalStateException.class, () -> team.verify(pushed));
        }
        assertEquals(List.of(), left());
    }

    @Test
    void shouldSayWhichThreadFailed() {
        final PushTeam broken = new BrokenTeam();

        final IllegalStateException failure =
                assertThrows(IllegalStateException.class, () -> ScalingPhase.run(broken, 2, 60, 0));

        assertEquals("no room", failure.getCause().getMessage());
    }

    @Test
    void shouldKeepToTheRate() throws Exception {
        final long[] pushed = ScalingPhase.run(new IdleTeam(), 2, 0.1, 100_000);

        for (final long records : pushed) {
            assertEquals(0, records % PayloadPool.COUNT);
            // 5,000 are due to each; a thread that comes late sends one batch more than is due at most
            org.junit.jupiter.api.Assertions.assertTrue(
                    records <= 5_000 + 16 * PayloadPool.COUNT, "pushed: " + records);
        }
    }

    private static void push(PushTeam team, long[] pushed) throws InterruptedException {
        final Thread[] threads = new Thread[pushed.length];
        for (int i = 0; i < threads.length; i++) {
            final int number = i;
            threads[i] = new Thread(() -> {
                team.push(number, (number + 1) * PayloadPool.COUNT);
                team.flush(number);
            });
            threads[i].start();
            pushed[i] += (i + 1L) * PayloadPool.COUNT;
        }
        for (final Thread thread : threads) {
            thread.join();
        }
    }

    private PushSettings settings() {
        return new PushSettings(directory, directory, 24, 1 << 20, 1 << 21, false);
    }

    private List<Path> left() throws IOException {
        try (var paths = Files.list(directory)) {
            return paths.toList();
        }
    }

    /** Takes everything and keeps nothing. */
    private static class IdleTeam implements PushTeam {
        @Override
        public void push(int thread, int count) {}

        @Override
        public void flush(int thread) {}

        @Override
        public void drain() {}

        @Override
        public void finish() {}

        @Override
        public void verify(long[] pushed) {}

        @Override
        public void close() {}
    }

    /** Whose first thread fails, and whose others must then end. */
    private static final class BrokenTeam extends IdleTeam {
        @Override
        public void push(int thread, int count) {
            if (thread == 0) {
                throw new IllegalStateException("no room");
            }
        }
    }
}
