package dev.loom.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.api.LossReason;
import dev.loom.api.Snapshot;
import dev.loom.cli.Cli;
import dev.loom.cli.LoomProcess;
import dev.loom.cli.Main;
import dev.loom.cli.archive.ArchiveReader;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.Interruption;
import dev.loom.cli.console.Progress;
import dev.loom.cli.input.InputWindow;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.model.TimeRange;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.HiddenCharacters;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code loom export}, except for the round trips of archives. */
class ExportCommandTest {
    private static final String CSV = "n,t\n1,one\n2,\"two,\"\"2\"\"\"\n,\"\"\n";

    @TempDir
    Path directory;

    private Path store = Path.of("");
    private Path file = Path.of("");
    private Cli cli = new Cli();

    @BeforeEach
    void open() {
        store = directory.resolve("store");
        file = directory.resolve("out");
        cli = Cli.onSmallStore(store);
    }

    private Cli.Result export(String... arguments) {
        return cli.run(Stream.concat(Stream.of("export"), Stream.of(arguments)).toArray(String[]::new));
    }

    /** A variable may be there for another command. */
    @Test
    void shouldNotMindAnEndpointOfTheEnvironment() {
        cli.importText("s", "csv", CSV).ok();
        cli.environment("LOOM_ENDPOINT", "http://localhost:1");
        assertEquals(3, export("--format", "jsonl").ok().lines().size());
        export("--format", "jsonl", "--endpoint", "http://localhost:1")
                .exit(2)
                .says("--endpoint is for --format otlp, without --output");
        cli.run("export", "--format", "archive", "--output", file.toString()).ok();
    }

    private List<String> folder() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private static List<String> fields(List<String> jsonLines) {
        return jsonLines.stream()
                .map(line -> line.substring(line.indexOf("\"n\":")))
                .toList();
    }

    @Test
    void shouldWriteCsvThatImportsBackEqual() throws IOException {
        cli.importText("s", "csv", CSV).ok();
        export("--format", "csv", "--output", file.toString()).ok();
        assertEquals(cli.run("scan", "s", "--asc", "-o", "csv").out(), Files.readString(file));
        cli.run("import", "--source", "copy", "--format", "csv", file.toString())
                .ok();
        assertEquals(
                fields(cli.run("scan", "s", "--asc", "-o", "json").lines()),
                fields(cli.run("scan", "copy", "--asc", "-o", "json").lines()));
        assertEquals(
                3,
                fields(cli.run("scan", "copy", "--asc", "-o", "json").lines()).size());
    }

    @Test
    void shouldLetNoCharacterCommandATerminal() {
        cli.importText("s", "lines", "\u001b]0;title\u0007 \u009b2J \u007f \u202e end\n")
                .ok();
        Cli terminal = Cli.on(store).outTerminal();
        for (String form : List.of("csv", "jsonl")) {
            String shown = terminal.run("export", "s", "--format", form).ok().out();
            assertTrue(shown.contains("title") && shown.contains("end"), shown);
            assertTrue(shown.codePoints().noneMatch(c -> c != '\n' && HiddenCharacters.hides(c)), shown);
        }
        assertTrue(export("--format", "csv").ok().out().contains("\u001b]0;title\u0007"), "a file has it as it is");
    }

