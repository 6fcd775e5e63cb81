package dev.loom.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables as people see them on terminals. */
class TableTest {
    private static final String RED = "\u001b[1m\u001b[31m";
    private static final String PLAIN = "\u001b[0m";

    @TempDir
    Path directory;

    private Cli cli = new Cli();

    @BeforeEach
    void fill() {
        cli = Cli.onSmallStore(directory.resolve("store"));
        cli.importText(
                        "events",
                        "csv",
                        "at,level,text,took_ns,size_bytes,code\n"
                                + "2026-11-21T02:46:36.000000001Z,error,connection to db.example.org refused by the"
                                + " peer"
                                + " after a while,40512498,1536,7\n"
                                + "2026-11-21T02:46:37Z,warn,日本語 text,999,0,8\n",
                        "--event-time",
                        "at")
                .ok();
    }

    private List<String> terminal(int columns, String... command) {
        Cli.Result result = Cli.on(directory.resolve("store"))
                .outTerminal()
                .environment("NO_COLOR", "1")
                .environment("COLUMNS", Integer.toString(columns))
                .run(command)
                .ok();
        return (result.err() + result.out()).lines().map(String::stripTrailing).toList();
    }

    @Test
    void shouldSayTheDateOnceAndNumbersWithUnits() {
        assertEquals(
                List.of(
                        "time 2026-11-21Z    level  took_ns  size_bytes  code",
                        "02:46:37.000000000  warn     999ns          0B     8",
                        "02:46:36.000000001  error   40.5ms      1.5KiB     7"),
                terminal(200, "scan", "events", "--time", "event", "--fields", "level,took_ns,size_bytes,code"));
        // machines get what is in the record
        String json = cli.run("scan", "events", "--limit", "1").ok().out();
        assertTrue(json.contains("\"took_ns\":999,\"size_bytes\":0,"), json);
    }

    @Test
    void shouldShowAddressesWhenAskedTo() {
        assertTrue(terminal(200, "scan", "events", "--addr").get(0).contains("  addr  "));
        assertTrue(!terminal(200, "scan", "events").get(0).contains("addr"));
    }

    @Test
    void shouldKeepWholeTimesOfSeveralDays() {
        cli.importText("days", "csv", "at,v\n2026-11-21T02:46:36Z,1\n2026-11-22T02:46:36Z,2\n", "--event-time", "at")
                .ok();
        assertEquals(
                "time                            v",
                terminal(200, "scan", "days", "--time", "event", "--fields", "v")
                        .get(0));
    }

    @Test
    void shouldFitTheTerminal() {
        for (int columns : new int[] {40, 60, 80, 120}) {
            terminal(columns, "scan", "events", "--time", "event").stream()
                    .filter(line -> !line.startsWith("loom: "))
                    .forEach(line -> assertTrue(TextWidth.of(line) <= columns, columns + ": " + line));
        }
        assertEquals(
                List.of(
                        "loom: columns left out for lack of room: at, code; --fields chooses columns, -o"
                                + " json prints all",
                        "time 2026-11-21Z    level  text               took_ns  size_bytes",
                        "02:46:37.000000000  warn   日本語 text          999ns          0B",
                        "02:46:36.000000001  error  connection to db…   40.5ms      1.5KiB"),
                terminal(65, "scan", "events", "--time", "event"));
    }

    @Test
    void shouldGiveTheRoomOfTheLineToLaterTexts() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Table table = new Table(
                new Cli()
                        .outTerminal()
                        .environment("NO_COLOR", "1")
                        .environment("COLUMNS", "30")
                        .console(out, out),
                List.of(
                        new Table.Column("name", Table.Kind.TEXT),
                        new Table.Column("text", Table.Kind.TEXT),
                        new Table.Column("n", Table.Kind.NUMBER)),
                "");
        for (String text : List.of("short", "a text of some length")) {
            table.add(List.of(text.equals("short") ? "a" : "fdatasync", text, "1"));
            table.flush(); // as when the rows are far apart
        }
        assertEquals(
                List.of("name  text   n", "a     short  1", "fdatasync  a text of some …  1"),
                out.toString(StandardCharsets.UTF_8).lines().toList());
    }

    @Test
    void shouldCutSoThatAMatchIsSeen() {
        assertEquals(
                List.of("text", "…ple.org refused by the…"),
                terminal(44, "search", "events", "refuse*", "--field", "text", "--fields", "text").stream()
                        .filter(line -> !line.startsWith("loom: "))
                        .map(line -> line.substring(20))
                        .toList());
    }

    @Test
    void shouldHighlightMatchesAndColourWhatIsGrave() {
        String table = Cli.on(directory.resolve("store"))
                .outTerminal()
                .environment("COLUMNS", "200")
                .run("scan", "events", "--where", "text contains 'db.example' or text icontains 'TEXT'")
                .ok()
                .out();
        assertTrue(table.contains(RED + "db.example" + PLAIN + ".org"), table);
        assertTrue(table.contains("日本語 " + RED + "text" + PLAIN), table);
        assertTrue(table.contains("\u001b[31merror" + PLAIN), table);
        assertTrue(table.contains("\u001b[33mwarn" + PLAIN), table);
        String search = Cli.on(directory.resolve("store"))
                .outTerminal()
                .run("search", "events", "REFUSED NOT nope", "--field", "text", "-o", "raw")
                .ok()
                .out();
        assertTrue(search.contains(RED + "refused" + PLAIN), search);
    }

    @Test
    void shouldColourAsAsked() {
        String[] plain = {"scan", "events", "-o", "table", "--color", "always"};
        assertTrue(cli.run(plain).ok().out().startsWith("\u001b[1mtime"));
        Cli terminal = Cli.on(directory.resolve("store")).outTerminal().errTerminal();
        assertTrue(
                !terminal.run("scan", "events", "--color", "never").ok().out().contains("\u001b"));
        assertTrue(terminal.run("scan", "none").exit(2).err().startsWith("\u001b[31mloom: " + PLAIN));
        terminal.environment("NO_COLOR", "1");
        assertTrue(!terminal.run("scan", "events").ok().out().contains("\u001b"));
        assertTrue(!terminal.run("scan", "none").exit(2).err().contains("\u001b"));
    }

    @Test
    void shouldSetALongRowDown() {
        List<String> lines = terminal(40, "agg", "events", "took_ns", "--percentile", "50,90,99,99.9");
        assertEquals("name   value", lines.get(0));
        assertTrue(lines.contains("p99.9  40.5125ms"), lines.toString());
    }
}
