package dev.loom.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.format.Formats;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreProgressTest {
    private static final String CLEAR = "\r\u001b[K";
    private static final long MIB = 1 << 20;

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final Console console = new Cli().errTerminal().console(OutputStream.nullOutputStream(), err);
    private long nowNs = 5;

    private String taken() {
        String text = err.toString(StandardCharsets.UTF_8);
        err.reset();
        return text;
    }

    private void pass(long seconds) {
        nowNs += seconds * 1_000_000_000;
    }

    @Test
    void shouldTimeEachWorkByItselfAndLeaveNoLine() {
        try (StoreProgress progress = new StoreProgress(console, () -> nowNs)) {
            progress.onProgress(0, 10 * MIB);
            pass(2);
            progress.onProgress(4 * MIB, 10 * MIB);
            assertEquals(CLEAR + "4 MiB recovered, checked or indexed in 2 s, 2 a second, 40 %, 3 s left", taken());
            progress.onProgress(0, 8 * MIB);
            assertEquals(CLEAR, taken());
            pass(2);
            progress.onProgress(4 * MIB, 8 * MIB);
            assertEquals(CLEAR + "4 MiB recovered, checked or indexed in 2 s, 2 a second, 50 %, 2 s left", taken());
            progress.onProgress(8 * MIB, 8 * MIB);
            assertEquals(CLEAR, taken());
            pass(60); // in which the command does something else
            progress.onProgress(9 * MIB, 18 * MIB);
            assertEquals("", taken());
            pass(1);
            progress.onProgress(9 * MIB, 18 * MIB);
            assertEquals(CLEAR + "9 MiB recovered, checked or indexed in 1 s, 9 a second, 50 %, 1 s left", taken());
        }
        assertEquals(CLEAR, taken());
    }

    @Test
    void shouldSayNothingOfWhatAServersThreadsWriteLater() {
        StoreProgress progress = new StoreProgress(console, () -> nowNs);
        progress.close();
        console.interruption().request();
        assertTrue(progress.onProgress(0, MIB), "nor end it");
        pass(2);
        assertTrue(progress.onProgress(0, MIB));
        assertEquals("", taken());
    }

    @Test
    void shouldGiveACommandTimeAsLongAsItsStoreIsWritten(@TempDir Path store) {
        assumeTrue(ProcessWrites.bytes() > 0, "the kernel says what a process writes");
        Interruption interruption = console.interruption();
        try (StoreProgress progress = new StoreProgress(console, () -> nowNs);
                Loom loom = progress.open(LoomConfig.at(store).recordRingBytes(8 << 20))) {
            assertEquals(0, interruption.progress());
            progress.onProgress(1, 2);
            assertTrue(interruption.progress() > 0);
            progress.onProgress(2, 2);
            assertEquals(0, interruption.progress(), loom::toString);
        }
    }

    @Test
    void shouldFollowAStoreUntilItIsClosed(@TempDir Path store) {
        try (StoreProgress progress = new StoreProgress(console, () -> {
                    pass(2);
                    return nowNs;
                });
                Loom loom = progress.open(LoomConfig.at(store).recordRingBytes(8 << 20))) {
            int source = loom.defineSource("a", Formats.bytes());
            taken();
            loom.push(source, new byte[1 << 20]);
        }
        String shown = taken();
        assertTrue(shown.contains(" MiB written in "), shown);
        assertTrue(shown.endsWith(CLEAR), shown);
        assertFalse(shown.contains("recovered"), shown);
    }
}
