package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.ProgressHandler;
import dev.loom.api.Snapshot;
import dev.loom.format.Formats;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whoever waits for a store hears how far it has come. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OpeningProgressTest {
    private static final int RECORDS = 1_000;

    @TempDir
    Path temp;

    /** What a handler heard, and whether it asks for the work's end, or fails. */
    private static final class Heard implements ProgressHandler {
        private final List<String> calls = new ArrayList<>();
        private final List<String> wrong = new ArrayList<>();
        private boolean ends;
        private boolean throwing;

        @Override
        public boolean onProgress(long done, long total) {
            String call = done + " of " + total;
            (done >= 0 && done <= total && total > 0 ? calls : wrong).add(call);
            if (throwing) {
                throw new AssertionError("the handler failed");
            }
            return !ends;
        }

        /** What was heard since the last call. */
        List<String> taken() {
            assertEquals(List.of(), wrong);
            List<String> taken = List.copyOf(calls);
            calls.clear();
            return taken;
        }
    }

    private final Heard heard = new Heard();

    private LoomConfig.Builder config() {
        return WriterProcess.config(temp.resolve("store"))
                .stagingDirectory(temp)
                .durabilityInterval(Duration.ofHours(1)) // nothing is written before it is asked for
                .progress(heard);
    }

    private void killedWriter() throws IOException {
        try (JavaProcess writer = JavaProcess.start(WriterProcess.class, temp.resolve("store"), temp)) {
            assertEquals("ok", writer.ask("open"));
            assertEquals("ok", writer.ask("push " + RECORDS));
            writer.kill();
        }
    }

    private static long records(Loom loom) {
        try (Snapshot snapshot = loom.snapshot()) {
            return snapshot.statistics(snapshot.source("written").orElseThrow().id())
                    .records();
        }
    }

    @Test
    void shouldTellHowFarARecoveryHasComeWhichNoHandlerEnds() throws IOException {
        killedWriter();
        heard.ends = true;
        heard.throwing = true;
        try (Loom loom = Loom.open(config().build())) {
            long works =
                    heard.taken().stream().filter(call -> call.startsWith("0 ")).count();
            assertEquals(2, works, "records that only the ring held, and pages of the indexes");
            assertEquals(RECORDS, records(loom));
        }
    }

    @Test
    void shouldTellHowFarTheRewritingOfTheIndexesHasCome() throws IOException {
        killedWriter();
        Loom.open(config().build()).close();
        heard.taken();
        // a closed store is opened without a check, and without rewriting anything
        Loom loom = Loom.open(config().build());
        assertEquals(List.of(), heard.taken());
        loom.close();
        heard.taken();
        try (Loom rebuilt = Loom.open(config().rebuildIndexes(true).build())) {
            assertFalse(heard.taken().isEmpty(), "the indexes were written again");
            assertEquals(RECORDS, records(rebuilt));
        }
    }

    @Test
    void shouldTellHowFarTheWritingOfWhatOnlyMemoryHoldsHasCome() {
        try (Loom loom = Loom.open(config().build())) {
            int source = loom.defineSource("written", Formats.bytes());
            for (int forced = 0; forced < 2; forced++) {
                loom.push(source, new byte[100_000]);
                loom.force();
                requireWhole(heard.taken());
            }
            loom.push(source, new byte[100_000]);
        }
        requireWhole(heard.taken());
    }

    /** As a logger that writes to the store. */
    @Test
    void shouldCloseTheStoreThoughTheHandlerPushes() {
        AtomicReference<Loom> closing = new AtomicReference<>();
        List<String> refused = new ArrayList<>();
        Loom loom = Loom.open(config().progress((done, total) -> {
                    Loom store = closing.get();
                    if (store != null) {
                        try {
                            store.push(1, new byte[100]);
                        } catch (IllegalStateException e) {
                            refused.add(e.getMessage());
                            throw e;
                        }
                    }
                    return true;
                })
                .build());
        assertEquals(1, loom.defineSource("written", Formats.bytes()));
        loom.push(1, new byte[100]);
        closing.set(loom);
        loom.close();
        assertTrue(refused.contains("store is closed"), refused::toString);
        try (Loom reopened = Loom.open(config().build())) {
            assertEquals(1, records(reopened));
        }
    }

    /** The work ends as done, and once only. */
    private static void requireWhole(List<String> calls) {
        assertFalse(calls.isEmpty());
        List<String> done =
                calls.stream().filter(call -> call.matches("(\\d+) of \\1")).toList();
        assertEquals(List.of(calls.get(calls.size() - 1)), done);
    }
}
