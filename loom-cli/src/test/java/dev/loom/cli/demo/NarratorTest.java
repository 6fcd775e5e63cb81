package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class NarratorTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void shouldPrintPlainTextWhenThereIsNoColour() {
        tell(false);
        assertEquals(
                "\nPart\n  1.5 ms of 1,000\n\n  $ loom sources\n    {}\n  true      it holds\n  NOT TRUE  it does not\n",
                out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldPrintTheSameTextInColour() {
        tell(true);
        String expected = """

                <bold>Part<reset>
                  1.5 ms of 1,000

                <cyan>  $ loom sources<reset>
                    {}
                <green>  true      <reset>it holds
                <red>  NOT TRUE  <reset>it does not
                """.replace("<bold>", "\u001b[1m")
                .replace("<cyan>", "\u001b[36m")
                .replace("<green>", "\u001b[32m")
                .replace("<red>", "\u001b[31m")
                .replace("<reset>", "\u001b[0m");
        assertEquals(expected, out.toString(StandardCharsets.UTF_8));
    }

    private void tell(boolean colour) {
        Narrator narrator = new Narrator(new PrintStream(out, true, StandardCharsets.UTF_8), colour);
        narrator.heading("Part");
        narrator.say("  %.1f ms of %,d", 1.5, 1000);
        narrator.command("loom sources");
        narrator.output("{}");
        narrator.check(true, "it holds");
        narrator.check(false, "it does not");
    }
}
