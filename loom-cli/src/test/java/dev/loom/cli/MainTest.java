package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.console.Console;
import dev.loom.cli.option.EnvironmentDefaults;
import dev.loom.server.text.DataOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

class MainTest {
    @TempDir
    Path directory;

    @Test
    void shouldRefuseToDoNothing() {
        Cli.on(directory).run().exit(2).says("no command given; see loom --help");
    }

    @Test
    void shouldGuessWhatWasMeant() {
        Cli cli = Cli.on(directory);
        cli.importText("requests", "lines", "a\n").ok();
        cli.run("scna").exit(2).says("Unmatched argument at index 0: 'scna'; did you mean scan?; see loom --help");
        cli.run("scan", "requests", "--limti", "3")
                .exit(2)
                .says("Unknown options: '--limti', '3'; did you mean --limit?; see loom scan --help");
        cli.run("scan", "request").exit(2).says("no such source: request; did you mean requests?; sources: requests");
    }

    @Test
    void shouldTellOfVariablesThatNothingComesFrom() {
        Cli cli = Cli.on(directory);
        cli.importText("requests", "lines", "a\n").ok();
        cli.environment("LOOM_DEBUG", "").environment("LOOM_LIMIT", "1").environment("LOOM_JAVA_OPTS", "-Xmx1g");
        assertEquals("", cli.run("sources").ok().err());
        cli.environment("LOOM_LIMTI", "1")
                .run("sources")
                .ok()
                .says("unknown environment variable is ignored: name=LOOM_LIMTI; did you mean LOOM_LIMIT?");
        // what Kubernetes sets for a service named loom is nobody's mistake
        cli.environment("LOOM_SERVICE_HOST", "10.0.0.1")
                .environment("LOOM_SERVICE_PORT_GRPC", "4317")
                .environment("LOOM_(_SERVICE_HOST", "of a name that is no pattern")
                .environment("LOOM_PORT", "tcp://10.0.0.1:4317")
                .environment("LOOM_PORT_4317_TCP_ADDR", "10.0.0.1");
        assertEquals(1, cli.run("sources").ok().err().lines().count());
        // the demo takes none of them, so its own options are none of a variable either
        Cli demo = Cli.on(directory).environment("LOOM_SEED", "1");
        assertTrue(demo.run("sources").ok().err().contains("name=LOOM_SEED"));
    }

