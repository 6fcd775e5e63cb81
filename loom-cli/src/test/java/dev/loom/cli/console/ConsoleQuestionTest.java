package dev.loom.cli.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConsoleQuestionTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void shouldReadOneLineForEachQuestion() throws IOException {
        Console console = new Cli().input("UTC\n\nno end").console(err, err);
        assertEquals(Optional.of("UTC"), console.ask("zone: "));
        assertEquals(Optional.of(""), console.ask("year of \u0007: "));
        assertEquals(Optional.empty(), console.ask("date: "));
        assertEquals("loom: zone: loom: year of \\u0007: loom: date: ", err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldEndAQuestionAtAnInterruption() throws IOException {
        try (PipedOutputStream keyboard = new PipedOutputStream();
                PipedInputStream in = new PipedInputStream(keyboard)) {
            Console console = new Cli().input(in).console(err, err);
            console.interruption().request();
            CommandFailure failure = assertThrows(CommandFailure.class, () -> console.ask("zone: "));
            assertEquals(ExitCode.INTERRUPTED, failure.exitCode());
        }
    }

    @Test
    void shouldAskOnlyWhereBothAreTerminals() {
        assertFalse(new Cli().console(err, err).asks());
        assertFalse(new Cli().inTerminal().console(err, err).asks());
        assertFalse(new Cli().errTerminal().console(err, err).asks());
        assertTrue(new Cli().inTerminal().errTerminal().console(err, err).asks());
    }
}
