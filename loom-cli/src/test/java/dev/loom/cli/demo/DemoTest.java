package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The whole demo, with the real command line and the real store. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class DemoTest {
    private static final int COMPARISONS = 7;

    @TempDir
    private Path folder;

    @Test
    void shouldFindWhatHappenedAndLeaveTheStore() {
        Path directory = folder.resolve("store");
        Cli.Result result = new Cli().run("demo", "--seconds", "1", "--dir", directory.toString());

        result.exit(ExitCode.OK);
        assertEquals(COMPARISONS, occurrences(result.out(), "\n  true  "), result::out);
        assertFalse(result.out().contains("NOT TRUE"), result::out);
        assertFalse(result.out().contains("\u001b"), "colour though there is no terminal");
        List<String> sources = Cli.on(directory).run("sources").ok().lines();
        assertEquals(DemoSource.values().length, sources.size());
    }

    @Test
    void shouldFailWhenACommandDoesNotFindWhatHappened() {
        Path directory = folder.resolve("store");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Console console = new Cli().console(out, OutputStream.nullOutputStream());
        DemoCommand forgetful = new DemoCommand(console, DemoTest::runForgetfully);

        int exitCode = new CommandLine(forgetful).execute("--seconds", "1", "--no-keep", "--dir", directory.toString());
        console.out().flush();

        String text = out.toString(StandardCharsets.UTF_8);
        assertEquals(ExitCode.INTERNAL, exitCode, text);
        assertTrue(text.contains("NOT TRUE  bad packets: counted by the filter 6, found 5"), text);
        assertFalse(Files.exists(directory), "the store stayed");
    }

    @Test
    void shouldRefuseADirectoryThatIsNotEmpty() throws IOException {
        Path file = Files.writeString(folder.resolve("precious"), "data");
        Cli.Result result = new Cli().run("demo", "--no-keep", "--dir", folder.toString());
        result.exit(ExitCode.USAGE).says("directory of the demo is not empty, give another by --dir: dir=" + folder);
        assertTrue(Files.exists(file));
    }

    @Test
    void shouldRefuseATimeThatIsNoTime() {
        new Cli().run("demo", "--seconds", "0").exit(ExitCode.USAGE).says("seconds must be 1 to 600: seconds=0");
        new Cli().run("demo", "--seconds", "601").exit(ExitCode.USAGE);
    }

    /** The command line, but that it keeps the newest bad packet to itself. */
    private static int runForgetfully(Console console, String... arguments) {
        if (!List.of(arguments).contains("frame_length > 255")) {
            return Main.run(console, arguments);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int exitCode = Main.run(new Cli().console(out, OutputStream.nullOutputStream()), arguments);
        byte[] bytes = out.toByteArray();
        int second = out.toString(StandardCharsets.UTF_8).indexOf('\n') + 1;
        console.out().write(bytes, second, bytes.length - second);
        console.out().flush();
        return exitCode;
    }

    private static int occurrences(String text, String part) {
        return text.split(part, -1).length - 1;
    }

    @Test
    void shouldLeaveTheStoreOfTheUserAlone() throws IOException {
        Path users = Files.createDirectory(folder.resolve("users"));
        Files.writeString(users.resolve("file"), "text");
        new Cli()
                .environment("LOOM_DIR", users.toString())
                .environment("LOOM_LIMIT", "0")
                .environment("LOOM_OUTPUT", "raw")
                .run("demo", "--seconds", "1", "--no-keep")
                .ok();
    }
}