    @Test
    void shouldCountTextsThatAreNotUtf8() throws IOException {
        StructFormat format = Formats.struct("n:i64,t:utf8?,u:utf8?");
        byte[] invalid = {'a', (byte) 0xFF, (byte) 0xFE, 'b'};
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            int structs = loom.defineSource("structs", format);
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[64]);
            StructWriter writer = new StructWriter(format);
            for (int i = 0; i < 3; i++) {
                writer.begin(buffer, 0);
                writer.setLong(0, i);
                writer.setUtf8(1, new UnsafeBuffer(invalid), 0, i == 0 ? 1 : invalid.length);
                writer.setUtf8(2, new UnsafeBuffer(invalid), 0, i < 2 ? 0 : 2);
                loom.push(structs, buffer, 0, writer.finish());
            }
            loom.push(loom.defineSource("lines", Formats.text()), invalid);
            byte[] json = "{\"x\":\"?\"}".getBytes(StandardCharsets.UTF_8);
            json[6] = invalid[1];
            loom.push(loom.defineSource("objects", Formats.json()), json);
        }
        String replaced = "loom: texts that are not UTF-8 have U+FFFD where they are not: values=";
        Cli.Result all =
                export("--format", "jsonl", "--output", file.toString()).ok();
        assertTrue(all.err().startsWith(replaced + "5\nloom: exported 5 records"), all.err());
        List<String> lines = Files.readAllLines(file);
        assertTrue(lines.get(1).contains("\"t\":\"a\uFFFD\uFFFDb\",\"u\":\"\""), lines::toString);
        assertTrue(lines.get(4).contains("{\"x\":\"\uFFFD\"}"), lines::toString);
        String kept = "loom: texts that are not UTF-8, which an import refuses: values=";
        Cli.Result csv = export("structs", "--format", "csv", "--output", file.toString(), "--force")
                .ok();
        assertTrue(csv.err().startsWith(kept + "3\nloom: exported 3 records"), csv.err());
        String refused = cli.run("import", "--source", "copy", "--format", "csv", file.toString())
                .exit(4)
                .err();
        assertTrue(refused.contains("line 3: t: not utf8: "), refused);
        assertTrue(export("lines", "--format", "csv").ok().err().startsWith(kept + "1\n"));
        assertTrue(export("objects", "--format", "csv").ok().err().startsWith(kept + "1\n"));
    }

    /** A program may push any JSON value, and what is none. */
    @Test
    void shouldImportEveryJsonValueThatItHasWritten() {
        List<String> values = List.of("{\"n\":1}", "[1,{}]", "7", "\"x}\"", "true");
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            int source = loom.defineSource("any", Formats.json());
            for (String value : List.of(values.get(0), "null", "[1,{}]", "7", "no", "\"x}\"", "true")) {
                loom.push(source, value.getBytes(StandardCharsets.UTF_8));
            }
        }
        String printed = export("any", "--format", "jsonl").ok().out();
        Cli.Result copied =
                cli.importText("copy", "jsonl", printed, "--on-bad", "skip").ok();
        assertEquals(values, cli.run("scan", "copy", "--asc", "-o", "raw").ok().lines());
        for (int line : new int[] {2, 5}) {
            assertTrue(
                    copied.err().contains("loom: line " + line + ": the record's payload is null or no JSON"),
                    copied.err());
        }
        cli.importText("whole", "jsonl", printed, "--whole-rows").ok();
        assertEquals(
                printed.lines().toList(),
                cli.run("scan", "whole", "--asc", "-o", "raw").ok().lines());
    }

    @Test
    void shouldWriteJsonLinesThatImportBackEqual() {
        cli.importText("a", "csv", CSV).ok();
        cli.importText("b", "jsonl", "{\"n\":1}\n{\"n\":[2,\"é\"]}\n").ok();
        Cli.Result both = export("--format", "jsonl").ok();
        assertEquals(
                cli.run("scan", "a", "--asc", "-o", "json").out()
                        + cli.run("scan", "b", "--asc", "-o", "json").out(),
                both.out());
        cli.importText("whole", "jsonl", both.out(), "--whole-rows").ok();
        assertEquals(
                both.lines(),
                cli.run("scan", "whole", "--asc", "-o", "raw").ok().lines());
        Cli.Result copied = cli.importText("copy", "jsonl", both.out()).ok();
        assertTrue(copied.err().startsWith("loom: rows that Loom printed: their fields are imported"), copied.err());
        assertEquals(
                List.of(
                        "{\"n\":1,\"t\":\"one\"}",
                        "{\"n\":2,\"t\":\"two,\\\"2\\\"\"}",
                        "{\"n\":null,\"t\":\"\"}",
                        "{\"n\":1}",
                        "{\"n\":[2,\"é\"]}"),
                cli.run("scan", "copy", "--asc", "-o", "raw").ok().lines());
        assertEquals(
                both.lines().subList(3, 5),
                export("--format", "jsonl", "--source", "b").lines());
        assertEquals(
                export("--format", "jsonl", "--source", "b").lines(),
                export("b", "--format", "jsonl", "--source", "b").lines());
    }

    /** A store at its limit has always deleted something. */
    @Test
    void shouldExportWhatRetentionHasLeft() {
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("full"))
                .segmentBytes(1 << 20)
                .recordRingBytes(1 << 20)
                .maxBytes(8 << 20)
                .minFreeBytes(0)
                .build())) {
            int source = loom.defineSource("a", Formats.text());
            UnsafeBuffer payload = new UnsafeBuffer("x".repeat(1_000).getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 20_000; i++) {
                loom.push(source, payload, 0, payload.capacity());
            }
        }
        cli = Cli.on(directory.resolve("full"));
        long left = cli.run("scan", "a", "-o", "raw").lines().size();
        assertTrue(left > 1_000 && left < 20_000, "records=" + left);
        for (String form : List.of("csv", "jsonl", "archive")) {
            for (String since : List.of("1h", "7d")) {
                String err = export("--format", form, "--output", file + form, "--force", "--since", since)
                        .ok()
                        .err();
                assertTrue(err.contains("exported " + left + " records of 1 source"), err);
                assertTrue(err.contains("the store's limits had deleted records of the range"), err);
            }
        }
    }

    @Test
    void shouldRefuseWhatMakesNoSense() throws IOException {
        cli.importText("a", "lines", "1\n").ok();
        cli.importText("b", "lines", "2\n").ok();
        assertTrue(export("--format", "csv").exit(2).err().contains("name it: a, b"));
        assertTrue(export("--source", "c").exit(2).err().contains("c"));
        assertTrue(export("c").exit(2).err().contains("c"));
        assertTrue(export("a", "b", "--format", "csv").exit(2).err().contains("name it: a, b"));
        assertTrue(export("--time", "event").exit(2).err().contains("arrival times"));
        assertTrue(export("--force").exit(2).err().contains("--force"));
        assertTrue(cli.outTerminal().run("export").exit(2).err().contains("not for a terminal"));
        assertTrue(export("--output", "/dev/tty").exit(2).err().contains("not for a terminal"));
        Files.createSymbolicLink(directory.resolve("terminal"), Path.of("/dev/tty"));
        assertTrue(export("--output", directory.resolve("terminal").toString())
                .exit(2)
                .err()
                .contains("not for a terminal"));
        assertTrue(Console.isTerminal(directory.resolve("terminal")));
        assertFalse(Console.isTerminal(Path.of("/dev/null")));
        assertFalse(Console.isTerminal(directory.resolve("nothing")));
        Files.delete(directory.resolve("terminal"));
        assertTrue(export("--output", directory.toString()).exit(2).err().contains("is a directory"));
        assertTrue(export("--output", file + "/x").exit(2).err().contains("no such file"));
        assertTrue(Cli.on(file).run("export").exit(3).err().contains(file.toString()));
        assertEquals(List.of("store"), folder());
    }

    @Test
    void shouldNotOverwriteAFileUnlessToldTo() throws IOException {
        cli.importText("a", "lines", "1\n").ok();
        Files.writeString(file, "mine");
        assertTrue(export("--output", file.toString()).exit(2).err().contains("--force overwrites it"));
        assertEquals("mine", Files.readString(file));
        export("--force", "--output", file.toString()).ok();
        Cli.on(directory.resolve("copy"))
                .run("import", "--format", "archive", file.toString())
                .ok();
        assertEquals(List.of("copy", "out", "store"), folder());
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldSayThatTheDiskIsFull() throws IOException {
        cli.importText("a", "lines", "1\n").ok();
        for (String format : List.of("archive", "csv", "jsonl")) {
            Cli.Result full =
                    export("--format", format, "--output", "/dev/full").exit(1);
            assertTrue(full.err().contains("file=/dev/full, reason=No space left on device"), full.err());
        }
        assertEquals(List.of("store"), folder());
    }

    @Test
    void shouldLeaveNoFileWhenInterrupted() throws IOException {
        cli.importText("a", "lines", "1\n").ok();
        for (String format : List.of("archive", "csv", "jsonl")) {
            Console console = cli.console(OutputStream.nullOutputStream(), OutputStream.nullOutputStream());
            console.interruption().request();
            assertEquals(130, Main.run(console, "export", "--format", format, "--output", file.toString()));
            assertEquals(List.of("store"), folder());
        }
    }

    @Test
    void shouldFailWhenTheReaderOfAnArchiveHasGone() {
        cli.importText("a", "lines", "1\n").ok();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = cli.console(
                new OutputStream() {
                    @Override
                    public void write(int value) throws IOException {
                        throw new IOException("Broken pipe");
                    }
                },
                err);
        assertEquals(1, Main.run(console, "export"));
        assertTrue(err.toString(StandardCharsets.UTF_8).contains("its reader has gone"), err::toString);
    }

    @Test
    void shouldNoticeThatRecordsExpire() throws IOException {
        store = directory.resolve("small segments");
        cli = Cli.on(store);
        try (Loom loom = Loom.open(LoomConfig.at(store)
                .recordRingBytes(1 << 19)
                .timeRingBytes(1 << 19)
                .chunkRingBytes(1 << 19)
                .segmentBytes(1 << 19)
                .maxBytes(8 << 20)
                .build())) {
            int id = loom.defineSource("s", Formats.bytes());
            byte[] payload = new byte[1 << 10];
            for (int i = 0; i < 1 << 12; i++) {
                loom.push(id, payload);
            }
            try (Snapshot snapshot = loom.snapshot()) {
                long begin = loom.info().records().begin();
                while (loom.info().records().begin() == begin) {
                    loom.push(id, payload);
                }
                ArchiveExport export = new ArchiveExport(snapshot, snapshot.sources(), TimeRange.ALL);
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                DataOutput out = new DataOutput(bytes, false);
                export.write(loom.info(), out, new Interruption(), new Progress(cli.console(bytes, bytes), ""));
                out.flush();
                assertEquals(Deletion.MEANWHILE, export.deletion());
                // what there is of it does not pass for a whole archive
                Cli.Result refused = Cli.on(directory.resolve("copy"))
                        .input(new ByteArrayInputStream(bytes.toByteArray()))
                        .run("import", "--format", "archive", "-")
                        .exit(3);
                assertTrue(refused.err().contains("archive is truncated"), refused.err());
            }
        }
    }

    @Test
    void shouldSayWhatDamageLeftOut() throws IOException {
        try (Loom loom = Loom.open(LoomConfig.at(store).build())) {
            int id = loom.defineSource("s", Formats.bytes());
            for (int i = 0; i < 1 << 10; i++) {
                loom.push(id, new byte[1 << 10]);
            }
        }
        Path segment = store.resolve("record/00000000000000000000.seg");
        byte[] bytes = Files.readAllBytes(segment);
        bytes[70_000] ^= 1;
        Files.write(segment, bytes);
        Cli.Result result = export("--output", file.toString()).exit(3);
        assertTrue(result.err().contains("pages left out=1"), result.err());
        Cli.Result imported = Cli.on(directory.resolve("copy"))
                .run("import", "--format", "archive", file.toString())
                .ok();
        assertTrue(imported.err().contains("had damage: pages left out=1"), imported.err());
    }

    @Test
    void shouldSayThatRecordsWereLost() {
        try (Loom loom = Loom.open(LoomConfig.at(store).clock(() -> 5).build())) {
            int id = loom.defineSource("s", Formats.text());
            loom.push(id, "a".getBytes(StandardCharsets.UTF_8));
            loom.noteLoss(id, LossReason.STORE_FULL, 12, 5, 6);
        }
        for (String format : List.of("csv", "jsonl", "archive")) {
            String to = directory.resolve(format).toString();
            String err = export("--format", format, "--output", to).ok().err();
            assertTrue(err.contains("lost=12"), err);
        }
    }

    @Test
    void shouldNameTheModuleThatIsNotThere() throws IOException {
        cli.importText("s", "lines", "a\n").ok();
        export("--format", "parquet", "--source", "s", "--output", file.toString())
                .exit(2)
                .says(
                        "--format parquet needs a module that is not on the class path: add dev.loom:loom-parquet and what"
                                + " that needs, or run ./loom");
        export("--format", "csv", "--column", "a").exit(2).says("--column is for parquet: --format csv");
        assertEquals(List.of("store"), folder());
    }

    @Test
    void shouldKeepWhatCameBeforeDamage() throws IOException {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            lines.append("line ").append(i * 7919L % 1_000_003).append('\n');
        }
        cli.importText("s", "lines", lines.toString()).ok();
        export("--output", file.toString()).ok();
        byte[] archive = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(archive, archive.length - 100));
        Path copy = directory.resolve("copy");
        Cli.Result cut = Cli.on(copy)
                .run("import", "--format", "archive", file.toString())
                .exit(3);
        assertTrue(cut.err().contains("; incomplete"), cut.err());
        assertTrue(cut.err().contains("archive is truncated: file=" + file + ", offset=" + (archive.length - 100)));
        List<String> copied =
                Cli.on(copy).run("scan", "s", "--asc", "-o", "raw").ok().lines();
        assertFalse(copied.isEmpty());
        assertEquals(lines.toString().lines().limit(copied.size()).toList(), copied);
        Cli.on(copy).run("verify").ok();
    }

    @Test
    void shouldExportAnEmptyStore() {
        cli.run("source", "add", "s", "--format", "text").ok();
        export("--output", file.toString()).ok();
        Cli copy = Cli.on(directory.resolve("copy"));
        copy.run("import", "--format", "archive", file.toString()).ok();
        assertEquals(1, copy.run("sources", "-o", "json").ok().lines().size());
    }

    @Test
    void shouldNeverShowHalfAFileWhenKilled() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 200_000; i++) {
            lines.append("line ").append(i).append('\n');
        }
        cli.importText("s", "lines", lines.toString()).ok();
        for (int round = 0; round < 3; round++) {
            Path target = directory.resolve("out" + round);
            try (LoomProcess export = LoomProcess.start(store, "export", "--output", target.toString())) {
                // at any moment from its first file on
                while (export.alive() && folder().size() == 1 + round) {
                    Thread.onSpinWait();
                }
                if (export.alive()) {
                    export.signal("KILL");
                }
                export.exitCode();
            }
            if (Files.exists(target)) {
                try (ArchiveReader reader = new ArchiveReader(
                        "out", new InputWindow(Files.newInputStream(target), new Interruption()), new Interruption())) {
                    while (reader.next()) {
                        assertEquals(1, reader.sourceId());
                    }
                    assertTrue(reader.end() != null);
                }
            }
            export("--force", "--output", target.toString()).ok();
            try (Stream<Path> parts = Files.list(directory)) {
                for (Path part :
                        parts.filter(path -> path.toString().endsWith(".part")).toList()) {
                    Files.delete(part);
                }
            }
        }
    }
}
