package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NarratorTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void shouldPrintPlainTextWhenThereIsNoColour() {
        tell(false);
        assertPrinted("""
            Part
            1.5 ms of 1,000

            $ ./loom sources
              true      it holds
              NOT TRUE  it does not
            """);
    }

    @Test
    void shouldPrintTheSameTextInColour() {
        tell(true);
        assertPrinted("""
            <bold>Part<reset>
            1.5 ms of 1,000

            <cyan>$ ./loom sources<reset>
            <green>  true      it holds<reset>
            <red>  NOT TRUE  it does not<reset>
            """.replace("<bold>", "\u001b[1m")
                .replace("<cyan>", "\u001b[36m")
                .replace("<green>", "\u001b[32m")
                .replace("<red>", "\u001b[31m")
                .replace("<reset>", "\u001b[0m"));
    }

    @Test
    void shouldWrapTextAtTheLastColumn() {
        narrator(1, false).say("a sentence of which just forty columns fit, and a second line");
        assertPrinted("a sentence of which just forty columns\nfit, and a second line\n");
    }

    @Test
    void shouldWrapACommandSoThatAShellTakesIt() {
        narrator(40, false)
                .command(List.of("scan", "requests", "--where", "op == 'GET' and latency_ns > 1ms", "--asc"));
        assertPrinted("""
            $ ./loom scan requests \\
                --where 'op == '\\''GET'\\'' and latency_ns > 1ms' \\
                --asc
            """);
    }

    private void tell(boolean colour) {
        Narrator narrator = narrator(200, colour);
        narrator.heading("Part");
        narrator.say("%.1f ms of %,d", 1.5, 1000);
        narrator.command(List.of("sources"));
        narrator.check(true, "it holds");
        narrator.check(false, "it does not");
    }

    private Narrator narrator(int columns, boolean colour) {
        return new Narrator(new PrintStream(out, true, StandardCharsets.UTF_8), columns, colour);
    }

    private void assertPrinted(String expected) {
        assertEquals(expected, out.toString(StandardCharsets.UTF_8));
    }
}