    /** As when memory runs out: what waits for the command's end must not take it for an interruption. */
    @Test
    void shouldSayThatItFailedByAnError() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                InputStream.nullInputStream(),
                new DataOutput(OutputStream.nullOutputStream(), false),
                err,
                false,
                false,
                Map.of("LOOM_DIR", directory.toString()),
                () -> {
                    throw new OutOfMemoryError("injected");
                });
        Cli.on(directory).importText("requests", "lines", "a\n").ok();
        assertEquals(1, Main.run(console, "scan", "requests", "--from", "now-1h"));
        assertEquals(
                "loom: internal error: java.lang.OutOfMemoryError: injected; set LOOM_DEBUG=1 for details\n",
                err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldHelpWithACommand() {
        Cli cli = Cli.on(directory);
        List<String> listed = cli.run("help").ok().lines();
        List<String> commands = listed.subList(listed.indexOf("Commands:") + 1, listed.indexOf("")).stream()
                .filter(line -> line.matches("  \\w.*"))
                .map(line -> line.trim().split(" ", 2)[0])
                .toList();
        assertTrue(commands.contains("scan") && commands.size() > 15, commands::toString);
        for (String command : commands) {
            // the one is asked of the command alone, the other among all
            assertEquals(
                    cli.run(command, "--help").ok().out(),
                    cli.run("help", command).ok().out());
        }
        assertTrue(cli.run("help").ok().out().startsWith("Usage: loom"));
        cli.run("help", "nothing").exit(2);
    }

    @Test
    void shouldTellUnknownCommandsAndOptionsInOneLine() {
        Cli.on(directory)
                .run("frobnicate")
                .exit(2)
                .says("Unmatched argument at index 0: 'frobnicate'; see loom --help");
        Cli.on(directory).run("scan", "--bad", "x").exit(2).says("Unknown option: '--bad'; see loom scan --help");
        Cli.on(directory).run("scan").exit(2).says("Missing required parameter: 'SOURCE'; see loom scan --help");
    }

    @Test
    void shouldPrintHelpAsData() {
        Cli.Result help = Cli.on(directory).run("scan", "--help").ok();
        assertTrue(help.out().startsWith("Usage: loom scan "), help.out());
        assertEquals("", help.err());
        assertFalse(help.out().contains("\u001b"));
    }

    @Test
    void shouldColourHelpOnATerminalUnlessToldNotTo() {
        assertTrue(Cli.on(directory).outTerminal().run("--help").ok().out().contains("\u001b[1m"));
        assertFalse(Cli.on(directory)
                .outTerminal()
                .environment("NO_COLOR", "1")
                .run("--help")
                .ok()
                .out()
                .contains("\u001b"));
    }

    @Test
    void shouldSayInWholeSentencesWhatCommandsDo() {
        List<String> help = Cli.on(directory).run("--help").ok().lines();
        List<String> commands = help.subList(help.indexOf("Commands:") + 1, help.indexOf(""));
        for (String command : String.join("\n", commands).split("\n(?=  \\w)", -1)) {
            assertTrue(command.endsWith("."), command);
        }
    }

    @Test
    void shouldListOnlyCommandsThatThereAre() {
        String help = Cli.on(directory).run("--help").ok().out();
        assertTrue(help.contains("\n  export "), help);
        assertFalse(help.contains("\n  merge "), help);
    }

    @Test
    void shouldAskForAStore() {
        new Cli().run("sources").exit(2).says("no store given; use --dir or set LOOM_DIR");
        new Cli().environment("LOOM_DIR", "").run("sources").exit(2).says("no store given; use --dir or set LOOM_DIR");
    }

    @Test
    void shouldPreferFlagsToVariables() {
        Path other = directory.resolve("other");
        Cli.on(other).importText("lines", "lines", "a\n").ok();
        Path none = directory.resolve("none");
        assertTrue(Cli.on(none).run("sources").exit(3).err().contains(none.toString()));
        assertEquals(
                1,
                Cli.on(none)
                        .run("sources", "--dir", other.toString())
                        .ok()
                        .lines()
                        .size());
    }

    @Test
    void shouldTakeAnyOptionFromItsVariable() {
        Cli cli = Cli.on(directory).environment("LOOM_LIMIT", "2").environment("LOOM_OUTPUT", "raw");
        cli.importText("lines", "lines", "a\nb\nc\n").ok();
        assertEquals("c\nb\n", cli.run("scan", "lines").ok().out());
        assertEquals("c\n", cli.run("scan", "lines", "--limit", "1").ok().out());
    }

    /** A flag is no change of what its variable says. */
    @Test
    void shouldTakeAFlagAsTrueWhateverItsVariableSays() {
        Cli.on(directory).importText("lines", "lines", "a\nb\n").ok();
        for (String value : List.of("true", "false", "")) {
            Cli cli = Cli.on(directory).environment("LOOM_EXPLAIN", value);
            assertFalse(cli.run("scan", "lines", "--explain").ok().err().isEmpty(), value);
            assertEquals(
                    "true".equals(value), !cli.run("scan", "lines").ok().err().isEmpty(), value);
        }
        Console console = new Cli().console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
        requireFallbacks(Main.commandLine(console, new Failures(console), new EnvironmentDefaults(Map.of()))
                .getCommandSpec());
        Cli ascending = Cli.on(directory).environment("LOOM_ASC", "true").environment("LOOM_OUTPUT", "raw");
        assertEquals("a\nb\n", ascending.run("scan", "lines", "--asc").ok().out());
    }

    private static void requireFallbacks(CommandSpec command) {
        for (OptionSpec option : command.options()) {
            boolean flag = option.arity().max() == 0 && !option.usageHelp() && !option.versionHelp();
            if (flag && !option.negatable()) {
                assertEquals("true", option.fallbackValue(), command.qualifiedName() + " " + option);
            }
        }
        command.subcommands().values().forEach(subcommand -> requireFallbacks(subcommand.getCommandSpec()));
    }

    @Test
    void shouldPreferTheTypedBeginningOfARangeToAVariable() {
        Cli.on(directory).importText("lines", "lines", "a\n").ok();
        Cli since = Cli.on(directory).environment("LOOM_SINCE", "1h");
        assertEquals(
                1,
                since.run("scan", "lines", "--from", "2020-01-01").ok().lines().size());
        assertEquals(
                0,
                since.run("scan", "lines", "--from", "2100-01-01").ok().lines().size());
        Cli from = Cli.on(directory).environment("LOOM_FROM", "2100-01-01");
        assertEquals(0, from.run("scan", "lines").ok().lines().size());
        assertEquals(
                1, from.run("scan", "lines", "--since", "200000h").ok().lines().size());
        from.run("scan", "lines", "--since", "1h", "--from", "2020-01-01").exit(2);
    }

    @Test
    void shouldTakeAnArgumentThatBeginsWithAnAtSignAsItIs() throws IOException {
        Cli cli = Cli.on(directory);
        cli.importText("lines", "lines", "a\n").ok();
        Path file = Files.writeString(directory.resolve("arguments"), "lines");
        for (String argument : List.of("@" + file, "@" + directory)) {
            cli.run("scan", argument).exit(2).says("no such source: " + argument + "; sources: lines");
        }
    }

    /** One is set for queries, others for a server, or for exports to an endpoint. */
    @Test
    void shouldExportWhereAVariableHasTheNameOfAnotherOption() {
        Cli.on(directory).importText("lines", "lines", "a\n").ok();
        Cli cli = Cli.on(directory)
                .environment("LOOM_OUTPUT", "json")
                .environment("LOOM_HEADER", "a=b")
                .environment("LOOM_TLS_CERT", "none")
                .environment("LOOM_TLS_KEY", "none");
        assertTrue(cli.run("export", "--format", "csv").ok().out().contains(",lines,"));
        assertFalse(Files.exists(Path.of("json")));
        cli.run("export", "--format", "csv", "--header", "a=b")
                .exit(2)
                .says("--header, --compression, --retry-for and --tls-... are for --endpoint");
    }

    /** They are set for commands that can use them; only what is typed is refused. */
    @Test
    void shouldLeaveOutVariablesThatACommandCanNotUse() {
        Cli.on(directory).importText("lines", "lines", "a\n").ok();
        Cli.on(directory).importText("rows", "csv", "n\n1\n2\n").ok();
        Cli cli = Cli.on(directory)
                .environment("LOOM_LIMIT", "1")
                .environment("LOOM_ORDER", "key")
                .environment("LOOM_STEP", "10s")
                .environment("LOOM_WITHIN", "1%")
                .environment("LOOM_FIELD", "line");
        cli.run("hist", "rows", "n").ok();
        cli.run("hist", "rows", "n", "--step", "10s").exit(2).says("--step requires --by time");
        cli.run("search", "lines", "a").ok();
        cli.run("search", "lines", "a", "--within", "1%").exit(2).says("--within requires --count");
        cli.run("tail", "lines").ok();
        cli.run("tail", "lines", "--field", "line").exit(2).says("--field requires a query");
        String all = directory.resolve("exported.loom").toString();
        Cli exporter = Cli.on(directory)
                .environment("LOOM_SOURCE", "rows")
                .environment("LOOM_COLUMN", "n")
                .environment("LOOM_LINK_TYPE", "101")
                .environment("LOOM_FORCE", "true");
        exporter.run("export").ok();
        String told = exporter.run("export", "--output", all).ok().err();
        assertTrue(told.contains(" records of 2 sources "), told);
        assertEquals(
                2,
                exporter.run("export", "lines", "--format", "csv").ok().lines().size(),
                "a header and a row");
        exporter.run("export", "--output", all, "--link-type", "101").exit(2);
        exporter.run("export", "--output", all, "--column", "n").exit(2);
        exporter.run("export", "rows", "--format", "csv", "--force").exit(2);
        Cli.on(directory)
                .environment("LOOM_EVENT_CLOCK", "monotonic")
                .environment("LOOM_EVENT_AT", "start")
                .importText("lines", "lines", "c\n")
                .ok();
        String timesTold = Cli.on(directory)
                .environment("LOOM_EVENT_CLOCK", "monotonic")
                .importText("clocked", "lines", "2026-11-21T02:46:33Z d\n")
                .ok()
                .err();
        assertFalse(timesTold.contains("monotonic"), timesTold);
        Cli.on(directory)
                .run("import", "--source", "b", "--format", "lines", "--event-at", "start", all)
                .exit(2)
                .says("--event-clock, --clock-pair, --event-time-unit and --event-at need --event-time");
        Cli kept = Cli.on(directory)
                .environment("LOOM_STAGING", "none")
                .environment("LOOM_REMOVE", "missing")
                .environment("LOOM_MAX_BYTES", "1TiB")
                .environment("LOOM_SHOW", "true");
        kept.run("info").ok();
        kept.run("info", "--remove", "missing").exit(2).says("--staging and --remove go with --all");
        kept.run("retain", "--show").ok();
        kept.run("retain", "--show", "--max-bytes", "1TiB")
                .exit(2)
                .says("--show changes nothing; leave it out, or the limits");
        Cli timed = Cli.on(directory).environment("LOOM_TIME", "event");
        timed.run("export", "--output", directory.resolve("all.loom").toString())
                .ok();
        timed.run(
                        "export",
                        "--time",
                        "event",
                        "--output",
                        directory.resolve("event.loom").toString())
                .exit(2);
        Cli.on(directory.resolve("copy"))
                .environment("LOOM_SOURCE", "rows")
                .environment("LOOM_TO_SIDECAR", "127.0.0.1:1")
                .environment("LOOM_POLICY", "drop-newest")
                .environment("LOOM_EVENT_TIME", "ts")
                .environment("LOOM_TYPES", "n:u8")
                .environment("LOOM_TIME_PATTERN", "none")
                .environment("LOOM_WHOLE_ROWS", "true")
                .environment("LOOM_DELIMITER", ";")
                .run(
                        "import",
                        "--format",
                        "archive",
                        directory.resolve("all.loom").toString())
                .ok();
        Cli.on(directory)
                .environment("LOOM_PREFIX", "web1")
                .environment("LOOM_BY_HOST", "true")
                .environment("LOOM_TYPES", "n:u8")
                .importText("more", "lines", "b\n")
                .ok();
        Cli limited = Cli.on(directory)
                .environment("LOOM_LIMIT", "1")
                .environment("LOOM_ORDER", "key")
                .environment("LOOM_WITHIN", "1%");
        limited.run("agg", "rows", "n").ok();
        limited.run("agg", "rows", "n", "--limit", "1").exit(2).says("--limit requires --by");
        assertEquals(2, limited.run("agg", "rows", "--by", "n").ok().lines().size(), "one group, and the others");
    }

    /** To write into another store than the one that is named would be worse than to refuse. */
    @Test
    void shouldPreferATypedDirectoryToTheVariableOfASidecar() {
        Cli cli = Cli.on(directory).environment("LOOM_TO_SIDECAR", "127.0.0.1:1");
        cli.run("source", "add", "a", "--format", "text", "--dir", directory.toString())
                .ok();
        cli.run("source", "close", "a", "--dir", directory.toString()).ok();
        cli.run("source", "add", "a", "--format", "text").exit(5);
        cli.run("source", "add", "a", "--format", "text", "--dir", directory.toString(), "--to-sidecar", "127.0.0.1:1")
                .exit(2)
                .says("--dir and --to-sidecar can't be combined; the sidecar has its own directory");
    }

    @Test
    void shouldTraceFailuresOnlyWhenAsked() {
        Path none = directory.resolve("none");
        assertEquals(1, Cli.on(none).run("info").exit(3).err().lines().count());
        String traced =
                Cli.on(none).environment("LOOM_DEBUG", "1").run("info").exit(3).err();
        assertTrue(traced.contains("StoreNotFoundException"), traced);
    }

    @Test
    void shouldTellAForeignDirectoryAndALockedStore() throws IOException {
        Files.writeString(directory.resolve("notes.txt"), "not a store");
        assertEquals(1, Cli.on(directory).run("sources").exit(3).err().lines().count());
    }

    @Test
    void shouldNameTheSourcesThereAre() {
        Cli cli = Cli.on(directory);
        cli.run("source", "add", "a").ok();
        cli.run("scan", "b").exit(2).says("no such source: b; sources: a");
        Cli other = Cli.on(directory.resolve("other"));
        other.importText("c", "csv", "").exit(4);
        other.run("tail", "c").exit(2).says("no such source: c; the store has no sources yet");
    }

    @Test
    void shouldEscapeWhatControlsATerminalInMessages() {
        Path none = directory.resolve("\u001b[31mred\u202e");
        String err = Cli.on(none).run("sources").exit(3).err();
        assertTrue(err.contains("\\u001b[31mred\\u202e"), err);
    }

    @Test
    void shouldEndQuietlyWhenNobodyReads() {
        Cli cli = Cli.on(directory);
        cli.importText("lines", "lines", "a\n".repeat(100_000)).ok();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        Console console = cli.console(closed, err);
        assertEquals(0, Main.run(console, "scan", "lines"));
        assertEquals("", err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void shouldFailWhenOutputCannotBeWritten() {
        Cli cli = Cli.on(directory);
        cli.importText("lines", "lines", "a\n".repeat(100_000)).ok();
        OutputStream full = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        for (String command : new String[] {"scan lines", "scan lines --limit 1", "sources", "--help"}) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            assertEquals(1, Main.run(cli.console(full, err), command.split(" ", -1)), command);
            assertEquals(
                    "loom: input or output failed: No space left on device\n", err.toString(StandardCharsets.UTF_8));
        }
    }

    @Test
    void shouldTellItsVersion() {
        assertTrue(Cli.on(directory).run("--version").ok().out().startsWith("loom "));
    }
}
