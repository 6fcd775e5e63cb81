package dev.loom.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.console.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

final class ConfigFileTest {
    @TempDir
    Path temp;

    private ConfigFile read(String yaml) throws IOException {
        return ConfigFile.read(Files.writeString(temp.resolve("loom.yaml"), yaml));
    }

    @Test
    void shouldGiveSettingsByTheNamesOnTheWayToThem() throws IOException {
        ConfigFile config = read("""
                a:
                  b: {c: text, d: 5}
                  e: true
                  f: [x, 2]
                  g:
                """);
        assertEquals("text", config.text("a.b.c").orElseThrow());
        assertEquals("5", config.text("a.b.d").orElseThrow());
        assertEquals(5, config.count("a.b.d").orElseThrow());
        assertEquals(true, config.flag("a.e").orElseThrow());
        assertEquals(List.of("x", "2"), config.texts("a.f"));
        assertEquals(List.of("text"), config.texts("a.b.c"));
        assertTrue(config.text("a.g").isEmpty());
        assertTrue(config.text("a.h").isEmpty());
        config.requireNoOthers();
    }

    @Test
    void shouldBeWithoutSettingsWhenTheFileIsEmpty() throws IOException {
        read("").requireNoOthers();
        read("# nothing\n").requireNoOthers();
    }

    private static void requireFailure(String message, Executable executable) {
        CommandFailure failure = assertThrows(CommandFailure.class, executable);
        assertTrue(String.valueOf(failure.getMessage()).contains(message), failure.getMessage());
    }

    @Test
    void shouldSayWhatIsWrong() throws IOException {
        ConfigFile config = read("{a: [1], b: yes please, c: 0, d: {e: 1}}");
        requireFailure("name=a,", () -> config.text("a"));
        requireFailure("expected=true or false", () -> config.flag("b"));
        requireFailure("expected=a whole number", () -> config.count("c"));
        requireFailure("unknown settings: d.e, file=", config::requireNoOthers);
        requireFailure("not YAML", () -> read("a: {b"));
        requireFailure("not YAML", () -> read("a: 1\na: 2\n"));
        requireFailure("names and values", () -> read("- a"));
        requireFailure("can't read", () -> ConfigFile.read(temp.resolve("none")));
    }
}
