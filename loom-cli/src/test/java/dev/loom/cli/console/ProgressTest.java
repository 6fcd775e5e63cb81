package dev.loom.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private static final String CLEAR = "\r\u001b[K";

    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private long nowNs = 5;

    private Console console(Cli cli) {
        return cli.console(OutputStream.nullOutputStream(), err);
    }

    private String taken() {
        String text = err.toString(StandardCharsets.UTF_8);
        err.reset();
        return text;
    }

    private void pass(long ms) {
        nowNs += ms * 1_000_000;
    }

    @Test
    void shouldShowALineAfterASecondAndGiveWayToMessages() {
        Console console = console(new Cli().errTerminal());
        try (Progress progress = new Progress(console, "records", () -> nowNs)) {
            pass(999);
            progress.updateNow(1);
            assertEquals("", taken());
            pass(1);
            progress.updateNow(1_234);
            assertEquals(CLEAR + "1,234 records in 1 s, 1,234 a second", taken());
            progress.of(() -> 0.999);
            console.say("line 7: not good");
            assertEquals(CLEAR + "loom: line 7: not good\n", taken());
            pass(199);
            progress.updateNow(2_000);
            assertEquals("", taken());
            pass(1);
            progress.updateNow(2_001);
            assertEquals(CLEAR + "2,001 records in 1 s, 1,668 a second, 99 %, 1 s left", taken());
        }
        assertEquals(CLEAR, taken());
        console.say("done");
        assertEquals("loom: done\n", taken());
    }

    @Test
    void shouldSayHowMuchTimeIsLeft() {
        Map.of(0.5, "50 %, 10 s left", 0.05, "5 %, 3 min left", 0.0005, "0 %, 6 h left", 0.0, "0 %", 1.0, "100 %")
                .forEach((share, text) -> {
                    Console console = console(new Cli().errTerminal());
                    try (Progress progress = new Progress(console, "records", () -> nowNs)) {
                        pass(10_000);
                        progress.of(() -> share);
                        progress.updateNow(10);
                        assertEquals(CLEAR + "10 records in 10 s, 1 a second, " + text, taken());
                    }
                    err.reset();
                });
    }

    @Test
    void shouldLookAtTheClockNowAndThenWhenCalledForEachRecord() {
        try (Progress progress = new Progress(console(new Cli().errTerminal()), "records", () -> nowNs)) {
            pass(2_000);
            for (int i = 1; i < 256; i++) {
                progress.update(i);
            }
            assertEquals("", taken());
            progress.update(256);
            assertEquals(CLEAR + "256 records in 2 s, 128 a second", taken());
        }
    }

    @Test
    void shouldFollowTheStoresWorkUntilTheCommandIsInterrupted() {
        Console console = console(new Cli().errTerminal());
        try (Progress progress = new Progress(console, "MiB read", () -> nowNs)) {
            pass(2_000);
            assertTrue(progress.onProgress(3 << 20, 12 << 20));
            assertEquals(CLEAR + "3 MiB read in 2 s, 2 a second, 25 %, 6 s left", taken());
            pass(2_000);
            assertTrue(progress.onProgress(4 << 20, 0));
            assertEquals(CLEAR + "4 MiB read in 4 s, 1 a second", taken());
            assertTrue(progress.onProgress(0, 12 << 20));
            pass(1_000);
            assertTrue(progress.onProgress(6 << 20, 12 << 20));
            assertEquals(CLEAR + "6 MiB read in 1 s, 6 a second, 50 %, 1 s left", taken());
            console.interruption().request();
            assertFalse(progress.onProgress(5 << 20, 12 << 20));
        }
    }

    @Test
    void shouldTakeThePlaceOfALineThatIsStillShown() {
        Console console = console(new Cli().errTerminal());
        try (Progress outer = new Progress(console, "records", () -> nowNs)) {
            pass(1_000);
            outer.updateNow(7);
            assertEquals(CLEAR + "7 records in 1 s, 7 a second", taken());
            try (Progress inner = new Progress(console, "MiB read", () -> nowNs)) {
                assertEquals(CLEAR, taken());
                assertTrue(inner.onProgress(1 << 20, 0));
                assertEquals("", taken());
            }
        }
    }

    /** Both streams are of one terminal. */
    @Test
    void shouldGiveWayToOutputAndNeverBreakALineOfIt() {
        ByteArrayOutputStream terminal = err;
        Console console = new Cli().outTerminal().errTerminal().console(terminal, terminal);
        try (Progress progress = new Progress(console, "pages", () -> nowNs)) {
            pass(1_000);
            progress.updateNow(3);
            assertEquals(CLEAR + "3 pages in 1 s, 3 a second", taken());
            console.out().write("a\nb".getBytes(StandardCharsets.UTF_8), 0, 3);
            pass(1_000);
            progress.updateNow(4);
            assertEquals("", taken(), "while output waits to be sent");
            console.out().flush();
            assertEquals(CLEAR + "a\nb", taken());
            pass(1_000);
            progress.updateNow(5);
            assertEquals("", taken(), "within a line");
            console.out().write('\n');
            console.out().flush();
            progress.updateNow(6);
            assertEquals("\n" + CLEAR + "6 pages in 3 s, 2 a second", taken());
        }
        assertEquals(CLEAR, taken());
    }

    @Test
    void shouldSayNothingWhereThereIsNoTerminal() {
        try (Progress progress = new Progress(console(new Cli()), "records", () -> nowNs)) {
            pass(5_000);
            progress.updateNow(1);
        }
        assertEquals("", taken());
    }
}
