package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.server.text.DataOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
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
    private static final int COMPARISONS = 6;

    @TempDir
    private Path folder;

    @Test
    void shouldTellWhatHappenedInEightyColumnsAndLeaveTheStore() {
        Path directory = folder.resolve("store");
        Cli.Result result = new Cli().run("demo", "--seconds", "1", "--dir", directory.toString());

        result.exit(ExitCode.OK);
        assertEquals(COMPARISONS, occurrences(result.out(), "\n  true  "), result::out);
        assertFalse(result.out().contains("NOT TRUE"), result::out);
        assertFalse(result.out().contains("\u001b"), "colour though there is no terminal");
        assertFalse(result.out().contains("{"), "json though nobody asked for it");
        List<String> wide = result.lines().stream()
                .filter(line -> line.length() > 80 && !line.contains("LOOM_DIR"))
                .toList();
        assertEquals(List.of(), wide);
        assertTrue(result.out().contains("^^^^^^^^^^^ its length"), result::out);
        assertEquals(3, Cli.on(directory).run("sources").ok().lines().size());
        assertDamaged(directory);
        assertDifferent(directory, result.out());
    }

    /** The slow requests are those that were sent twice, as the command that the demo suggests says. */
    private static void assertDifferent(Path directory, String story) {
        String command = story.lines()
                .filter(line -> line.contains("./loom diff requests"))
                .findFirst()
                .orElseThrow();
        String where = command.substring(command.indexOf('\'') + 1, command.lastIndexOf('\''));
        int all = rows(directory, "scan", "requests").size();
        int slow = rows(directory, "scan", "requests", "--where", where).size();
        int twice =
                rows(directory, "scan", "requests", "--where", "attempts == 2").size();
        int both = rows(directory, "scan", "requests", "--where", '(' + where + ") and attempts == 2")
                .size();
        assertTrue(both >= 4, "slow and sent twice: " + both); // more if the machine stood still meanwhile
        String begin = "{\"field\":\"attempts\",\"value\":2,";
        String row = Cli.on(directory).run("diff", "requests", "--where", where).ok().lines().stream()
                .filter(line -> line.startsWith(begin))
                .findFirst()
                .orElseThrow();
        String counts = "\"selected\":" + both + ",\"selected_of\":" + slow + ",\"against\":" + (twice - both)
                + ",\"against_of\":" + (all - slow) + ',';
        assertTrue(row.startsWith(begin + counts), row);
        assertEquals(slow == both && twice == both, row.contains("\"exactly_selected\":true"), row);
    }

    /** Looks at the store as the demo left it: each damaged packet has one wrong bit, and made the server wait for more. */
    private static void assertDamaged(Path directory) {
        List<CliRow> damaged = rows(directory, "scan", "packets", "--where", "frame_length > 255");
        assertEquals(4, damaged.size());
        for (CliRow packet : damaged) {
            long right = packet.integer("length") - Integer.BYTES;
            assertEquals(1, Long.bitCount(packet.integer("frame_length") ^ right), packet::toString);
            List<CliRow> calls =
                    rows(directory, "scan", "socket_ops", "--where", "peer_port == " + packet.integer("src_port"));
            assertEquals(0, calls.get(0).integer("ret"), "the newest call on that connection");
            assertEquals(packet.integer("length"), calls.get(1).integer("ret"));
        }
        List<CliRow> requests = rows(directory, "scan", "requests", "--asc");
        for (int i = 0; i < requests.size(); i++) {
            assertEquals(i, requests.get(i).integer("id"));
        }
    }

    private static List<CliRow> rows(Path directory, String... command) {
        return Cli.on(directory).run(command).ok().lines().stream()
                .map(CliRow::new)
                .toList();
    }

    @Test
    void shouldPrintOnlyJsonWhenAskedFor() {
        Path directory = folder.resolve("store");
        Cli.Result result =
                new Cli().run("demo", "--seconds", "1", "-o", "json", "--no-keep", "--dir", directory.toString());
        result.exit(ExitCode.OK);
        result.lines().forEach(line -> assertTrue(line.startsWith("{") && line.endsWith("}"), line));
        assertTrue(result.out().contains("\"frame_length\""), result::out);
        assertTrue(result.err().contains("$ ./loom hist requests latency_ns"), result::err);
    }

    @Test
    void shouldDrawInAsciiAndInColourAsTheTerminalAllows() {
        Cli.Result plain = new Cli()
                .outTerminal()
                .environment("LC_ALL", "C")
                .environment("NO_COLOR", "1")
                .environment("COLUMNS", "50")
                .run("demo", "--seconds", "1", "--no-keep")
                .ok();
        assertTrue(plain.out().chars().allMatch(c -> c < 128), plain::out);
        assertFalse(plain.out().contains("\u001b"), plain::out);
        Cli.Result colour = new Cli()
                .outTerminal()
                .environment("COLUMNS", "200")
                .run("demo", "--seconds", "1", "--no-keep")
                .ok();
        assertTrue(colour.out().contains("\u001b[48;5;"), colour::out);
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
        assertTrue(text.contains("NOT TRUE  damaged packets: the filter counted 4, the commands found 3"), text);
        assertFalse(Files.exists(directory), "the store stayed");
    }

    @Test
    void shouldRefuseADirectoryThatIsNotEmpty() throws IOException {
        Path file = Files.writeString(folder.resolve("precious"), "data");
        Cli.Result result = new Cli().run("demo", "--no-keep", "--dir", folder.toString());
        result.exit(ExitCode.USAGE).says("demo directory is not empty, choose another with --dir: dir=" + folder);
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
        Console inner = new Console(
                InputStream.nullInputStream(),
                new DataOutput(out, false),
                OutputStream.nullOutputStream(),
                console.outTerminal(),
                false,
                console.environment(),
                console::nowNs);
        int exitCode = Main.run(inner, arguments);
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
