package dev.loom.cli.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreCommandsTest {
    private static final int PAGE_LENGTH = 65_536;

    @TempDir
    Path directory;

    private Cli cli = new Cli();

    @BeforeEach
    void open() {
        cli = Cli.onSmallStore(directory);
    }

    @Test
    void shouldDefineListAndCloseSources() {
        cli.run("source", "add", "a", "--fields", "t:i64,op:utf8?")
                .ok()
                .says("defined source a: id=1, format=struct:t:i64,op:utf8?");
        cli.run("source", "add", "b").ok().says("defined source b: id=2, format=bytes");
        cli.run("source", "add", "c", "--format", "json").ok();
        cli.run("source", "close", "b").ok().says("closed source b: id=2");
        cli.run("source", "add", "b", "--format", "text").ok().says("defined source b: id=4, format=text");
        assertEquals(
                List.of(
                        "{\"name\":\"a\",\"id\":1,\"format\":\"struct:t:i64,op:utf8?\",\"records\":0,\"bytes\":0,"
                                + "\"first\":null,\"last\":null,\"lost\":0}",
                        "{\"name\":\"b\",\"id\":2,\"format\":\"bytes\",\"records\":0,\"bytes\":0,"
                                + "\"first\":null,\"last\":null,\"lost\":0,\"closed\":true}",
                        "{\"name\":\"c\",\"id\":3,\"format\":\"json\",\"records\":0,\"bytes\":0,"
                                + "\"first\":null,\"last\":null,\"lost\":0}",
                        "{\"name\":\"b\",\"id\":4,\"format\":\"text\",\"records\":0,\"bytes\":0,"
                                + "\"first\":null,\"last\":null,\"lost\":0}"),
                cli.run("sources").ok().lines());
    }

    @Test
    void shouldGoByEventTimeWhenFormatHasOne() {
        cli.run("source", "add", "a", "--format", "timed:struct", "--fields", "n:i64")
                .ok();
        try (Loom loom = Loom.open(LoomConfig.at(directory).build())) {
            UnsafeBuffer payload = new UnsafeBuffer(new byte[16]);
            int id = loom.source("a").orElseThrow().id();
            for (int i = 0; i < 100; i++) {
                payload.putLong(0, 1_000 + 7 * i % 100); // nanoseconds after 1970, not seconds
                payload.putLong(8, i);
                loom.push(id, payload, 0, 16);
            }
        }
        List<String> rows = cli.run(
                        "scan",
                        "a",
                        "--time",
                        "event",
                        "--asc",
                        "--from",
                        "1970-01-01T00:00:00.000001097Z",
                        "-o",
                        "csv")
                .ok()
                .lines();
        assertEquals(
                List.of("1097", "1098", "1099"),
                rows.stream().skip(1).map(row -> row.split(",", -1)[1]).toList());
        assertTrue(cli.run("sources", "-o", "csv").ok().out().contains("event_time (wall)"));
        assertTrue(cli.run("index", "list").ok().out().contains("\"name\":\"event-time\""));
        cli.run("source", "add", "b", "--format", "timed:struct").exit(2).says("--format struct needs --fields");
    }

    @Test
    void shouldRefuseSourcesThatCannotBe() {
        cli.run("source", "add", "a").ok();
        cli.run("source", "add", "a").exit(2).says("source is already defined: name=a");
        cli.run("source", "close", "b").exit(2).says("no open source: b");
        cli.run("source", "add", "b", "--format", "struct").exit(2).says("--format struct needs --fields");
        cli.run("source", "add", "b", "--format", "text", "--fields", "a:i8")
                .exit(2)
                .says("--fields is for --format struct, not text");
        assertTrue(
                cli.run("source", "add", "b", "--fields", "a:int").exit(2).err().contains("unknown field type"));
        assertTrue(
                cli.run("source", "add", "b", "--format", "xml").exit(2).err().contains("unknown payload format"));
        cli.run("source").exit(2).says("Missing required subcommand; see loom source --help");
    }

    @Test
    void shouldListTheFieldsOfASource() {
        cli.run("source", "add", "a", "--fields", "took_ms:i64,op:utf8?").ok();
        cli.run("index", "add", "a", "took_ms").ok();
        assertEquals(
                List.of(
                        "{\"name\":\"took_ms\",\"type\":\"i64\",\"unit\":\"ms\",\"declared\":true,\"indexes\":[\"took_ms\"]}",
                        "{\"name\":\"op\",\"type\":\"utf8\",\"unit\":null,\"declared\":true,\"indexes\":[]}"),
                cli.run("fields", "a").ok().lines());
        cli.importText("b", "jsonl", """
                        {"n":1,"x":null,"o":{"s":"t","l":[]},"m":1}
                        {"n":2,"x":true,"f":0.5,"m":"1"}
                        """).ok();
        assertEquals(
                List.of(
                        "name,type,unit,declared,indexes",
                        "f,number,,false,",
                        "m,any,,false,",
                        "n,integer,,false,",
                        "o.l,array,,false,",
                        "o.s,string,,false,",
                        "x,boolean,,false,"),
                cli.run("fields", "b", "-o", "csv").ok().lines());
        assertTrue(cli.run("fields", "c").exit(2).err().contains("no such source: c"));
    }

    @Test
    void shouldListWhatSourcesHold() {
        cli.importText("a", "lines", "x\nyy\n").ok();
        String json = cli.run("sources").ok().out();
        assertTrue(
                json.matches("\\{\"name\":\"a\",\"id\":1,\"format\":\"text\",\"records\":2,\"bytes\":3,"
                        + "\"first\":\\d{19},\"last\":\\d{19},\"lost\":0}\n"),
                json);
        List<String> table = cli.run("sources", "-o", "table").ok().lines();
        assertEquals(2, table.size());
        assertTrue(
                table.get(0).matches("name +id +records +bytes +first 2\\S+Z +last 2\\S+Z +lost +format *"),
                table.get(0));
        assertTrue(table.get(1).matches("a +1 +2 +3B +[0-9:.]+ +[0-9:.]+ +0 +text *"), table.get(1));
        String csv = cli.run("sources", "-o", "csv").ok().out();
        assertTrue(csv.startsWith("name,id,records,bytes,first,last,lost,closed,event_time,format\na,1,2,3,"), csv);
    }

    @Test
    void shouldTellAStoresState() {
        cli.importText("a", "lines", "x\n").ok();
        String json = cli.run("info").ok().out();
        assertTrue(json.startsWith("{\"directory\":\"" + directory + "\",\"format\":"), json);
        assertEquals(1, json.lines().count());
        String table = cli.run("info", "-o", "table").ok().out();
        assertTrue(table.lines().anyMatch(line -> line.matches("state +closed")), table);
        assertTrue(
                json.contains(",\"records\":1,\"payload_bytes\":1,\"lost\":0,\"text_row_units\":1,"
                        + "\"text_column_units\":0,\"text_bytes\":8192,"
                        + "\"text_bytes_per_record\":8192.0,\"text_bytes_per_word\":8192.0,"
                        + "\"text_records_left\":0,\"text_bytes_left\":0,\"disk_bytes\":"),
                json);
        cli.run("info", "-o", "csv").ok();
    }

    @Test
    void shouldVerifyASoundStore() {
        cli.importText("a", "lines", "x\n".repeat(100_000)).ok();
        Cli.Result result = cli.run("verify").ok();
        assertEquals("", result.out());
        assertTrue(
                result.err().matches("loom: verified \\d+ files, \\d+ pages, \\d+ entries, \\d+ bytes: 0 problems\n"),
                result.err());
    }

    @Test
    void shouldTellFileAndOffsetOfDamageAndAnswerFromTheRest() throws IOException {
        String lines = "some line of text\n".repeat(100_000);
        cli.importText("a", "lines", lines).ok();
        long offset = 3 * 65_536 + 1_000;
        try (FileChannel file = FileChannel.open(
                directory.resolve("record").resolve("00000000000000000000.seg"), StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {(byte) 0xAA, (byte) 0x55}), offset);
        }
        Cli.Result verified = cli.run("verify").exit(3);
        assertEquals(1, verified.lines().size(), verified.out());
        assertTrue(
                verified.out()
                        .startsWith("{\"file\":\"record/00000000000000000000.seg\",\"offset\":196608,\"problem\":\""),
                verified.out());
        assertTrue(verified.err().endsWith(" 1 problems\n"), verified.err());
        Cli.Result scanned = cli.run("scan", "a", "--asc", "-o", "raw").exit(3);
        assertTrue(scanned.err().contains("\"complete\":false"), scanned.err());
        assertTrue(scanned.err().contains("\"damaged_pages\":1"), scanned.err());
        assertTrue(
                scanned.lines().size() > 90_000 && scanned.lines().size() < 100_000,
                scanned.lines().size() + "");
        assertTrue(scanned.lines().stream().allMatch("some line of text"::equals));
    }

    /** Each page may be damaged, so no row waits for the last one. Here the verification ends once something is printed. */
    @Test
    void shouldPrintDamageAsItIsFound() throws IOException {
        cli.importText("a", "lines", "some line of text\n".repeat(300_000)).ok();
        Path segment = directory.resolve("record").resolve("00000000000000000000.seg");
        try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            for (long page = 0; page < file.size() / PAGE_LENGTH; page++) {
                file.write(ByteBuffer.wrap(new byte[] {(byte) 0xAA, (byte) 0x55}), page * PAGE_LENGTH + 1_000);
            }
        }
        for (String form : List.of("json", "csv", "table")) {
            int headings = form.equals("json") ? 0 : 1;
            List<String> all = cli.run("verify", "-o", form).exit(3).lines();
            assertTrue(all.size() > 150, all.size() + form);
            Console[] console = new Console[1];
            ByteArrayOutputStream out = new ByteArrayOutputStream() {
                @Override
                public synchronized void write(byte[] bytes, int offset, int length) {
                    super.write(bytes, offset, length);
                    if (length > 0) {
                        console[0].interruption().request();
                    }
                }
            };
            console[0] = cli.console(out, new ByteArrayOutputStream());
            assertEquals(130, Main.run(console[0], "verify", "-o", form));
            List<String> some = out.toString(StandardCharsets.UTF_8).lines().toList();
            assertTrue(some.size() > headings && some.size() < all.size(), () -> some.size() + " of " + all.size());
            assertEquals(all.subList(0, some.size()), some);
        }
    }

    @Test
    void shouldRecoverOnRepair() {
        cli.importText("a", "lines", "x\n").ok();
        Cli.Result repaired = cli.run("verify", "--repair").ok();
        assertTrue(repaired.err().startsWith("loom: recovered\n"), repaired.err());
        assertEquals("x\n", cli.run("scan", "a", "-o", "raw").ok().out());
    }

    @Test
    void shouldRewriteDamagedIndexesOnRepair() throws Exception {
        cli.importText("a", "csv", "v\n1\n").ok();
        cli.run("index", "add", "a", "v").ok();
        StringBuilder rows = new StringBuilder("v\n");
        IntStream.range(0, 50_000).forEach(i -> rows.append(i).append('\n'));
        cli.importText("a", "csv", rows.toString()).ok();
        String answer = cli.run("agg", "a", "v", "--percentile", "99").ok().out();
        Path bins = directory.resolve("chunk").resolve("00000000000000000000.seg");
        byte[] damaged = Files.readAllBytes(bins);
        damaged[100] ^= 1;
        Files.write(bins, damaged);
        cli.run("verify").exit(3);
        Cli.Result repaired = cli.run("verify", "--repair").ok();
        assertTrue(repaired.err().contains("\nloom: the indexes were rebuilt from the records\n"), repaired.err());
        assertTrue(
                repaired.err().contains("loom: set aside: file=chunk/00000000000000000000.seg, offset=0"),
                repaired.err());
        assertRepaired(repaired, answer);
    }

    /** A file that is missing is noticed when a store is opened for writing. */
    @Test
    void shouldRewriteLostIndexesOnRepair() throws Exception {
        cli.importText("a", "csv", "v\n1\n").ok();
        cli.run("index", "add", "a", "v").ok();
        cli.importText("a", "csv", "v\n2\n3\n").ok();
        String answer = cli.run("agg", "a", "v", "--percentile", "99").ok().out();
        Files.delete(directory.resolve("chunk").resolve("00000000000000000000.seg"));
        cli.run("verify").exit(3);
        assertRepaired(cli.run("verify", "--repair").ok(), answer);
    }

    private void assertRepaired(Cli.Result repaired, String answer) {
        assertTrue(repaired.err().endsWith(" 0 problems\n"), repaired.err());
        Cli.Result again =
                cli.run("agg", "a", "v", "--percentile", "99", "--explain").ok();
        assertTrue(again.out().startsWith(answer), again.out());
        assertTrue(again.err().contains("not covered=0"), again.err());
    }

    @Test
    void shouldTellThatThereIsNoStore() {
        Path none = directory.resolve("none");
        for (String command : List.of("sources", "info", "verify", "verify --repair", "source close s", "tail s")) {
            Cli.Result result = Cli.on(none).run(command.split(" ", -1)).exit(3);
            assertFalse(Files.exists(none), command);
            assertEquals(1, result.err().lines().count(), result.err());
            assertTrue(result.err().contains("none"), result.err());
        }
    }
}
