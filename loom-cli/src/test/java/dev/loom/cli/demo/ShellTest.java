package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import dev.loom.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ShellTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private final List<Map<String, String>> environments = new ArrayList<>();

    @Test
    void shouldTellTheTableOfACommand() {
        shell(new Cli(), false, 0).show("sources");
        assertEquals("$ ./loom sources\ntable …\n\n", told.toString(StandardCharsets.UTF_8));
        assertEquals("", out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldTellInAsciiWhereTheLocaleHasNoMore() {
        shell(new Cli().environment("LC_ALL", "C"), false, 0).show("sources");
        assertEquals("$ ./loom sources\ntable ~\n\n", told.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldPrintJsonToStandardOutputWhenAskedFor() {
        shell(new Cli(), true, 0).show("sources");
        assertEquals("$ ./loom sources\n", told.toString(StandardCharsets.UTF_8));
        assertEquals("{\"records\":7}\n", out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldReturnTheRowsOfACommandWithoutTellingThem() {
        List<CliRow> rows = shell(new Cli(), false, 0).ask("sources");
        assertEquals(7, rows.get(0).integer("records"));
        assertEquals("", told.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldKeepTheUsersDefaultsFromTheCommands() {
        Cli cli = new Cli()
                .environment("LOOM_DIR", "/users")
                .environment("LOOM_LIMIT", "0")
                .environment("LOOM_DEBUG", "1")
                .environment("COLUMNS", "300")
                .environment("HOME", "/root");
        shell(cli, false, 0).ask("sources");
        assertEquals(
                Map.of("LOOM_DIR", "/d", "LOOM_DEBUG", "1", "COLUMNS", "80", "HOME", "/root", "NO_COLOR", "1"),
                environments.get(0));
    }

    @Test
    void shouldFailWithTheErrorOfACommandThatFails() {
        IllegalStateException failure = assertThrows(
                IllegalStateException.class, () -> shell(new Cli(), false, 3).ask("sources"));
        assertTrue(failure.getMessage().contains("store is missing"), failure::getMessage);
        assertTrue(failure.getMessage().contains("exitCode=3"), failure::getMessage);
    }

    private Shell shell(Cli cli, boolean json, int exitCode) {
        DemoCommand.CommandRunner runner = (console, arguments) -> {
            environments.add(console.environment());
            byte[] answer =
                    (console.outTerminal() ? "table …\n" : "{\"records\":7}\n").getBytes(StandardCharsets.UTF_8);
            console.out().write(answer, 0, answer.length);
            console.out().flush();
            if (exitCode != 0) {
                console.err().println("store is missing");
            }
            return exitCode;
        };
        Console console = cli.console(out, OutputStream.nullOutputStream());
        Narrator narrator = new Narrator(new PrintStream(told, true, StandardCharsets.UTF_8), 300, false);
        return new Shell(runner, console, narrator, json, Path.of("/d"));
    }
}
