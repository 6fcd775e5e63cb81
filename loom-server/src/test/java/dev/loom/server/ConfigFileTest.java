package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

final class ConfigFileTest {
    @TempDir
    Path temp;

    private ConfigFile read(String yaml) throws IOException {
        return ConfigFile.read(Files.writeString(temp.resolve("loom.yaml"), yaml), Map.of());
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

    /** As where all settings of a section are comments. */
    @Test
    void shouldTakeASectionWithoutSettings() throws IOException {
        ConfigFile config = read("{a: , b: {}}");
        assertTrue(config.text("a.c").isEmpty());
        assertTrue(config.text("b.c").isEmpty());
        config.requireNoOthers();
    }

    @Test
    void shouldBeWithoutSettingsWhenTheFileIsEmpty() throws IOException {
        read("").requireNoOthers();
        read("# nothing\n").requireNoOthers();
        read("{}").requireNoOthers();
    }

    private ConfigFile read(String yaml, Map<String, String> environment) throws IOException {
        return ConfigFile.read(Files.writeString(temp.resolve("loom.yaml"), yaml), environment);
    }

    @Test
    void shouldReplaceVariablesOfTheEnvironment() throws IOException {
        ConfigFile config = read(
                """
                a: ${HOME}/store
                b: ["${env:HOME}", "x${NAME_2}y${HOME}"]
                c: ${COUNT}
                d: ${env:FLAG}
                e: price $$5 $HOME $${HOME} $
                f: ${EMPTY}
                g: ${env:NONE:-5s} ${NONE:-}
                h: ${DOLLARS}
                "${HOME}": kept
                """,
                Map.of(
                        "HOME", "/home/me",
                        "NAME_2", "b",
                        "COUNT", "7",
                        "FLAG", "true",
                        "EMPTY", "",
                        "DOLLARS", "$$${HOME}"));
        assertEquals("/home/me/store", config.text("a").orElseThrow());
        assertEquals(List.of("/home/me", "xby/home/me"), config.texts("b"));
        assertEquals(7, config.count("c").orElseThrow());
        assertEquals("7", config.text("c").orElseThrow());
        assertEquals(true, config.flag("d").orElseThrow());
        assertEquals("price $5 $HOME ${HOME} $", config.text("e").orElseThrow());
        assertTrue(config.text("f").isEmpty());
        assertEquals("5s ", config.text("g").orElseThrow());
        assertEquals("$$${HOME}", config.text("h").orElseThrow());
        assertEquals("kept", config.text("${HOME}").orElseThrow());
        config.requireNoOthers();
    }

    @Test
    void shouldSayWhichVariableIsNotSet() {
        String file = ", file=" + temp.resolve("loom.yaml");
        Map<String, String> none = Map.of();
        requireFailure(
                "environment variable is not set: name=NONE, setting=a.b" + file,
                () -> read("a: {b: '${NONE}'}", none));
        requireFailure(
                "environment variable is not set: name=NO_2, setting=a" + file, () -> read("a: ['${env:NO_2}']", none));
        for (String bad : List.of("${", "${HOME", "${}", "${file:x}", "${a b}", "${1}")) {
            requireFailure("reference is not ${NAME}", () -> read("a: '" + bad + "'", Map.of("HOME", "h")));
        }
        requireFailure(
                "expected=a positive integer",
                () -> read("a: '${COUNT}'", Map.of("COUNT", "many")).count("a"));
    }

    private static void requireFailure(String message, Executable executable) {
        IllegalArgumentException failure = assertThrows(IllegalArgumentException.class, executable);
        assertTrue(String.valueOf(failure.getMessage()).contains(message), failure.getMessage());
    }

    @Test
    void shouldSayWhatIsWrong() throws IOException {
        ConfigFile config = read("{a: [1], b: yes please, c: 0, d: {e: 1}}");
        requireFailure("name=a,", () -> config.text("a"));
        requireFailure("expected=true or false", () -> config.flag("b"));
        requireFailure("expected=a positive integer", () -> config.count("c"));
        requireFailure("unknown settings: d.e, file=", config::requireNoOthers);
        requireFailure("unknown settings: null, file=", read("null: 3\n")::requireNoOthers);
        requireFailure("unknown settings: a.b, c, d, file=", read("{a: {b: }, c: null, d: {}}")::requireNoOthers);
        requireFailure("not YAML", () -> read("a: {b"));
        requireFailure("not YAML", () -> read("a: 1\na: 2\n"));
        requireFailure("not a mapping", () -> read("- a"));
        requireFailure(
                "can't read the configuration: file=" + temp.resolve("none") + ", reason=no such file",
                () -> ConfigFile.read(temp.resolve("none"), Map.of()));
    }
}
